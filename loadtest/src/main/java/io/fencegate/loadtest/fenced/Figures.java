/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fencegate.loadtest.measure.Spread;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** What came of all rounds, by way. A way with an error in any round is void. */
final class Figures {

  private static final double MICROS_PER_MILLI = 1_000;

  private final Map<Way, List<RoundFigures>> rounds = new EnumMap<>(Way.class);

  void add(Way way, RoundFigures round) {
    rounds.computeIfAbsent(way, unused -> new ArrayList<>()).add(round);
  }

  boolean isMeasured(Way way) {
    return rounds.containsKey(way);
  }

  long errors(Way way) {
    return of(way).stream().mapToLong(round -> round.wrk().errors()).sum();
  }

  /** Requests per second, round by round. */
  List<Double> rates(Way way) {
    return each(way, round -> round.wrk().perSecond());
  }

  /** The 99th percentile, in milliseconds, round by round. */
  List<Double> p99Millis(Way way) {
    return each(way, round -> round.wrk().p99Micros() / MICROS_PER_MILLI);
  }

  private List<RoundFigures> of(Way way) {
    return rounds.getOrDefault(way, List.of());
  }

  private List<Double> each(Way way, ToDoubleFunction<RoundFigures> value) {
    return of(way).stream().mapToDouble(value).boxed().toList();
  }

  /** One entry for each way that was measured. */
  ArrayNode json() {
    ArrayNode rows = JsonNodeFactory.instance.arrayNode();
    rounds.keySet().forEach(way -> put(rows.addObject(), way));
    return rows;
  }

  private void put(ObjectNode row, Way way) {
    row.put("key", way.key());
    row.put("name", way.title());
    row.put("requests", of(way).stream().mapToLong(round -> round.wrk().requests()).sum());
    row.put("errors", errors(way));
    row.put("void", errors(way) > 0);
    Spread.of(rates(way)).putInto(row.putObject("perSecond"), 0);
    Spread.of(each(way, round -> round.wrk().p50Micros() / MICROS_PER_MILLI))
        .putInto(row.putObject("p50Ms"), 2);
    Spread.of(p99Millis(way)).putInto(row.putObject("p99Ms"), 2);
    Spread.of(each(way, RoundFigures::cpuMicrosPerRequest))
        .putInto(row.putObject("cpuMicrosPerRequest"), 1);
    Spread.of(each(way, RoundFigures::proxyCorePercent))
        .putInto(row.putObject("proxyCorePercent"), 0);
    Spread.of(each(way, RoundFigures::loadCorePercent))
        .putInto(row.putObject("loadCorePercent"), 0);
  }
}
