/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.lock;

/** What happens to a waiting call. All but the last four are answers to what it sent. */
sealed interface WaitEvent {

  /** One answer per kind of event. */
  interface Cases<T> {
    T placed(Placed event);

    T granted();

    T decidedElsewhere();

    T superseded();

    T vanished();

    T removed();

    T returned();

    T refused();

    T inDoubt();

    T nudged();

    T due();

    T ended(Ended event);
  }

  <T> T fold(Cases<T> cases);

  /**
   * Its entry stands.
   *
   * @param myTurn whether the lock may be free for it
   */
  record Placed(long place, boolean myTurn) implements WaitEvent {
    @Override
    public <T> T fold(Cases<T> cases) {
      return cases.placed(this);
    }
  }

  /** The caller's connection is gone, its time is over, or the gateway stops. */
  record Ended(WaitEnd why) implements WaitEvent {
    @Override
    public <T> T fold(Cases<T> cases) {
      return cases.ended(this);
    }
  }

  /** Events that say everything by their kind. */
  enum Plain implements WaitEvent {
    /** This very call was granted the lock. */
    GRANTED {
      @Override
      public <T> T fold(Cases<T> cases) {
        return cases.granted();
      }
    },
    /** Another call of the same request was granted it. */
    DECIDED_ELSEWHERE {
      @Override
      public <T> T fold(Cases<T> cases) {
        return cases.decidedElsewhere();
      }
    },
    /** A later call of the same request has taken the place over. */
    SUPERSEDED {
      @Override
      public <T> T fold(Cases<T> cases) {
        return cases.superseded();
      }
    },
    /** The entry is gone: cancelled, or it ran out. */
    VANISHED {
      @Override
      public <T> T fold(Cases<T> cases) {
        return cases.vanished();
      }
    },
    /** The entry was removed as this call asked for, or was never put. */
    REMOVED {
      @Override
      public <T> T fold(Cases<T> cases) {
        return cases.removed();
      }
    },
    /** The lock was given back, or runs out. */
    RETURNED {
      @Override
      public <T> T fold(Cases<T> cases) {
        return cases.returned();
      }
    },
    /** It was not let into the queue. */
    REFUSED {
      @Override
      public <T> T fold(Cases<T> cases) {
        return cases.refused();
      }
    },
    /** What was sent was not judged in time. */
    IN_DOUBT {
      @Override
      public <T> T fold(Cases<T> cases) {
        return cases.inDoubt();
      }
    },
    /** The lock may be free and nobody before it. */
    NUDGED {
      @Override
      public <T> T fold(Cases<T> cases) {
        return cases.nudged();
      }
    },
    /** Its entry has to be moved on, or looked after. */
    DUE {
      @Override
      public <T> T fold(Cases<T> cases) {
        return cases.due();
      }
    }
  }
}
