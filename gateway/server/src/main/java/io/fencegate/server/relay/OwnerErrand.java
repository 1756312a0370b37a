/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.relay;

import io.fencegate.policy.name.ResourceName;
import java.util.Locale;

/**
 * What one gateway asks of the one that carries a resource's writes out, on its worker port. Each
 * only makes the owner look at what the coordinator has recorded, so a repeated one does no harm.
 */
public enum OwnerErrand {
  /** Shut out every token below the recorded epoch, and answer when none of theirs can land. */
  SHUT_OUT,

  /** Forget what is known of the resource's epoch. */
  FORGET;

  /** Where all of them are taken. */
  public static final String PATHS = "/v1/gateways/";

  /** Where this one is taken, for every resource. */
  public String path() {
    return PATHS + name().toLowerCase(Locale.ROOT).replace('_', '-') + "/";
  }

  String target(ResourceName resource) {
    return path() + resource.value();
  }
}
