/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fencegate.adapter.spi.OperationCall;
import io.fencegate.adapter.spi.ParamValue;
import io.fencegate.adapter.spi.WriteContent;
import io.fencegate.policy.fence.WriteHeader;
import io.fencegate.policy.model.Operation;
import io.fencegate.policy.model.ResourcePolicy;
import io.fencegate.policy.name.IdempotencyKey;
import io.fencegate.policy.name.OperationName;
import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.LeaseId;
import io.fencegate.policy.token.LeaseProof;
import io.fencegate.policy.token.TokenSignature;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Write requests from headers and JSON, pure. */
final class WriteRequestParser {

  static final String TOKEN = "Fencing-Token";
  static final String LEASE = "Fencing-Lease";
  static final String SIGNATURE = "Fencing-Token-Signature";
  static final String KEY = "Idempotency-Key";
  static final String DEADLINE = "Fencing-Deadline-Ms";

  /** Calls in one write: what still fits a transaction of a few milliseconds. */
  private static final int MAX_CALLS = 100;

  /** A caller's longest authority that is told apart from none at all: a day. */
  private static final long MAX_DEADLINE_MILLIS = 86_400_000;

  private static final List<String> ONE_CALL = List.of("operation", "params");
  private static final List<String> BODY = List.of("operation", "params", "operations");

  private WriteRequestParser() {}

  /**
   * What the headers say, as the policy wants it.
   *
   * @param fence null where a write in shadow came without a token
   */
  record Headers(
      @Nullable WriteHeader fence, Optional<IdempotencyKey> key, Optional<Long> deadlineMillis) {}

  static Ruling<Headers> headers(MultiMap headers, ResourcePolicy policy) {
    return fence(headers, policy)
        .then(
            fence ->
                single(headers, KEY, RefusalCode.INVALID_REQUEST, IdempotencyKey::parse)
                    .then(key -> required(key, policy))
                    .then(
                        key ->
                            deadline(headers).map(d -> new Headers(fence.orElse(null), key, d))));
  }

  /** A seal shows the same fence and takes no key. */
  static Ruling<Headers> sealHeaders(MultiMap headers, ResourcePolicy policy) {
    return fence(headers, policy)
        .then(
            fence ->
                deadline(headers).map(d -> new Headers(fence.orElse(null), Optional.empty(), d)));
  }

  /** Empty only where a write in shadow came without a token. */
  private static Ruling<Optional<WriteHeader>> fence(MultiMap headers, ResourcePolicy policy) {
    return single(headers, TOKEN, RefusalCode.INVALID_TOKEN, FencingToken::parse)
        .then(
            token ->
                single(headers, LEASE, RefusalCode.INVALID_REQUEST, LeaseId::parse)
                    .then(lease -> fence(token, lease, policy)))
        .then(
            fence ->
                single(headers, SIGNATURE, RefusalCode.INVALID_TOKEN, TokenSignature::parse)
                    .map(signature -> fence.map(it -> signed(it, signature))));
  }

  private static Ruling<Optional<Long>> deadline(MultiMap headers) {
    return single(headers, DEADLINE, RefusalCode.INVALID_REQUEST, WriteRequestParser::millis);
  }

  private static WriteHeader signed(WriteHeader header, Optional<TokenSignature> signature) {
    return new WriteHeader(header.token(), header.proof(), signature.orElse(null));
  }

  /** What is missing is refused; in shadow it is judged later, as every other reason for a no. */
  private static Ruling<Optional<WriteHeader>> fence(
      Optional<FencingToken> token, Optional<LeaseId> lease, ResourcePolicy policy) {
    boolean leaseRequired = policy.lease().required();
    if (!policy.fencing().isShadow()) {
      if (token.isEmpty()) {
        return Ruling.refused(
            RefusalCode.TOKEN_REQUIRED
                .because("no Fencing-Token header was given, expected the token of the lock")
                .atField(TOKEN));
      }
      if (leaseRequired && lease.isEmpty()) {
        return Ruling.refused(
            RefusalCode.LEASE_REQUIRED
                .because("no Fencing-Lease header was given, expected the lock's leaseId")
                .atField(LEASE));
      }
    }
    @Nullable LeaseProof proof = leaseRequired ? lease.map(LeaseId::proof).orElse(null) : null;
    return Ruling.granted(token.map(given -> new WriteHeader(given, proof)));
  }

  private static Ruling<Optional<IdempotencyKey>> required(
      Optional<IdempotencyKey> key, ResourcePolicy policy) {
    return key.isEmpty() && policy.idempotency().required()
        ? Ruling.refused(
            RefusalCode.IDEMPOTENCY_KEY_REQUIRED
                .because("no Idempotency-Key header was given, the policy requires one")
                .atField(KEY))
        : Ruling.granted(key);
  }

  private static Parsed<Long> millis(String text) {
    boolean number = text.matches("[1-9][0-9]{0,8}");
    return number && Long.parseLong(text) <= MAX_DEADLINE_MILLIS
        ? Parsed.valid(Long.valueOf(text))
        : Parsed.malformed(text, "milliseconds from 1 to " + MAX_DEADLINE_MILLIS);
  }

  /** A header that may come once at most. */
  private static <T> Ruling<Optional<T>> single(
      MultiMap headers, String name, RefusalCode code, Function<String, Parsed<T>> parser) {
    List<String> values = headers.getAll(name);
    if (values.isEmpty()) {
      return Ruling.granted(Optional.empty());
    }
    if (values.size() > 1) {
      return Ruling.refused(
          code.because(name + " was given " + values.size() + " times, expected once")
              .atField(name));
    }
    return parser
        .apply(values.get(0))
        .fold(
            value -> Ruling.granted(Optional.of(value)),
            bad -> Ruling.refused(Refusal.malformed(code, name, bad)));
  }

  static Ruling<WriteContent> content(
      Buffer body, ResourcePolicy policy, Map<String, String> variables) {
    return JsonFields.parse(body, BODY)
        .then(fields -> calls(fields, policy))
        .map(calls -> new WriteContent(variables, calls));
  }

  private static Ruling<List<OperationCall>> calls(JsonFields fields, ResourcePolicy policy) {
    JsonNode many = fields.node("operations");
    if (many == null) {
      return call(fields, "", policy).map(List::of);
    }
    if (fields.node("operation") != null || fields.node("params") != null) {
      return Ruling.refused(
          RefusalCode.INVALID_REQUEST
              .because("both operation and operations were given, expected one of them")
              .atField("operations"));
    }
    if (!(many instanceof ArrayNode array) || array.isEmpty() || array.size() > MAX_CALLS) {
      return Ruling.refused(
          RefusalCode.INVALID_REQUEST
              .because("operations: expected an array of 1 to " + MAX_CALLS + " objects")
              .atField("operations"));
    }
    return calls(array, policy);
  }

  private static Ruling<List<OperationCall>> calls(ArrayNode array, ResourcePolicy policy) {
    List<OperationCall> calls = new ArrayList<>();
    for (int i = 0; i < array.size(); i++) {
      String path = "operations[" + i + "].";
      Ruling<OperationCall> call =
          array.get(i) instanceof ObjectNode object
              ? JsonFields.of(object, path, ONE_CALL).then(f -> call(f, path, policy))
              : Ruling.refused(
                  RefusalCode.INVALID_REQUEST
                      .because("operations[" + i + "]: expected an object")
                      .atField("operations[" + i + "]"));
      Optional<Refusal> refusal =
          call.fold(
              value -> {
                calls.add(value);
                return Optional.empty();
              },
              Optional::of);
      if (refusal.isPresent()) {
        return Ruling.refused(refusal.get());
      }
    }
    return Ruling.granted(calls);
  }

  private static Ruling<OperationCall> call(JsonFields fields, String path, ResourcePolicy policy) {
    Optional<OperationName> name =
        fields.requiredText("operation", RefusalCode.INVALID_REQUEST, OperationName::parse);
    JsonNode params = fields.node("params");
    if (params != null && !params.isObject()) {
      fields.wrong("params", JsonFields.kind(params), "an object");
    }
    if (fields.problem().isPresent()) {
      return Ruling.refused(fields.problem().get());
    }
    Operation operation = policy.operations().get(name.orElseThrow());
    if (operation == null) {
      return Ruling.refused(
          RefusalCode.UNKNOWN_OPERATION
              .because(
                  "operation "
                      + name.get()
                      + " was given, the policy has "
                      + policy.operations().keySet())
              .atField(path + "operation"));
    }
    return Ruling.granted(new OperationCall(operation, values(params), path + "params"));
  }

  private static Map<String, ParamValue> values(@Nullable JsonNode params) {
    Map<String, ParamValue> values = new LinkedHashMap<>();
    if (params != null) {
      params.properties().forEach(entry -> values.put(entry.getKey(), value(entry.getValue())));
    }
    return values;
  }

  private static ParamValue value(JsonNode node) {
    return switch (node.getNodeType()) {
      case STRING -> new ParamValue.Text(node.textValue());
      case NUMBER -> new ParamValue.Num(node.asText());
      case BOOLEAN -> new ParamValue.Bool(node.booleanValue());
      case ARRAY, OBJECT, POJO -> new ParamValue.Json(JsonFields.text(node));
      case NULL, MISSING, BINARY -> new ParamValue.Null();
    };
  }
}
