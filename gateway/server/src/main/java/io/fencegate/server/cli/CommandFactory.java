/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;

/** Makes the commands that need to know the process; leaves the rest to picocli. */
final class CommandFactory implements CommandLine.IFactory {

  private final Map<Class<?>, Supplier<?>> makers;
  private final CommandLine.IFactory others = CommandLine.defaultFactory();

  CommandFactory(Surroundings surroundings) {
    makers =
        Map.of(
            PolicyCommand.Check.class, () -> new PolicyCommand.Check(surroundings),
            SqlCommand.Install.class, () -> new SqlCommand.Install(surroundings));
  }

  @Override
  public <K> K create(Class<K> type) throws Exception {
    Supplier<?> maker = makers.get(type);
    return maker == null ? others.create(type) : type.cast(maker.get());
  }
}
