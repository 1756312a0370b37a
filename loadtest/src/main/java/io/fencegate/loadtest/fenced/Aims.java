/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fencegate.loadtest.measure.Spread;
import java.util.List;
import java.util.Locale;

/**
 * How the fenced write is to compare, and how it does: the median of the rounds' ratios. Pure.
 *
 * <p>What is not fenced has no body, so it is held against the fenced write without one. Of the two
 * places for the check service the faster counts.
 */
final class Aims {

  private static final double OF_UNFENCED = 0.9;
  private static final double OF_NGINX = 1.0;
  private static final double OF_AUTH_REQUEST = 1.5;
  private static final double P99_OF_NGINX = 2.0;

  private final Figures figures;

  private Aims(Figures figures) {
    this.figures = figures;
  }

  /** What became of an aim. */
  enum Verdict {
    MET,
    MISSED,
    /** A request failed in one of its rows, so it says nothing. */
    VOID,
    NOT_MEASURED;

    String wireName() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /**
   * One comparison.
   *
   * @param of what is compared, for people
   * @param values of the fenced write, by round
   * @param base of what it is held against
   */
  private record Aim(
      Way way, Way against, String of, List<Double> values, List<Double> base, Bound bound) {}

  /**
   * What the ratio is to be.
   *
   * @param atLeast whether that is the least; the most otherwise
   */
  private record Bound(double ratio, boolean atLeast) {
    boolean holds(double value) {
      return atLeast ? value >= ratio : value <= ratio;
    }
  }

  /** One entry for each aim. */
  static ArrayNode json(Figures figures) {
    Aims aims = new Aims(figures);
    ArrayNode json = JsonNodeFactory.instance.arrayNode();
    json.add(aims.rate(Way.FENCED_BARE, Way.UNFENCED, OF_UNFENCED));
    json.add(aims.rate(Way.FENCED, Way.NGINX, OF_NGINX));
    json.add(aims.rate(Way.FENCED, aims.fasterAuthRequest(), OF_AUTH_REQUEST));
    json.add(
        aims.entry(
            new Aim(
                Way.FENCED,
                Way.NGINX,
                "p99",
                figures.p99Millis(Way.FENCED),
                figures.p99Millis(Way.NGINX),
                new Bound(P99_OF_NGINX, false))));
    return json;
  }

  private ObjectNode rate(Way way, Way against, double atLeast) {
    return entry(
        new Aim(
            way,
            against,
            "requests/s",
            figures.rates(way),
            figures.rates(against),
            new Bound(atLeast, true)));
  }

  private Way fasterAuthRequest() {
    if (!figures.isMeasured(Way.NGINX_AUTH) || !figures.isMeasured(Way.NGINX_AUTH_APART)) {
      return figures.isMeasured(Way.NGINX_AUTH) ? Way.NGINX_AUTH : Way.NGINX_AUTH_APART;
    }
    double same = Spread.of(figures.rates(Way.NGINX_AUTH)).median();
    double apart = Spread.of(figures.rates(Way.NGINX_AUTH_APART)).median();
    return same > apart ? Way.NGINX_AUTH : Way.NGINX_AUTH_APART;
  }

  private ObjectNode entry(Aim aim) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("of", aim.of()).put("row", aim.way().key()).put("against", aim.against().key());
    json.put("bound", aim.bound().ratio()).put("atLeast", aim.bound().atLeast());
    if (!figures.isMeasured(aim.way()) || !figures.isMeasured(aim.against())) {
      return json.put("verdict", Verdict.NOT_MEASURED.wireName());
    }
    Spread ratio = Spread.of(Spread.ratios(aim.values(), aim.base()));
    ratio.putInto(json.putObject("ratio"), 3);
    return json.put("verdict", verdict(aim, ratio.median()).wireName());
  }

  private Verdict verdict(Aim aim, double ratio) {
    if (figures.errors(aim.way()) + figures.errors(aim.against()) > 0) {
      return Verdict.VOID;
    }
    return aim.bound().holds(ratio) ? Verdict.MET : Verdict.MISSED;
  }
}
