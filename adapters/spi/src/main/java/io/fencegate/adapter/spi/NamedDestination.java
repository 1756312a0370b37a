/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import io.fencegate.policy.model.AdapterConfig;
import io.fencegate.policy.model.PolicyProblem;
import io.fencegate.policy.name.Parsed;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The setting {@code destination}: what a downstream is called by gateways that reach it by
 * different addresses, for {@link AdapterFactory#destination}. Without it the address counts.
 */
public final class NamedDestination {

  /** The setting's key. */
  public static final String KEY = "destination";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

  private NamedDestination() {}

  /** What is wrong with the setting, where it is given. */
  public static Optional<PolicyProblem> problem(AdapterConfig config) {
    Object given = config.settings().get(KEY);
    return given == null || (given instanceof String text && NAME.matcher(text).matches())
        ? Optional.empty()
        : Optional.of(
            new PolicyProblem(
                "/adapters/" + config.name() + "/" + KEY,
                Parsed.show(String.valueOf(given)),
                "1 to 64 characters of [A-Za-z0-9._-], a letter or digit first"));
  }

  /** The name that is given, else the address. */
  public static String of(AdapterConfig config, String address) {
    return config.settings().get(KEY) instanceof String name ? name : address;
  }
}
