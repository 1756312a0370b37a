/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.freeze;

import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.name.PolicyName;
import io.fencegate.policy.name.ResourceName;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;

/** Which writes a freeze stops. */
public sealed interface FreezeScope {

  /** What a scope goes by. */
  enum Kind {
    RESOURCE,
    PREFIX,
    POLICY,
    ALL;

    public String wireName() {
      return name().toLowerCase(Locale.ROOT);
    }

    public static Parsed<Kind> parse(String text) {
      return Arrays.stream(values())
          .filter(kind -> kind.wireName().equals(text))
          .findFirst()
          .map(Parsed::valid)
          .orElseGet(() -> Parsed.malformed(text, "resource, prefix, policy or all"));
    }
  }

  /** The writes to one resource. */
  record OfResource(ResourceName name) implements FreezeScope {
    @Override
    public boolean covers(ResourceName resource, PolicyName policy) {
      return resource.equals(name);
    }

    @Override
    public Kind kind() {
      return Kind.RESOURCE;
    }

    @Override
    public String target() {
      return name.value();
    }
  }

  /** The writes to a resource and to all whose names go on after it with {@code /}. */
  record OfPrefix(ResourceName prefix) implements FreezeScope {
    @Override
    public boolean covers(ResourceName resource, PolicyName policy) {
      String name = resource.value();
      String start = prefix.value();
      return name.startsWith(start)
          && (name.length() == start.length() || name.charAt(start.length()) == '/');
    }

    @Override
    public Kind kind() {
      return Kind.PREFIX;
    }

    @Override
    public String target() {
      return prefix.value();
    }
  }

  /** The writes to all resources that a policy of this name is in force for. */
  record OfPolicy(PolicyName name) implements FreezeScope {
    @Override
    public boolean covers(ResourceName resource, PolicyName policy) {
      return policy.equals(name);
    }

    @Override
    public Kind kind() {
      return Kind.POLICY;
    }

    @Override
    public String target() {
      return name.value();
    }
  }

  /** Every write. */
  record Everything() implements FreezeScope {
    @Override
    public boolean covers(ResourceName resource, PolicyName policy) {
      return true;
    }

    @Override
    public Kind kind() {
      return Kind.ALL;
    }

    @Override
    public String target() {
      return "";
    }
  }

  /**
   * Whether it stops a write.
   *
   * @param policy that is in force for the resource
   */
  boolean covers(ResourceName resource, PolicyName policy);

  Kind kind();

  /** What it names; empty where it is everything. */
  String target();

  /** For people, e.g. {@code policy ledger}. */
  default String shown() {
    return kind() == Kind.ALL ? "everything" : kind().wireName() + " " + target();
  }

  /** The scope that names this; of {@link Kind#ALL} with an empty target only. */
  static Parsed<FreezeScope> parse(Kind kind, String target) {
    return switch (kind) {
      case RESOURCE -> of(ResourceName.parse(target), OfResource::new);
      case PREFIX -> of(ResourceName.parse(target), OfPrefix::new);
      case POLICY -> of(PolicyName.parse(target), OfPolicy::new);
      case ALL ->
          target.isEmpty()
              ? Parsed.valid(new Everything())
              : Parsed.malformed(target, "nothing, since the scope is all");
    };
  }

  private static <T> Parsed<FreezeScope> of(Parsed<T> name, Function<T, FreezeScope> scope) {
    return name.fold(
        it -> Parsed.valid(scope.apply(it)),
        bad -> new Parsed.Malformed<FreezeScope>(bad.given(), bad.expected()));
  }
}
