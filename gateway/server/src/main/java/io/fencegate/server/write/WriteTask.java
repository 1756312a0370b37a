/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.write;

import io.fencegate.adapter.spi.ProxiedRequest;
import io.fencegate.adapter.spi.ProxyAdapter;
import io.fencegate.adapter.spi.WriteContent;

/** What is to be done once a write has been let in. */
public sealed interface WriteTask {

  /** Shut every older token out and write nothing. */
  record Seal() implements WriteTask {}

  /** Carry out operations of the policy. */
  record Operations(WriteContent content) implements WriteTask {}

  /** Forward a request as it came. */
  record Forward(ProxyAdapter adapter, ProxiedRequest request) implements WriteTask {}

  /** For the audit trail. */
  default String wireName() {
    if (this instanceof Seal) {
      return "seal";
    }
    return this instanceof Forward ? "forward" : "write";
  }
}
