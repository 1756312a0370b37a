/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import io.fencegate.policy.file.ValueResolver;
import io.fencegate.server.policy.AdapterFactories;
import io.fencegate.server.policy.SystemValues;
import java.util.Map;

/**
 * What commands may know of the process that they run in.
 *
 * @param environment all its variables
 * @param values where placeholders of files get their values
 */
record Surroundings(
    Map<String, String> environment, ValueResolver values, AdapterFactories adapters) {

  static Surroundings ofThisProcess() {
    return new Surroundings(System.getenv(), new SystemValues(), AdapterFactories.installed());
  }

  @Override
  public String toString() {
    return "Surroundings[" + environment.size() + " variables]";
  }
}
