/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import java.io.IOException;
import java.nio.file.Path;

/** The same over HTTP/2, where bodies flow through windows. */
class Http2BodiesTest extends ProxiedBodiesTest {

  @Override
  ProxyFixture fixture(Path where) throws IOException {
    return ProxyFixture.speakingHttp2(where);
  }
}
