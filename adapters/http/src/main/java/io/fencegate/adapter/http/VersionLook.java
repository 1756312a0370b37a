/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.http;

import io.fencegate.adapter.spi.ForwardOutcome;
import io.fencegate.adapter.spi.ProxiedRequest;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads the version of what a write is to replace, as its caller sees it. */
final class VersionLook {

  /** A strong one, RFC 9110 section 8.8.3. */
  private static final Pattern STRONG = Pattern.compile("\"[\\x21\\x23-\\x7e\\x80-\\xff]*\"");

  /** What is about the write's own body, or would make the answer depend on a version. */
  private static final List<String> NOT_OF_A_LOOK =
      List.of(
          "accept-encoding",
          "content-encoding",
          "content-language",
          "content-range",
          "content-type",
          "idempotency-key",
          "if-match",
          "if-modified-since",
          "if-range",
          "if-unmodified-since",
          "prefer",
          "range");

  private static final Set<Integer> NOT_THERE = Set.of(404, 410);

  private final ProxiedRequest write;
  private final OwnCaller answer = new OwnCaller();

  VersionLook(ProxiedRequest write) {
    this.write = write;
  }

  Errand errand(long deadlineNanos) {
    MultiMap headers = PassingHeaders.there(write.headers());
    NOT_OF_A_LOOK.forEach(headers::remove);
    // Some services take such a look for another method: X-HTTP-Method-Override and its kin.
    headers.names().stream()
        .filter(it -> it.toLowerCase(Locale.ROOT).contains("method"))
        .toList()
        .forEach(headers::remove);
    return new Errand(
        new ProxiedRequest("HEAD", write.target(), headers, NoBody.INSTANCE, answer),
        headers,
        Errand.Kind.READ,
        deadlineNanos);
  }

  /** The version, or why there is none that a write could name. */
  Ruling<String> version(ForwardOutcome outcome) {
    return outcome.fold(
        answered -> answered(answered.status()),
        () -> Ruling.refused(unknown("was not sent")),
        () -> Ruling.refused(unknown("was refused")),
        Ruling::refused,
        unknown -> Ruling.refused(unknown("has no answer: " + unknown.reason())));
  }

  private Ruling<String> answered(int status) {
    if (NOT_THERE.contains(status)) {
      return Ruling.refused(
          RefusalCode.OPERATION_FAILED.because(
              "HEAD was answered "
                  + status
                  + ": what is not there has no version, so it cannot be created this way"));
    }
    if (!Settlement.succeeds(status)) {
      return Ruling.refused(unknown("was answered " + status));
    }
    List<String> given = answer.headers().getAll(HttpHeaders.ETAG);
    return given.size() == 1 && STRONG.matcher(given.get(0)).matches()
        ? Ruling.granted(given.get(0))
        : Ruling.refused(unknown("was answered without one strong ETag"));
  }

  private static Refusal unknown(String why) {
    return RefusalCode.DOWNSTREAM_UNAVAILABLE.because(
        "the version to replace is not known, HEAD " + why + "; nothing was changed");
  }
}
