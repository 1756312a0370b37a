/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.witness;

/** What shows that the coordinator has lost a part of its history. */
public sealed interface Loss {

  /** One sentence for people, without a full stop. */
  String reason();

  /** It answered a position below one that it had answered before the question was sent. */
  record WentBackwards(Position seen, Position found) implements Loss {
    @Override
    public String reason() {
      return "the coordinator is at "
          + found
          + ", it was at "
          + seen
          + " before: it was restored from a backup or wiped";
    }
  }

  /** It is another coordinator than the one that was known, with another's locks. */
  record OtherCluster(long known, long found) implements Loss {
    @Override
    public String reason() {
      return "this is coordinator "
          + Long.toHexString(found)
          + ", it was "
          + Long.toHexString(known)
          + " before";
    }
  }

  /** Another gateway has noticed it, and the generation was not raised since. */
  record NoticedElsewhere(String found) implements Loss {
    @Override
    public String reason() {
      return found + " (noticed by another gateway)";
    }
  }

  /** An earlier process has noticed it, and the generation was not raised since. */
  record NoticedBefore(String reason) implements Loss {}
}
