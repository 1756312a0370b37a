/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.memory;

import io.fencegate.adapter.spi.AdapterContext;
import io.fencegate.adapter.spi.OperationCall;
import io.fencegate.adapter.spi.ParamValue;
import io.fencegate.adapter.spi.ResourceAdapter;
import io.fencegate.adapter.spi.WriteContent;
import io.fencegate.adapter.tck.AdapterContract;
import io.fencegate.adapter.tck.LogEntry;
import io.fencegate.policy.model.AdapterConfig;
import io.fencegate.policy.model.Operation;
import io.fencegate.policy.name.AdapterName;
import io.fencegate.policy.name.OperationName;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.FencingToken;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

class MemoryAdapterContractTest extends AdapterContract {

  private MemoryDownstream downstream;

  @Override
  protected ResourceAdapter fresh(AdapterContext context) {
    downstream = new MemoryDownstream();
    return new MemoryAdapter(downstream, context.clocks());
  }

  @Override
  protected ResourceAdapter reopen(AdapterContext context) {
    return fresh(context);
  }

  @Override
  protected Optional<String> notDurableBecause() {
    return Optional.of("the memory adapter's downstream is the process itself");
  }

  @Override
  protected WriteContent append(ResourceName resource, FencingToken token, String value) {
    return content(0, new ParamValue.Text(value));
  }

  @Override
  protected WriteContent appendAndFail(ResourceName resource, FencingToken token, String value) {
    return content(2, new ParamValue.Text(value));
  }

  @Override
  protected AdapterConfig config() {
    return new AdapterConfig(new AdapterName("mem"), "memory", Map.of());
  }

  @Override
  protected Objectionable objectionable() {
    return new Objectionable(content(0, new ParamValue.Num("1")), "params.value");
  }

  @Override
  protected List<LogEntry> log(ResourceName resource) {
    return downstream.log(resource).stream().map(MemoryAdapterContractTest::entry).toList();
  }

  private static LogEntry entry(MemoryDownstream.Entry entry) {
    ParamValue value = entry.call().params().get("value");
    FencingToken token = Objects.requireNonNullElse(entry.token(), new FencingToken(1));
    return new LogEntry(((ParamValue.Text) value).value(), token);
  }

  private static WriteContent content(long minRows, ParamValue value) {
    Operation append =
        new Operation(new OperationName("append"), "append", Map.of("value", "text"), minRows);
    return new WriteContent(
        Map.of(), List.of(new OperationCall(append, Map.of("value", value), "params")));
  }
}
