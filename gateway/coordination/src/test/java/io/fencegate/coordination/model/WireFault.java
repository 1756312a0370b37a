/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.model;

import java.util.ArrayList;
import java.util.List;

/**
 * What happens to batches of a gateway during a step, its heartbeats left alone.
 *
 * @param skip how many pass before
 * @param count how many are hit
 */
record WireFault(Kind kind, int skip, int count) {

  enum Kind {
    NONE,
    /** Committed, but nobody hears of it. */
    LOSE_REPLY,
    /** Arrives when it is let go, or never. */
    DELAY
  }

  static final WireFault NONE = new WireFault(Kind.NONE, 0, 0);

  boolean isNone() {
    return kind == Kind.NONE;
  }

  List<WireFault> simpler() {
    List<WireFault> simpler = new ArrayList<>();
    if (!isNone()) {
      simpler.add(NONE);
      if (skip > 0) {
        simpler.add(new WireFault(kind, 0, count));
      }
      if (count > 1) {
        simpler.add(new WireFault(kind, skip, 1));
      }
    }
    return simpler;
  }

  @Override
  public String toString() {
    if (isNone()) {
      return "";
    }
    return (kind == Kind.DELAY ? "; kept on the wire: " : "; replies lost: ")
        + count
        + (count == 1 ? " batch" : " batches")
        + (skip > 0 ? " after " + skip : "");
  }
}
