/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import io.fencegate.policy.file.Units;
import io.fencegate.policy.name.HolderId;
import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.name.PolicyName;
import io.fencegate.policy.name.RequestId;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.FencingToken;
import java.time.Duration;
import java.util.function.Function;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How words of the command line become what they stand for. */
final class Converters {

  private Converters() {}

  /** Makes them known to the commands that are there by now. */
  static void register(CommandLine commands) {
    commands.registerConverter(ResourceName.class, strict(ResourceName::parse));
    commands.registerConverter(PolicyName.class, strict(PolicyName::parse));
    commands.registerConverter(RequestId.class, strict(RequestId::parse));
    commands.registerConverter(HolderId.class, strict(HolderId::parse));
    commands.registerConverter(FencingToken.class, strict(FencingToken::parse));
    commands.registerConverter(Duration.class, strict(Converters::duration));
  }

  private static Parsed<Duration> duration(String text) {
    return Units.duration(text)
        .map(Parsed::valid)
        .orElseGet(() -> Parsed.malformed(text, "a duration such as 250ms, 30s, 5m or 2h"));
  }

  private static <T> ITypeConverter<T> strict(Function<String, Parsed<T>> parser) {
    return text ->
        parser
            .apply(text)
            .fold(
                value -> value,
                bad -> {
                  throw new TypeConversionException(bad.message());
                });
  }
}
