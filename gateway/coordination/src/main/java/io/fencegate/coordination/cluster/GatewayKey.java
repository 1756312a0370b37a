/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.cluster;

import io.fencegate.coordination.store.StoreException;
import io.fencegate.coordination.store.Value;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The secret by which the gateways of one coordinator recognise each other: who can read it there
 * could write to the coordinator itself. Never shown.
 */
public final class GatewayKey {

  /** As long as the digest (RFC 2104). */
  static final int BYTES = 32;

  private static final String ALGORITHM = "HmacSHA256";

  private final byte[] secret;

  private GatewayKey(byte[] secret) {
    this.secret = secret;
  }

  /**
   * The key in a record.
   *
   * @throws StoreException when it is none
   */
  static GatewayKey decode(Value value) {
    if (value.length() != BYTES) {
      throw new StoreException(
          StoreException.Kind.DEFINITE,
          "meta/gateway-key has " + value.length() + " bytes, expected " + BYTES);
    }
    return new GatewayKey(value.toBytes());
  }

  /** The HMAC-SHA-256 over a text's UTF-8 bytes, 43 characters of base64url. */
  public String sign(String text) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(secret, ALGORITHM));
      return Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }

  @Override
  public String toString() {
    return "GatewayKey[hidden]";
  }
}
