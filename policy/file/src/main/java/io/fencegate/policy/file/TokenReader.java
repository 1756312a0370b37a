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
  private static final List<String> OF_EXTERNAL = List.of("start", "maxJump", "hmacKey");
  private static final long DEFAULT_START = 1;
  private static final long DEFAULT_JUMP = 1_000;

  private final Fields policy;
  private final Fields token;
  private final Problems problems;

  TokenReader(Fields policy, Problems problems) {
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
    if (token.text("source").filter(EXTERNAL::equals).isEmpty()) {
      if (!token.isBlamed("source")) {
        OF_EXTERNAL.forEach(this::onlyOfExternal);
      }
      return new TokenSource.Locks();
    }
    if (policy.in("lease").flag("required").orElse(false)) {
      policy
          .in("lease")
          .node("required")
          .ifPresent(
              node ->
                  problems.blame(
                      node, "false or nothing: tokens of source external have no lease"));
    }
    return new TokenSource.External(
        new FencingToken(token.integer("start").orElse(DEFAULT_START)),
        token.integer("maxJump").orElse(DEFAULT_JUMP),
        key());
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

  private void onlyOfExternal(String key) {
    token
        .node(key)
        .ifPresent(node -> problems.blame(node, "no such key: it belongs to source external"));
  }
}
