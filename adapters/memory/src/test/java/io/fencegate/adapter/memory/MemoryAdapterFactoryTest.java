/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.adapter.spi.AdapterFactory;
import io.fencegate.adapter.spi.OperationCall;
import io.fencegate.adapter.spi.ParamValue;
import io.fencegate.policy.model.AdapterConfig;
import io.fencegate.policy.model.Guarantee;
import io.fencegate.policy.model.Operation;
import io.fencegate.policy.model.PolicyProblem;
import io.fencegate.policy.name.AdapterName;
import io.fencegate.policy.name.OperationName;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class MemoryAdapterFactoryTest {

  private static final AdapterName NAME = new AdapterName("mem");

  @Test
  void theServiceLoaderFindsIt() {
    assertThat(ServiceLoader.load(AdapterFactory.class))
        .extracting(AdapterFactory::type)
        .contains("memory");
  }

  @Test
  void strictIsOffered() {
    AdapterConfig config = new AdapterConfig(NAME, "memory", Map.of());
    assertThat(new MemoryAdapterFactory().offer(config).guarantee()).isEqualTo(Guarantee.STRICT);
  }

  @Test
  void aSettingIsAProblemAtItsPlace() {
    AdapterConfig config = new AdapterConfig(NAME, "memory", Map.of("a/b", 1));
    assertThat(new MemoryAdapterFactory().check(config, List.of()))
        .extracting(PolicyProblem::pointer)
        .containsExactly("/adapters/mem/a~1b");
  }

  @Test
  void resultsKeepNumbersAsTheyCame() {
    Map<String, ParamValue> params = new LinkedHashMap<>();
    params.put("amount", new ParamValue.Num("12.50"));
    params.put("note", new ParamValue.Text("a\"b"));
    params.put("open", new ParamValue.Bool(true));
    params.put("more", new ParamValue.Json("{\"x\":[1]}"));
    params.put("none", new ParamValue.Null());
    Operation post = new Operation(new OperationName("post"), "post", Map.of(), 0);
    assertThat(ResultText.of(List.of(new OperationCall(post, params, "params"))))
        .isEqualTo(
            "[{\"operation\":\"post\",\"rowCount\":1,\"rows\":[{\"amount\":12.50,"
                + "\"note\":\"a\\\"b\",\"open\":true,\"more\":{\"x\":[1]},\"none\":null}]}]");
  }
}
