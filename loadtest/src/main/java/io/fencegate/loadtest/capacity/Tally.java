/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.capacity;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/** What came of all calls, by phase of the run and by kind of call. Thread-safe. */
final class Tally {

  private record Slot(Phase phase, LockOp op) {}

  private static final class Figures {
    final Latencies latencies = new Latencies();
    final LongAdder ok = new LongAdder();
    final Map<String, LongAdder> errors = new ConcurrentSkipListMap<>();
  }

  private final Map<Slot, Figures> figures = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> lost = new ConcurrentSkipListMap<>();

  void ok(Phase phase, LockOp op, long millis) {
    Figures all = of(phase, op);
    all.latencies.add(millis);
    all.ok.increment();
  }

  /**
   * A call that was not answered as it should.
   *
   * @param code the gateway's, or what else there is to say
   */
  void failed(Phase phase, LockOp op, long millis, String code) {
    Figures all = of(phase, op);
    all.latencies.add(millis);
    all.errors.computeIfAbsent(code, unused -> new LongAdder()).increment();
  }

  /** A lease was lost, or a token is not what it has to be. */
  void lost(String how) {
    lost.computeIfAbsent(how, unused -> new LongAdder()).increment();
  }

  long lostLeases() {
    return lost.values().stream().mapToLong(LongAdder::sum).sum();
  }

  private Figures of(Phase phase, LockOp op) {
    return figures.computeIfAbsent(new Slot(phase, op), unused -> new Figures());
  }

  /** All figures; rates are per second of each phase. */
  ObjectNode json(LoadPlan plan) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("lostLeases", lostLeases());
    lost.forEach((how, count) -> json.withObject("/lost").put(how, count.sum()));
    for (Phase phase : Phase.values()) {
      for (LockOp op : LockOp.values()) {
        Figures all = figures.get(new Slot(phase, op));
        if (all != null) {
          all.latencies.addTo(
              put(
                  json.withObject("/phases/" + phase.wireName()).putObject(op.wireName()),
                  all,
                  plan.seconds(phase)));
        }
      }
    }
    return json;
  }

  private static ObjectNode put(ObjectNode json, Figures all, double seconds) {
    json.put("okPerSecond", Math.round(all.ok.sum() / Math.max(0.001, seconds) * 10) / 10.0);
    ObjectNode errors = json.putObject("errors");
    all.errors.forEach((code, count) -> errors.put(code, count.sum()));
    return json;
  }
}
