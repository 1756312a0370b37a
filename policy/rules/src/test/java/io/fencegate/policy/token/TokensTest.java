/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fencegate.policy.name.Parsed;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokensTest {

  private static boolean isValid(Parsed<?> parsed) {
    return parsed.fold(value -> true, bad -> false);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 9, 10, 43, 1L << 44, (1L << 53) + 1, Long.MAX_VALUE})
  void canonicalDecimalsAreTaken(long value) {
    FencingToken token = FencingToken.parse(Long.toString(value)).orThrow();
    assertThat(token).isEqualTo(new FencingToken(value)).hasToString(Long.toString(value));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "0",
        "-1",
        "+43",
        "043",
        "00",
        "4 3",
        " 43",
        "43 ",
        "43\n",
        "\t43",
        "４３",
        "٤٣",
        "4_3",
        "43.0",
        "4e1",
        "0x2b",
        "43L",
        "9223372036854775808",
        "9999999999999999999",
        "12345678901234567890",
        "\"43\"",
        "43,44",
        "NaN",
        "4\u00003"
      })
  void anyOtherSpellingOfATokenIsRefused(String text) {
    assertThat(isValid(FencingToken.parse(text))).isFalse();
  }

  @Test
  void tokensBelowOneDoNotExist() {
    assertThatThrownBy(() -> new FencingToken(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new FencingToken(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void tokensAreOrderedAsNumbers() {
    FencingToken nine = new FencingToken(9);
    FencingToken ten = new FencingToken(10);
    assertThat(nine).isLessThan(ten);
    assertThat(nine.isBelow(ten)).isTrue();
    assertThat(nine.isAbove(ten)).isFalse();
    assertThat(ten.isAbove(nine)).isTrue();
    assertThat(ten.isBelow(nine)).isFalse();
    assertThat(ten.isBelow(new FencingToken(10))).isFalse();
    assertThat(ten.isAbove(new FencingToken(10))).isFalse();
  }

  @Test
  void everyTokenOfANewerGenerationIsAboveEveryOneOfAnOlder() {
    long lastRevision = (1L << 44) - 1;
    FencingToken last = FencingToken.of(Generation.FIRST, lastRevision);
    FencingToken first = FencingToken.of(new Generation(1), 1);
    assertThat(first.isAbove(last)).isTrue();
    assertThat(last.value()).isEqualTo(lastRevision);
    assertThat(first.value()).isEqualTo((1L << 44) + 1);
    assertThat(FencingToken.of(new Generation((1 << 19) - 1), lastRevision).value())
        .isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aTokenTellsItsGenerationAndRevision() {
    for (int generation : List.of(0, 1, 77, (1 << 19) - 1)) {
      for (long revision : List.of(1L, 42L, (1L << 44) - 1)) {
        FencingToken token = FencingToken.of(new Generation(generation), revision);
        assertThat(token.generation()).isEqualTo(new Generation(generation));
        assertThat(token.revision()).isEqualTo(revision);
      }
    }
  }

  @Test
  void revisionsAndGenerationsOutsideTheirBitsAreRefused() {
    for (long revision : List.of(0L, -1L, 1L << 44, Long.MAX_VALUE, Long.MIN_VALUE)) {
      assertThatThrownBy(() -> FencingToken.of(Generation.FIRST, revision))
          .isInstanceOf(IllegalArgumentException.class);
    }
    for (int generation : List.of(-1, 1 << 19, Integer.MAX_VALUE)) {
      assertThatThrownBy(() -> new Generation(generation))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(new Generation(1)).isGreaterThan(Generation.FIRST);
  }

  private static byte[] secret(int fill) {
    byte[] bytes = new byte[LeaseId.BYTES];
    Arrays.fill(bytes, (byte) fill);
    return bytes;
  }

  @Test
  void leaseIdsSurviveTheWire() {
    for (int fill = -128; fill < 128; fill++) {
      LeaseId id = LeaseId.of(secret(fill));
      assertThat(id.reveal()).hasSize(22).matches("[A-Za-z0-9_-]+");
      LeaseId back = LeaseId.parse(id.reveal()).orThrow();
      assertThat(back).isEqualTo(id).hasSameHashCodeAs(id);
      assertThat(back.bytes()).isEqualTo(secret(fill));
      assertThat(back.proof()).isEqualTo(id.proof());
    }
  }

  @Test
  void oneSecretHasOneSpelling() {
    String canonical = LeaseId.of(secret(0)).reveal();
    assertThat(canonical).isEqualTo("A".repeat(22));
    String sameBits = "A".repeat(21) + "B";
    assertThat(Base64.getUrlDecoder().decode(sameBits)).isEqualTo(secret(0));
    assertThat(isValid(LeaseId.parse(sameBits))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "AAAAAAAAAAAAAAAAAAAAA",
        "AAAAAAAAAAAAAAAAAAAAAAA",
        "AAAAAAAAAAAAAAAAAAAAAA==",
        "AAAAAAAAAAAAAAAAAAAA+A",
        "AAAAAAAAAAAAAAAAAAAA/A",
        " AAAAAAAAAAAAAAAAAAAAAA",
        "AAAAAAAAAAAAAAAAAAAAAA\n",
        "ÄAAAAAAAAAAAAAAAAAAAAA"
      })
  void malformedLeaseIdsAreRefusedAndNotRepeated(String text) {
    Parsed<LeaseId> parsed = LeaseId.parse(text);
    assertThat(isValid(parsed)).isFalse();
    if (!text.isEmpty()) {
      assertThat(parsed.toString()).doesNotContain(text.strip());
    }
  }

  @Test
  void nothingButRevealShowsTheSecret() {
    byte[] bytes = HexFormat.of().parseHex("00112233445566778899aabbccddeeff");
    LeaseId id = LeaseId.of(bytes);
    LeaseProof proof = id.proof();
    // SHA-256 of the bytes, computed with another tool.
    assertThat(HexFormat.of().formatHex(proof.bytes())).startsWith(proof.fingerprint());
    assertThat(proof.fingerprint()).isEqualTo("a8faed6abbf3");
    assertThat(id).hasToString("lease:" + proof.fingerprint());
    assertThat(proof).hasToString("lease:" + proof.fingerprint());
    assertThat(id.toString() + proof)
        .doesNotContain(id.reveal())
        .doesNotContain("00112233")
        .doesNotContain(HexFormat.of().formatHex(proof.bytes()));
  }

  @Test
  void secretsCannotBeChangedFromOutside() {
    byte[] bytes = secret(7);
    LeaseId id = LeaseId.of(bytes);
    String before = id.reveal();
    bytes[0] = 99;
    id.bytes()[0] = 99;
    assertThat(id.reveal()).isEqualTo(before);
    LeaseProof proof = id.proof();
    byte[] stored = proof.bytes();
    LeaseProof back = LeaseProof.ofStored(stored);
    stored[0] ^= 1;
    proof.bytes()[0] ^= 1;
    assertThat(back).isEqualTo(proof).hasSameHashCodeAs(proof);
    assertThat(LeaseProof.ofStored(stored)).isNotEqualTo(proof);
  }

  @Test
  void otherSecretsAreOtherLeases() {
    LeaseId id = LeaseId.of(secret(1));
    assertThat(id).isNotEqualTo(LeaseId.of(secret(2))).isNotEqualTo("x");
    assertThat(id.proof()).isNotEqualTo(LeaseId.of(secret(2)).proof()).isNotEqualTo("x");
  }

  @Test
  void secretsOfAnotherLengthAreRefused() {
    assertThatThrownBy(() -> LeaseId.of(new byte[15])).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> LeaseProof.ofStored(new byte[31]))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
