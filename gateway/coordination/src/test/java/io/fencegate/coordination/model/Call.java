/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One call of a sequence. It says what it is about by number, so that it keeps a meaning when calls
 * before it are left out.
 *
 * @param which of an acquire: the request, which also settles its principal and TTL; of a renewal,
 *     release or verification: the lease, counted back from the latest one granted
 * @param gateway 0 or 1
 * @param changed whether an acquire has other parameters than this request otherwise
 * @param hasty whether it gives up very soon
 */
record Call(What what, int resource, int which, int gateway, boolean changed, boolean hasty) {

  enum What {
    ACQUIRE,
    /** An acquire that waits for a short while. */
    WAIT,
    RENEW,
    RELEASE,
    VERIFY,
    SHOW
  }

  private static final List<Integer> TTL_SECONDS = List.of(30, 2, 5);

  String principal() {
    return "p" + which % 2;
  }

  /** Two principals use the same ids: they are different requests all the same. */
  String requestId() {
    return "q" + which / 2;
  }

  int ttlSeconds() {
    return TTL_SECONDS.get(which % TTL_SECONDS.size());
  }

  boolean isAcquire() {
    return what == What.ACQUIRE || what == What.WAIT;
  }

  /** The same acquire with a wait; any other call as it is. */
  Call waiting() {
    return what == What.ACQUIRE
        ? new Call(What.WAIT, resource, which, gateway, changed, hasty)
        : this;
  }

  List<Call> simpler() {
    List<Call> simpler = new ArrayList<>();
    if (hasty) {
      simpler.add(new Call(what, resource, which, gateway, changed, false));
    }
    if (changed) {
      simpler.add(new Call(what, resource, which, gateway, false, hasty));
    }
    if (what == What.WAIT) {
      simpler.add(new Call(What.ACQUIRE, resource, which, gateway, changed, hasty));
    }
    if (gateway > 0) {
      simpler.add(new Call(what, resource, which, 0, changed, hasty));
    }
    return simpler;
  }

  @Override
  public String toString() {
    String about =
        switch (what) {
          case ACQUIRE, WAIT ->
              " as " + principal() + "/" + requestId() + " for " + ttlSeconds() + " s";
          case RENEW, RELEASE, VERIFY -> which == 0 ? " latest lease" : " lease -" + which;
          case SHOW -> "";
        };
    return what.name().toLowerCase(Locale.ROOT)
        + " r"
        + resource
        + about
        + (changed ? ", other parameters" : "")
        + (hasty ? ", hastily" : "")
        + " on gateway "
        + gateway;
  }
}
