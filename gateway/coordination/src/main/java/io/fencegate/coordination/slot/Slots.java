/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.slot;

import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/**
 * Which slot a resource is in, and which gateway a slot belongs to. Pure.
 *
 * <p>Placement is highest random weight (Thaler and Ravishankar, 1998): every gateway computes the
 * same answer from the same sessions, and one that comes or goes moves only its own share.
 */
final class Slots {

  /**
   * Enough to spread the work over more gateways than one coordinator carries, few enough to be
   * read in one page. All gateways of a coordinator have to agree, so changing it needs all of them
   * to be stopped.
   */
  static final int COUNT = 64;

  private Slots() {}

  /** The slot of a resource: 0 to {@link #COUNT} - 1. */
  static int of(ResourceName resource) {
    byte[] hash = Sha256.of(resource.value().getBytes(StandardCharsets.UTF_8));
    return Math.floorMod(ByteBuffer.wrap(hash).getInt(), COUNT);
  }

  /** The session that a slot belongs to; empty where there is none at all. */
  static Optional<String> placed(int slot, Collection<String> sessions) {
    return sessions.stream().max(Comparator.comparing(session -> weight(slot, session)));
  }

  private static ByteBuffer weight(int slot, String session) {
    return ByteBuffer.wrap(Sha256.of((slot + "/" + session).getBytes(StandardCharsets.UTF_8)));
  }
}
