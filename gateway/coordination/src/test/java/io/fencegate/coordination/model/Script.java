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

  private final Random random;
  private final int[] requests = new int[RESOURCES];

  private Script(Random random) {
    this.random = random;
  }

  static List<Step> draw(Random random) {
    Script script = new Script(random);
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < LENGTH; i++) {
      steps.add(script.next());
    }
    return steps;
  }

  private Step next() {
    int dice = random.nextInt(100);
    int resource = resource();
    if (dice < 62) {
      return new Step.Calls(List.of(call(resource)), fault());
    } else if (dice < 74) {
      return together(resource);
    } else if (dice < 79) {
      return new Step.Crash(call(resource), trouble());
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

  /** The first resource gets half of everything. */
  private int resource() {
    return Math.max(0, random.nextInt(2 * RESOURCES - 2) - RESOURCES + 2);
  }

  private Step together(int resource) {
    List<Call> calls = new ArrayList<>();
    int count = 2 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      calls.add(call(random.nextInt(4) == 0 ? resource() : resource));
    }
    return new Step.Calls(calls, fault());
  }

  private Call call(int resource) {
    int dice = random.nextInt(100);
    int gateway = random.nextInt(2);
    boolean hasty = random.nextInt(25) == 0;
    if (dice < 42) {
      int request = request(resource);
      boolean changed = random.nextInt(12) == 0;
      return new Call(Call.What.ACQUIRE, resource, request, gateway, changed, hasty);
    }
    Call.What what =
        dice < 62
            ? Call.What.RENEW
            : dice < 84 ? Call.What.RELEASE : dice < 95 ? Call.What.VERIFY : Call.What.SHOW;
    return new Call(what, resource, back(), gateway, false, hasty);
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

  private WireFault trouble() {
    return new WireFault(
        random.nextBoolean() ? WireFault.Kind.LOSE_REPLY : WireFault.Kind.DELAY,
        random.nextInt(4) == 0 ? 1 : 0,
        random.nextInt(5) == 0 ? 2 : 1);
  }
}
