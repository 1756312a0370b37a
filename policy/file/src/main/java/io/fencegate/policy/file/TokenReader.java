/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.file;

import io.fencegate.policy.model.Enforcement;
import io.fencegate.policy.model.FencingPolicy;
import io.fencegate.policy.model.TokenSource;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.SigningKey;
import java.util.List;
import java.util.Optional;

/** Reads {@code enforcement} and {@code token} of one policy, and what they mean for the lease. */
final class TokenReader {

  private static final String EXTERNAL = "external";
  private static final String ELECTION = "etcd-election";
  private static final List<String> OF_EXTERNAL = List.of("start", "maxJump", "hmacKey");
  private static final long DEFAULT_START = 1;
  private static final long DEFAULT_JUMP = 1_000;

  private final Fields policy;
  private final Fields token;
  private final List<String> variables;
  private final Problems problems;

  /**
   * A reader.
   *
   * @param variables of the policy's match
   */
  TokenReader(Fields policy, List<String> variables, Problems problems) {
    this.variables = variables;
    this.policy = policy;
    this.token = policy.in("token");
    this.problems = problems;
  }

  FencingPolicy read() {
    boolean shadow =
        policy.text("enforcement").map(Enforcement.SHADOW.wireName()::equals).orElse(false);
    return new FencingPolicy(shadow ? Enforcement.SHADOW : Enforcement.ENFORCE, source());
  }

  private TokenSource source() {
    String source = token.text("source").orElse("");
    if (!token.isBlamed("source")) {
      if (!source.equals(EXTERNAL)) {
        OF_EXTERNAL.forEach(key -> belongsTo(key, EXTERNAL));
      }
      if (!source.equals(ELECTION)) {
        belongsTo("prefix", ELECTION);
      }
    }
    return switch (source) {
      case EXTERNAL -> external();
      case ELECTION -> election();
      default -> new TokenSource.Locks();
    };
  }

  private TokenSource external() {
    refuseLease(EXTERNAL);
    return new TokenSource.External(
        new FencingToken(token.integer("start").orElse(DEFAULT_START)),
        token.integer("maxJump").orElse(DEFAULT_JUMP),
        key());
  }

  /** The variables of the prefix have to be of the match, or all resources would share a name. */
  private TokenSource election() {
    refuseLease(ELECTION);
    Optional<String> prefix = token.text("prefix");
    if (prefix.isEmpty() && !token.isBlamed("prefix")) {
      policy
          .node("token")
          .ifPresent(
              node ->
                  problems.blame(
                      Node.pointer(node.pointer(), "prefix"),
                      node.place(),
                      "nothing",
                      "the beginning of the candidates' keys in etcd"));
    }
    TokenSource.Election election = new TokenSource.Election(prefix.orElse("/"));
    if (!variables.containsAll(election.variables())) {
      token
          .node("prefix")
          .ifPresent(node -> problems.blame(node, "no variables but those of match, " + variables));
    }
    return election;
  }

  private void refuseLease(String source) {
    if (policy.in("lease").flag("required").orElse(false)) {
      policy
          .in("lease")
          .node("required")
          .ifPresent(
              node ->
                  problems.blame(
                      node,
                      "false or nothing: tokens of source " + source + " have no lease here"));
    }
  }

  /** What was given is told by its length only. */
  private Optional<SigningKey> key() {
    return token
        .text("hmacKey")
        .flatMap(
            text ->
                SigningKey.parse(text)
                    .fold(
                        Optional::of,
                        bad -> {
                          token
                              .node("hmacKey")
                              .ifPresent(
                                  node ->
                                      problems.blame(
                                          node.pointer(),
                                          node.place(),
                                          bad.given(),
                                          bad.expected()));
                          return Optional.empty();
                        }));
  }

  private void belongsTo(String key, String source) {
    token
        .node(key)
        .ifPresent(node -> problems.blame(node, "no such key: it belongs to source " + source));
  }
}
