/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import io.fencegate.policy.model.AcquirePolicy;
import io.fencegate.policy.model.FencingPolicy;
import io.fencegate.policy.model.Guarantee;
import io.fencegate.policy.model.IdempotencyPolicy;
import io.fencegate.policy.model.IdempotencyScope;
import io.fencegate.policy.model.LeasePolicy;
import io.fencegate.policy.model.Limits;
import io.fencegate.policy.model.Operation;
import io.fencegate.policy.model.ProxyPolicy;
import io.fencegate.policy.model.ResourcePattern;
import io.fencegate.policy.model.ResourcePolicy;
import io.fencegate.policy.model.UnresolvedPolicy;
import io.fencegate.policy.name.AdapterName;
import io.fencegate.policy.name.OperationName;
import io.fencegate.policy.name.PolicyName;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads one entry of {@code resources}; the schema has been checked before. */
final class ResourceReader {

  /** A lease longer than a day is a lock that nobody watches. */
  private static final Duration MAX_TTL = Duration.ofHours(24);

  /** Some 31 years; holding on longer than the format can say is no use. */
  private static final Duration MAX_HOLD = Duration.ofDays(11_574);

  private static final Duration MIN_KEYS = Duration.ofMinutes(1);
  private static final Duration MAX_KEYS = Duration.ofDays(30);
  private static final long MAX_BODY = 64L * 1024 * 1024;

  private final Problems problems;
  private final Node node;
  private final Fields fields;

  ResourceReader(Node node, Problems problems) {
    this.problems = problems;
    this.node = node;
    this.fields = new Fields(node, problems);
  }

  /** What could be read; everything else has been blamed. */
  Draft read() {
    Optional<PolicyName> name = fields.parsed("name", PolicyName::parse);
    Optional<ResourcePattern> match = fields.parsed("match", ResourcePattern::parse);
    Optional<AdapterName> adapter = fields.parsed("adapter", AdapterName::parse);
    Optional<Integer> priority =
        fields.isBlamed("priority")
            ? Optional.empty()
            : Optional.of(fields.integer("priority").map(Math::toIntExact).orElse(0));
    List<String> variables = match.map(ResourcePattern::variables).orElse(List.of());
    FencingPolicy fencing = new TokenReader(fields, variables, problems).read();
    LeasePolicy lease = lease(fields.in("lease"), fencing.isOfLocks());
    AcquirePolicy acquire = new WaitingReader(fields, problems).read();
    IdempotencyPolicy idempotency = idempotency(fields.in("idempotency"));
    Limits limits = limits(fields.in("limits"));
    Map<OperationName, Operation> operations = operations(variables);
    ProxyReader proxy = new ProxyReader(fields, problems);
    Optional<ProxyPolicy> http = proxy.read(variables);
    UnresolvedPolicy onUnresolved = proxy.unresolved();
    Optional<ResourcePolicy> policy =
        name.isEmpty() || match.isEmpty() || adapter.isEmpty()
            ? Optional.empty()
            : Optional.of(
                new ResourcePolicy(
                    name.get(),
                    match.get(),
                    priority.orElse(0),
                    adapter.get(),
                    guarantee(),
                    fencing,
                    lease,
                    acquire,
                    idempotency,
                    onUnresolved,
                    limits,
                    operations,
                    http));
    return new Draft(problems, node, name, match, priority, adapter, http, policy);
  }

  private Guarantee guarantee() {
    String text = fields.text("guarantee").orElse(Guarantee.STRICT.wireName());
    return Arrays.stream(Guarantee.values())
        .filter(guarantee -> guarantee.wireName().equals(text))
        .findAny()
        .orElse(Guarantee.STRICT);
  }

  private LeasePolicy lease(Fields given, boolean ofLocks) {
    LeasePolicy standard = LeasePolicy.DEFAULT;
    Duration ttl = given.duration("ttl", LeasePolicy.MIN_TTL, MAX_TTL).orElse(standard.ttl());
    Duration maxTtl =
        given.duration("maxTtl", LeasePolicy.MIN_TTL, MAX_TTL).orElse(standard.maxTtl());
    Duration maxHold =
        given.duration("maxHold", LeasePolicy.MIN_TTL, MAX_HOLD).orElse(standard.maxHold());
    ordered(given, new Term("ttl", ttl), new Term("maxTtl", maxTtl));
    ordered(given, new Term("maxTtl", maxTtl), new Term("maxHold", maxHold));
    return new LeasePolicy(
        ofLocks && given.flag("required").orElse(standard.required()), ttl, maxTtl, maxHold);
  }

  private record Term(String key, Duration value) {}

  /** The upper of two terms must not be below the lower; the one that the file names is blamed. */
  private void ordered(Fields given, Term lower, Term upper) {
    if (given.isBlamed(lower.key())
        || given.isBlamed(upper.key())
        || upper.value().compareTo(lower.value()) >= 0) {
      return;
    }
    boolean upperGiven = given.node(upper.key()).isPresent();
    Term other = upperGiven ? lower : upper;
    String source = given.node(other.key()).isPresent() ? "" : " where the policy says nothing";
    String bound = upperGiven ? "at least " : "at most ";
    String expected = bound + other.key() + ", which is " + Units.show(other.value()) + source;
    given
        .node(upperGiven ? upper.key() : lower.key())
        .ifPresent(culprit -> problems.blame(culprit, expected));
  }

  private IdempotencyPolicy idempotency(Fields given) {
    IdempotencyPolicy standard = IdempotencyPolicy.DEFAULT;
    boolean perResource =
        given.text("scope").map(IdempotencyScope.RESOURCE.wireName()::equals).orElse(false);
    return new IdempotencyPolicy(
        given.flag("required").orElse(standard.required()),
        given.duration("retention", MIN_KEYS, MAX_KEYS).orElse(standard.retention()),
        perResource ? IdempotencyScope.RESOURCE : IdempotencyScope.CALLER);
  }

  private Limits limits(Fields given) {
    Limits standard = Limits.DEFAULT;
    return new Limits(
        given.integer("maxInFlight").map(Math::toIntExact).orElse(standard.maxInFlight()),
        given
            .size("maxBody", MAX_BODY, "64MiB")
            .map(Math::toIntExact)
            .orElse(standard.maxBodyBytes()));
  }

  private Map<OperationName, Operation> operations(List<String> variables) {
    Map<OperationName, Operation> operations = new LinkedHashMap<>();
    if (fields.node("operations").orElse(null) instanceof Node.Mapping mapping) {
      mapping
          .entries()
          .forEach(
              (key, entry) -> {
                Fields given = new Fields(entry.value(), problems);
                Map<String, String> params = params(given.in("params"), variables, given);
                String sql = given.text("sql").orElse("");
                long minRows = given.integer("minRows").orElse(0L);
                OperationName.parse(key)
                    .fold(
                        name -> operations.put(name, new Operation(name, sql, params, minRows)),
                        bad -> null);
              });
    }
    return operations;
  }

  private Map<String, String> params(Fields types, List<String> variables, Fields operation) {
    Map<String, String> params = new LinkedHashMap<>();
    if (operation.node("params").orElse(null) instanceof Node.Mapping mapping) {
      mapping
          .entries()
          .forEach(
              (name, entry) -> {
                if (variables.contains(name)) {
                  problems.blame(
                      Node.pointer(mapping.pointer(), name),
                      entry.key(),
                      "the parameter '" + name + "'",
                      "another name: the policy's match binds :" + name);
                }
                types.text(name).ifPresent(type -> params.put(name, type));
              });
    }
    return params;
  }
}
