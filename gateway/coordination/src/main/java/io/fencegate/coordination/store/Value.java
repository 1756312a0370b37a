/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** An immutable sequence of bytes, ordered byte by byte (unsigned). */
public final class Value implements Comparable<Value> {

  public static final Value EMPTY = new Value(new byte[0]);

  private final byte[] bytes;

  private Value(byte[] bytes) {
    this.bytes = bytes;
  }

  public static Value of(byte[] bytes) {
    return new Value(bytes.clone());
  }

  public static Value of(String utf8) {
    return new Value(utf8.getBytes(StandardCharsets.UTF_8));
  }

  /** Eight bytes, big-endian, so that byte order is number order for numbers from 0. */
  public static Value ofLong(long number) {
    return new Value(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
  }

  public byte[] toBytes() {
    return bytes.clone();
  }

  public ByteBuffer read() {
    return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
  }

  public int length() {
    return bytes.length;
  }

  /** Whether this value starts with {@code prefix} and is longer than it. */
  public boolean extendsPrefix(Value prefix) {
    return bytes.length > prefix.bytes.length
        && Arrays.equals(bytes, 0, prefix.bytes.length, prefix.bytes, 0, prefix.bytes.length);
  }

  @Override
  public int compareTo(Value other) {
    return Arrays.compareUnsigned(bytes, other.bytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Value that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** The length only: values may hold secrets. */
  @Override
  public String toString() {
    return "Value[" + bytes.length + " bytes]";
  }
}
