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
        Map.ofEntries(
            Map.entry(PolicyCommand.Check.class, () -> new PolicyCommand.Check(surroundings)),
            Map.entry(SqlCommand.Install.class, () -> new SqlCommand.Install(surroundings)),
            Map.entry(LockAcquireCommand.class, () -> new LockAcquireCommand(surroundings)),
            Map.entry(LockCommand.Renew.class, () -> new LockCommand.Renew(surroundings)),
            Map.entry(LockCommand.Release.class, () -> new LockCommand.Release(surroundings)),
            Map.entry(LockCommand.Show.class, () -> new LockCommand.Show(surroundings)),
            Map.entry(LockCommand.Cancel.class, () -> new LockCommand.Cancel(surroundings)),
            Map.entry(BreakCommand.class, () -> new BreakCommand(surroundings)),
            Map.entry(FreezeCommand.class, () -> new FreezeCommand(surroundings)),
            Map.entry(UnfreezeCommand.class, () -> new UnfreezeCommand(surroundings)),
            Map.entry(FreezesCommand.class, () -> new FreezesCommand(surroundings)),
            Map.entry(PolicySwitchCommand.class, () -> new PolicySwitchCommand(surroundings)),
            Map.entry(ClusterCommand.class, () -> new ClusterCommand(surroundings)),
            Map.entry(ResetEpochCommand.class, () -> new ResetEpochCommand(surroundings)),
            Map.entry(
                ClusterCommand.RaiseGeneration.class,
                () -> new ClusterCommand.RaiseGeneration(surroundings)));
  }

  @Override
  public <K> K create(Class<K> type) throws Exception {
    Supplier<?> maker = makers.get(type);
    return maker == null ? others.create(type) : type.cast(maker.get());
  }
}
