/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Draws sequences of steps: few resources, many repeats, much trouble. */
final class Script {

  static final int RESOURCES = 3;
  static final int LENGTH = 200;

  private static final int[] PAUSES_MILLIS = {400, 1_100, 1_100, 3_000, 11_500, 61_500};

  /** More than a bucket lives longer than it promises, less than a session outlives its gateway. */
  private static final int LATE_MILLIS = 3_000;

  private final Random random;
  private final int[] requests = new int[RESOURCES];

  private Script(Random random) {
    this.random = random;
  }

  static List<Step> draw(Random random) {
    Script script = new Script(random);
    List<Step> steps = new ArrayList<>();
    while (steps.size() < LENGTH) {
      if (random.nextInt(60) == 0) {
        steps.addAll(script.lateRenewal(script.resource()));
      } else {
        steps.add(script.next());
      }
    }
    return steps;
  }

  /** So much has to come together that chance alone seldom does it. */
  private List<Step> lateRenewal(int resource) {
    Call renewal = new Call(Call.What.RENEW, resource, 0, 0, false, false);
    return List.of(
        new Step.PastEnd(resource),
        new Step.Calls(
            List.of(
                new Call(
                    Call.What.ACQUIRE, resource, requests[resource]++, gateway(), false, false)),
            WireFault.NONE),
        new Step.Crash(renewal, new WireFault(WireFault.Kind.DELAY, random.nextInt(2), 1)),
        new Step.Pass(LATE_MILLIS),
        new Step.Calls(List.of(renewal), fault()),
        new Step.DeliverLate(),
        new Step.NearEnd(resource),
        new Step.Calls(List.of(renewal), WireFault.NONE));
  }

  private Step next() {
    int dice = random.nextInt(100);
    int resource = resource();
    if (dice < 1) {
      return new Step.Calls(List.of(hastily(call(resource))), new WireFault(kind(), 0, 2));
    } else if (dice < 62) {
      return new Step.Calls(List.of(call(resource)), fault());
    } else if (dice < 74) {
      return together(resource);
    } else if (dice < 79) {
      Call call = call(resource);
      return new Step.Crash(random.nextInt(4) == 0 ? call.waiting() : call, trouble());
    } else if (dice < 86) {
      return random.nextInt(8) == 0 ? new Step.DropLate() : new Step.DeliverLate();
    } else if (dice < 90) {
      return new Step.NearEnd(resource);
    } else if (dice < 93) {
      return new Step.PastEnd(resource);
    } else if (dice < 99) {
      return new Step.Pass(PAUSES_MILLIS[random.nextInt(PAUSES_MILLIS.length)]);
    }
    return new Step.RaiseGeneration();
  }

  private int gateway() {
    return random.nextInt(World.GATEWAYS);
  }

  /** The first resource gets half of everything. */
  private int resource() {
    return Math.max(0, random.nextInt(2 * RESOURCES - 2) - RESOURCES + 2);
  }

  private Step together(int resource) {
    List<Call> calls = new ArrayList<>();
    int count = 2 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      Call call = call(random.nextInt(4) == 0 ? resource() : resource);
      calls.add(random.nextInt(5) == 0 ? call.waiting() : call);
    }
    return new Step.Calls(calls, fault());
  }

  private Call call(int resource) {
    int dice = random.nextInt(100);
    int gateway = gateway();
    if (dice < 42) {
      int request = request(resource);
      boolean changed = random.nextInt(12) == 0;
      return new Call(Call.What.ACQUIRE, resource, request, gateway, changed, false);
    }
    Call.What what =
        dice < 62
            ? Call.What.RENEW
            : dice < 84 ? Call.What.RELEASE : dice < 95 ? Call.What.VERIFY : Call.What.SHOW;
    return new Call(what, resource, back(), gateway, false, false);
  }

  /** A new request, or one of those before it. */
  private int request(int resource) {
    int next = requests[resource];
    if (next == 0 || random.nextInt(100) < 60) {
      requests[resource]++;
      return next;
    }
    return Math.max(0, next - 1 - random.nextInt(random.nextBoolean() ? 4 : 12));
  }

  private int back() {
    return random.nextInt(100) < 65 ? 0 : random.nextInt(4);
  }

  private WireFault fault() {
    return random.nextInt(100) < 25 ? trouble() : WireFault.NONE;
  }

  /** Two batches in a row cost a pause before the next attempt, so they are rare. */
  private WireFault trouble() {
    int skip = random.nextInt(4) == 0 ? 1 : 0;
    return new WireFault(kind(), skip, random.nextInt(50) == 0 ? 2 : 1);
  }

  private WireFault.Kind kind() {
    return random.nextBoolean() ? WireFault.Kind.LOSE_REPLY : WireFault.Kind.DELAY;
  }

  /** With two batches lost, it ends in doubt. */
  private static Call hastily(Call call) {
    return new Call(
        call.what(), call.resource(), call.which(), call.gateway(), call.changed(), true);
  }
}
