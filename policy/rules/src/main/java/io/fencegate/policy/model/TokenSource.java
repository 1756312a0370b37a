/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.model;

import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.SigningKey;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Who issues a resource's fencing tokens. */
public sealed interface TokenSource {

  /** Fencegate's own locks and elections. */
  record Locks() implements TokenSource {}

  /**
   * Somebody else. The gateway cannot know what was issued, so it bounds what it believes: a forged
   * token can move the epoch by {@code maxJump} at most.
   *
   * @param start the lowest first token; the highest is {@code maxJump} above it
   * @param maxJump by how much a token may be above the epoch; 1 or more
   * @param key every token has to be signed with; empty where none has to
   */
  record External(FencingToken start, long maxJump, Optional<SigningKey> key)
      implements TokenSource {
    public External {
      if (maxJump < 1) {
        throw new IllegalArgumentException("maxJump " + maxJump + " is below 1");
      }
    }
  }

  /**
   * An election or lock that other clients of the gateway's own etcd hold among themselves, by
   * etcd's usual recipe: each candidate has a key under one prefix, on a lease of its own, and the
   * one that was created first leads. Its create revision is its token.
   *
   * @param prefix ends in {@code /}; may have variables of the policy's match, as {@code {name}}
   */
  record Election(String prefix) implements TokenSource {

    private static final Pattern VARIABLE = Pattern.compile("\\{([^{}]*)\\}");

    /** The variables that the prefix has. */
    public List<String> variables() {
      return VARIABLE.matcher(prefix).results().map(found -> found.group(1)).toList();
    }

    /** The prefix of one resource's election. */
    public String prefixFor(Map<String, String> variables) {
      return VARIABLE
          .matcher(prefix)
          .replaceAll(
              found ->
                  Matcher.quoteReplacement(variables.getOrDefault(found.group(1), found.group())));
    }
  }

  default String wireName() {
    return fold(() -> "lock", external -> "external", election -> "etcd-election");
  }

  default <R> R fold(
      Supplier<? extends R> locks,
      Function<? super External, ? extends R> external,
      Function<? super Election, ? extends R> election) {
    if (this instanceof Election it) {
      return election.apply(it);
    }
    return this instanceof External it ? external.apply(it) : locks.get();
  }
}
