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

  /** What gateways have to agree on, as it stands in the coordinator. */
  static final String SCHEME = COUNT + " slots, string hash, murmur3 finalizer";

  private Slots() {}

  /**
   * The slot of a resource: 0 to {@link #COUNT} - 1. The hash of a string is fixed by the Java
   * platform's specification; the finalizer of MurmurHash3 (Appleby, 2011) spreads it.
   */
  static int of(ResourceName resource) {
    int hash = resource.value().hashCode();
    hash = (hash ^ (hash >>> 16)) * 0x85ebca6b;
    hash = (hash ^ (hash >>> 13)) * 0xc2b2ae35;
    return Math.floorMod(hash ^ (hash >>> 16), COUNT);
  }

  /** The session that a slot belongs to; empty where there is none at all. */
  static Optional<String> placed(int slot, Collection<String> sessions) {
    return sessions.stream().max(Comparator.comparing(session -> weight(slot, session)));
  }

  private static ByteBuffer weight(int slot, String session) {
    return ByteBuffer.wrap(Sha256.of((slot + "/" + session).getBytes(StandardCharsets.UTF_8)));
  }
}
