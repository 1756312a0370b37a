/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.proxy;

import java.io.IOException;
import org.junit.jupiter.api.BeforeAll;

/** The order of writes to a service over HTTP/1.1. */
class ProxiedOrderTest extends ProxiedOrderContract {

  @BeforeAll
  static void start() throws IOException {
    fixture = new ProxyFixture(folder);
  }
}
