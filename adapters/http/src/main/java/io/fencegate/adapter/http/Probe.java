/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.http;

import io.fencegate.adapter.spi.ForwardOutcome;
import io.fencegate.adapter.spi.ProxiedRequest;
import io.fencegate.adapter.spi.ReconcileOutcome;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How the service is asked what became of a write. Looking would prove nothing, since a write may
 * land right after a look that did not find it; so the question closes the write's door unless it
 * has been applied, and only an answer that says so is one.
 */
record Probe(String before, String after) {

  /** What a write is called, on the write itself and in the question. */
  static final String WRITE_ID = "Fencing-Write-Id";

  private static final String ID = "{id}";
  private static final Pattern PATH =
      Pattern.compile("/[A-Za-z0-9._~/-]{0,200}\\{id\\}[A-Za-z0-9._~/-]{0,200}");
  private static final int APPLIED = 200;
  private static final int CLOSED = 410;

  /** Empty where it is no path with one {@code {id}}. */
  static Optional<Probe> of(@Nullable Object path) {
    if (!(path instanceof String text) || !PATH.matcher(text).matches()) {
      return Optional.empty();
    }
    int at = text.indexOf(ID);
    return Optional.of(new Probe(text.substring(0, at), text.substring(at + ID.length())));
  }

  /** As the file has it. */
  String path() {
    return before + ID + after;
  }

  Errand errand(String name, long deadlineNanos) {
    MultiMap headers =
        MultiMap.caseInsensitiveMultiMap().add(WRITE_ID, name).add(HttpHeaders.CONTENT_LENGTH, "0");
    ProxiedRequest request =
        new ProxiedRequest(
            "POST", before + name + after, headers, NoBody.INSTANCE, new OwnCaller());
    return new Errand(request, headers, Errand.Kind.READ, deadlineNanos);
  }

  /** A 404 is no proof: what is not known yet may still come. */
  static ReconcileOutcome outcome(ForwardOutcome outcome) {
    return outcome.fold(
        answered ->
            switch (answered.status()) {
              case APPLIED -> new ReconcileOutcome.Applied();
              case CLOSED -> new ReconcileOutcome.NeverApplied();
              default -> new ReconcileOutcome.StillUnknown("it answered " + answered.status());
            },
        () -> new ReconcileOutcome.StillUnknown("it was not asked"),
        () -> new ReconcileOutcome.StillUnknown("it was not asked"),
        refusal -> new ReconcileOutcome.StillUnknown(refusal.detail()),
        unknown -> new ReconcileOutcome.StillUnknown(unknown.reason()));
  }
}
