/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.memory;

import io.fencegate.adapter.spi.OperationCall;
import io.fencegate.adapter.spi.ParamValue;
import io.fencegate.adapter.spi.WriteContent;
import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Whether a write's parameters are those that its operations declare; pure. */
final class ParamCheck {

  private ParamCheck() {}

  static Optional<Refusal> objection(WriteContent content) {
    return content.calls().stream().flatMap(ParamCheck::objections).findFirst();
  }

  private static Stream<Refusal> objections(OperationCall call) {
    Set<String> declared = call.operation().params().keySet();
    Stream<Refusal> unknown =
        call.params().keySet().stream()
            .filter(name -> !declared.contains(name))
            .map(name -> no(call, name, "is unknown, expected one of " + declared));
    Stream<Refusal> missing =
        declared.stream()
            .filter(name -> !call.params().containsKey(name))
            .map(name -> no(call, name, "is missing"));
    Stream<Refusal> mistyped =
        call.params().entrySet().stream()
            .flatMap(param -> mistyped(call, param.getKey(), param.getValue()).stream());
    return Stream.of(unknown, missing, mistyped).flatMap(each -> each);
  }

  private static Optional<Refusal> mistyped(OperationCall call, String name, ParamValue value) {
    String type = call.operation().params().get(name);
    return Optional.ofNullable(type)
        .flatMap(LooseType::named)
        .filter(loose -> !loose.takes(value))
        .map(loose -> no(call, name, "is " + value.kind() + ", expected " + loose.expected()));
  }

  private static Refusal no(OperationCall call, String name, String what) {
    String field = call.field() + "." + name;
    return RefusalCode.INVALID_REQUEST
        .because("parameter " + Parsed.show(name) + " " + what)
        .atField(field);
  }
}
