/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import io.fencegate.policy.freeze.FreezeScope;
import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** What operators ask for, from JSON. */
public final class OperatorRequests {

  /** A reason and a name are far below this. */
  private static final int MAX_BODY_BYTES = 8 * 1024;

  /** It stands in every audit line of the call. */
  private static final int MAX_REASON_CHARS = 512;

  private OperatorRequests() {}

  /**
   * Take a lock from its holder.
   *
   * @param token only from the holder with this token
   */
  public record Break(ResourceName resource, Optional<FencingToken> token, String reason) {}

  /** Raise the generation. */
  public record Raise(String reason) {}

  /**
   * Put a policy in force in another form.
   *
   * @param withdraw out of force, rather
   */
  public record SwitchOver(boolean withdraw, String reason) {}

  public static Future<Ruling<SwitchOver>> readSwitch(HttpServerRequest request) {
    return JsonBody.read(request, MAX_BODY_BYTES)
        .map(body -> body.then(OperatorRequests::parseSwitch));
  }

  private static Ruling<SwitchOver> parseSwitch(Buffer body) {
    return JsonFields.parse(body, List.of("withdraw", "reason"))
        .then(
            fields -> {
              boolean withdraw = flag(fields, "withdraw");
              Optional<String> reason = reason(fields);
              return ruling(fields, () -> new SwitchOver(withdraw, reason.orElseThrow()));
            });
  }

  /**
   * Stop writes.
   *
   * @param local on the gateway that is asked, and on no other
   */
  public record Stop(FreezeScope scope, boolean local, String reason) {}

  /**
   * Declare writes in doubt settled.
   *
   * @param as {@code applied} or {@code rejected}
   */
  public record Resolve(String id, String as, String reason) {}

  public static Future<Ruling<Resolve>> readResolve(HttpServerRequest request, String id) {
    return JsonBody.read(request, MAX_BODY_BYTES)
        .map(body -> body.then(it -> parseResolve(it, id)));
  }

  private static Ruling<Resolve> parseResolve(Buffer body, String id) {
    if (!id.matches("[A-Za-z0-9_-]{1,64}")) {
      return Ruling.refused(
          RefusalCode.INVALID_REQUEST
              .because("id: " + Parsed.show(id) + " was given, expected one of GET unresolved")
              .atField("id"));
    }
    return JsonFields.parse(body, List.of("as", "reason"))
        .then(
            fields -> {
              Optional<String> as =
                  fields.requiredText("as", RefusalCode.INVALID_REQUEST, OperatorRequests::parseAs);
              Optional<String> reason = reason(fields);
              return ruling(fields, () -> new Resolve(id, as.orElseThrow(), reason.orElseThrow()));
            });
  }

  private static Parsed<String> parseAs(String text) {
    return text.equals("applied") || text.equals("rejected")
        ? Parsed.valid(text)
        : Parsed.malformed(text, "applied or rejected");
  }

  public static Future<Ruling<Break>> readBreak(HttpServerRequest request) {
    return JsonBody.read(request, MAX_BODY_BYTES)
        .map(body -> body.then(OperatorRequests::parseBreak));
  }

  private static Ruling<Break> parseBreak(Buffer body) {
    return JsonFields.parse(body, List.of("resource", "fencingToken", "reason"))
        .then(
            fields -> {
              Optional<ResourceName> resource =
                  fields.requiredText(
                      "resource", RefusalCode.INVALID_RESOURCE, ResourceName::parse);
              Optional<FencingToken> token = token(fields);
              Optional<String> reason = reason(fields);
              return ruling(
                  fields, () -> new Break(resource.orElseThrow(), token, reason.orElseThrow()));
            });
  }

  /** The reason alone. */
  public static Future<Ruling<String>> readReason(HttpServerRequest request) {
    return JsonBody.read(request, MAX_BODY_BYTES)
        .map(
            body ->
                body.then(
                    bytes ->
                        JsonFields.parse(bytes, List.of("reason"))
                            .then(
                                fields -> {
                                  Optional<String> reason = reason(fields);
                                  return ruling(fields, reason::orElseThrow);
                                })));
  }

  public static Future<Ruling<Stop>> readStop(HttpServerRequest request) {
    return JsonBody.read(request, MAX_BODY_BYTES)
        .map(body -> body.then(OperatorRequests::parseStop));
  }

  private static Ruling<Stop> parseStop(Buffer body) {
    return JsonFields.parse(body, List.of("scope", "target", "local", "reason"))
        .then(
            fields -> {
              Optional<FreezeScope> scope =
                  fields
                      .requiredText("scope", RefusalCode.INVALID_REQUEST, FreezeScope.Kind::parse)
                      .flatMap(kind -> scope(fields, kind));
              boolean local = flag(fields, "local");
              Optional<String> reason = reason(fields);
              return ruling(
                  fields, () -> new Stop(scope.orElseThrow(), local, reason.orElseThrow()));
            });
  }

  private static boolean flag(JsonFields fields, String name) {
    var node = fields.node(name);
    if (node == null) {
      return false;
    }
    if (!node.isBoolean()) {
      fields.wrong(name, node.toString(), "true or false");
    }
    return node.booleanValue();
  }

  private static Optional<FreezeScope> scope(JsonFields fields, FreezeScope.Kind kind) {
    RefusalCode code = RefusalCode.INVALID_REQUEST;
    return kind == FreezeScope.Kind.ALL
        ? fields
            .text("target", code, text -> FreezeScope.parse(kind, text))
            .or(() -> Optional.of(new FreezeScope.Everything()))
        : fields.requiredText("target", code, text -> FreezeScope.parse(kind, text));
  }

  public static Future<Ruling<Raise>> readRaise(HttpServerRequest request) {
    return JsonBody.read(request, MAX_BODY_BYTES)
        .map(body -> body.then(OperatorRequests::parseRaise));
  }

  private static Ruling<Raise> parseRaise(Buffer body) {
    return JsonFields.parse(body, List.of("raise", "reason"))
        .then(
            fields -> {
              var raise = fields.node("raise");
              if (raise == null || !raise.isBoolean() || !raise.booleanValue()) {
                fields.wrong(
                    "raise", raise == null ? "nothing" : raise.toString(), "true, to be sure");
              }
              Optional<String> reason = reason(fields);
              return ruling(fields, () -> new Raise(reason.orElseThrow()));
            });
  }

  private static <T> Ruling<T> ruling(JsonFields fields, Supplier<T> request) {
    Optional<Refusal> problem = fields.problem();
    return problem.isPresent() ? Ruling.refused(problem.get()) : Ruling.granted(request.get());
  }

  /** As a string or, as everywhere in requests, an integer. */
  private static Optional<FencingToken> token(JsonFields fields) {
    var node = fields.node("fencingToken");
    return node != null && node.isIntegralNumber()
        ? fields.number("fencingToken", 1, Long.MAX_VALUE).map(FencingToken::new)
        : fields.text("fencingToken", RefusalCode.INVALID_TOKEN, FencingToken::parse);
  }

  private static Optional<String> reason(JsonFields fields) {
    return fields.requiredText(
        "reason", RefusalCode.INVALID_REQUEST, OperatorRequests::parseReason);
  }

  private static Parsed<String> parseReason(String text) {
    boolean usable =
        !text.isBlank()
            && text.length() <= MAX_REASON_CHARS
            && text.chars().noneMatch(Character::isISOControl);
    return usable
        ? Parsed.valid(text)
        : Parsed.malformed(
            text, "1 to " + MAX_REASON_CHARS + " characters without control characters");
  }
}
