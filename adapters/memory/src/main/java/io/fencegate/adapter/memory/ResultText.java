/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.memory;

import io.fencegate.adapter.spi.OperationCall;
import io.fencegate.adapter.spi.ParamValue;
import io.vertx.core.json.Json;
import java.util.List;
import java.util.stream.Collectors;

/** Results as JSON text, numbers in the very notation in which they came. */
final class ResultText {

  private ResultText() {}

  static String of(List<OperationCall> calls) {
    return calls.stream().map(ResultText::of).collect(Collectors.joining(",", "[", "]"));
  }

  private static String of(OperationCall call) {
    String row =
        call.params().entrySet().stream()
            .map(param -> Json.encode(param.getKey()) + ":" + of(param.getValue()))
            .collect(Collectors.joining(",", "{", "}"));
    return "{\"operation\":"
        + Json.encode(call.operation().name().value())
        + ",\"rowCount\":1,\"rows\":["
        + row
        + "]}";
  }

  private static String of(ParamValue value) {
    if (value instanceof ParamValue.Text text) {
      return Json.encode(text.value());
    }
    if (value instanceof ParamValue.Num num) {
      return num.literal();
    }
    if (value instanceof ParamValue.Bool bool) {
      return Boolean.toString(bool.value());
    }
    return value instanceof ParamValue.Json json ? json.text() : "null";
  }
}
