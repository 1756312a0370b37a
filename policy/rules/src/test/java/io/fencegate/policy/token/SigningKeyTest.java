/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.policy.token;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.policy.name.Parsed;
import io.fencegate.policy.name.Principal;
import io.fencegate.policy.name.ResourceName;
import org.junit.jupiter.api.Test;

class SigningKeyTest {

  private static final String SECRET = "0123456789abcdef0123456789abcdef";
  private static final SigningKey KEY = SigningKey.parse(SECRET).orThrow();
  private static final ResourceName R = new ResourceName("ledger/acme");
  private static final FencingToken TOKEN = new FencingToken(42);

  /** printf 'fencegate-token-v1\nledger/acme\n42\nanonymous' | openssl dgst -sha256 -hmac KEY. */
  private static final String BY_OPENSSL =
      "f42442774a2bd5484e0a3cbfbc39279302385584504a1b44a76bf6c129e20c60";

  @Test
  void whatIsSignedIsWhatTheDocumentationSays() {
    assertThat(KEY.sign(R, TOKEN, Principal.ANONYMOUS).reveal()).isEqualTo(BY_OPENSSL);
    assertThat(TokenSignature.parse(BY_OPENSSL).orThrow())
        .isEqualTo(KEY.sign(R, TOKEN, Principal.ANONYMOUS));
  }

  @Test
  void anotherResourceTokenPrincipalOrKeyHasAnotherSignature() {
    TokenSignature signature = KEY.sign(R, TOKEN, Principal.ANONYMOUS);
    assertThat(KEY.sign(new ResourceName("ledger/acme2"), TOKEN, Principal.ANONYMOUS))
        .isNotEqualTo(signature);
    assertThat(KEY.sign(R, new FencingToken(43), Principal.ANONYMOUS)).isNotEqualTo(signature);
    assertThat(KEY.sign(R, TOKEN, new Principal("jwt:sub=a"))).isNotEqualTo(signature);
    assertThat(SigningKey.parse(SECRET + "x").orThrow().sign(R, TOKEN, Principal.ANONYMOUS))
        .isNotEqualTo(signature);
  }

  @Test
  void aShortKeyAndAMalformedSignatureAreRefusedWithoutBeingShown() {
    Parsed<SigningKey> weak = SigningKey.parse("hunter2");
    assertThat(weak).isInstanceOf(Parsed.Malformed.class);
    assertThat(((Parsed.Malformed<SigningKey>) weak).message()).doesNotContain("hunter2");
    for (String bad :
        new String[] {
          "",
          BY_OPENSSL.substring(1),
          BY_OPENSSL.toUpperCase(java.util.Locale.ROOT),
          BY_OPENSSL + "0"
        }) {
      assertThat(TokenSignature.parse(bad)).as(bad).isInstanceOf(Parsed.Malformed.class);
    }
  }

  @Test
  void neitherIsEverShown() {
    assertThat(KEY.toString()).doesNotContain(SECRET);
    assertThat(TokenSignature.parse(BY_OPENSSL).orThrow().toString()).doesNotContain(BY_OPENSSL);
  }
}
