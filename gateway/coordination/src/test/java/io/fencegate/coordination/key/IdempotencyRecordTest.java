/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencegate.coordination.store.Value;
import io.fencegate.policy.name.IdempotencyKey;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.FencingToken;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class IdempotencyRecordTest {

  private static final Attempt ATTEMPT = new Attempt(0x1122334455667788L);
  private static final String DIGEST = "0123456789abcdef".repeat(4);

  private static IdempotencyRecord record(KeyOutcome outcome) {
    return new IdempotencyRecord(
        ATTEMPT,
        15,
        new FencingToken(42),
        1_790_000_000_000L,
        new RequestFingerprint(DIGEST),
        "AbC-_0123456789abcdefg",
        outcome);
  }

  private static Stream<KeyOutcome> outcomes() {
    byte[] bytes = new byte[64 * 1024];
    IntStream.range(0, bytes.length).forEach(i -> bytes[i] = (byte) i);
    List<RecordedAnswer.Header> headers =
        List.of(
            new RecordedAnswer.Header("Location", "/a/1"),
            new RecordedAnswer.Header("Link", "<b>; rel=\"ü\""),
            new RecordedAnswer.Header("Link", ""));
    return Stream.of(
        new KeyOutcome.Intent(),
        new KeyOutcome.Unknown("no answer came in time"),
        new KeyOutcome.Unknown(""),
        new KeyOutcome.Closed(),
        answered(200, List.of(), Optional.of(Value.EMPTY)),
        answered(201, headers, Optional.of(Value.of(bytes))),
        answered(599, headers, Optional.empty()));
  }

  private static KeyOutcome answered(
      int status, List<RecordedAnswer.Header> headers, Optional<Value> body) {
    return new KeyOutcome.Answered(new RecordedAnswer(status, headers, body));
  }

  @ParameterizedTest
  @MethodSource("outcomes")
  void whatIsWrittenIsRead(KeyOutcome outcome) {
    IdempotencyRecord record = record(outcome);
    assertThat(IdempotencyRecord.decode(record.encode())).isEqualTo(record);
    assertThat(IdempotencyRecord.decode(record.encode()).outcome()).isEqualTo(outcome);
  }

  @ParameterizedTest
  @MethodSource("outcomes")
  void prefixesTellAttemptsAndIntentsApart(KeyOutcome outcome) {
    Value value = record(outcome).encode();
    assertThat(value.extendsPrefix(IdempotencyRecord.of(ATTEMPT))).isTrue();
    assertThat(value.extendsPrefix(IdempotencyRecord.intentOf(ATTEMPT)))
        .isEqualTo(outcome instanceof KeyOutcome.Intent);
    Attempt other = new Attempt(ATTEMPT.number() + 1);
    assertThat(value.extendsPrefix(IdempotencyRecord.of(other))).isFalse();
    assertThat(value.extendsPrefix(IdempotencyRecord.intentOf(other))).isFalse();
  }

  /** Whatever stands there, no record is made of it that nobody wrote. */
  @ParameterizedTest
  @MethodSource("outcomes")
  void whatIsCutOffOrOfAnotherLayoutIsUnreadable(KeyOutcome outcome) {
    byte[] bytes = record(outcome).encode().toBytes();
    int fixed = 1 + 8 + 1 + 1 + 8 + 8 + 32 + 1 + 22;
    for (int length = 0; length < fixed; length++) {
      Value cut = Value.of(Arrays.copyOf(bytes, length));
      assertThatThrownBy(() -> IdempotencyRecord.decode(cut)).isInstanceOf(UnreadableRecord.class);
    }
    bytes[0] = 2;
    assertThatThrownBy(() -> IdempotencyRecord.decode(Value.of(bytes)))
        .isInstanceOf(UnreadableRecord.class);
    bytes[0] = 1;
    bytes[9] = 9;
    assertThatThrownBy(() -> IdempotencyRecord.decode(Value.of(bytes)))
        .isInstanceOf(UnreadableRecord.class);
  }

  @Test
  void everyScopeHasAKeyOfItsOwn() {
    Keyspace keys = new Keyspace("p");
    Set<String> paths = new HashSet<>();
    for (String resource : List.of("a", "b", "a/b")) {
      for (String caller : List.of("", "anonymous", "k")) {
        for (String key : List.of("k", "K", "anonymous", "kk", "k/../k")) {
          paths.add(
              keys.idempotency(
                      ResourceName.parse(resource).orThrow(), caller, new IdempotencyKey(key))
                  .path());
        }
      }
    }
    assertThat(paths).hasSize(45).allMatch(it -> it.matches("p/idem/[^/]+/[0-9a-f]{64}"));
  }
}
