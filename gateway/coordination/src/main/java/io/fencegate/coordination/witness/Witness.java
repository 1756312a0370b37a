/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.witness;

import io.fencegate.policy.token.Generation;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.zip.CRC32C;

/**
 * What has been seen of a coordinator, as it is remembered over restarts of the gateway.
 *
 * <p>As text, one fact a line, the last one a checksum over the others:
 *
 * <pre>{@code
 * fencegate-witness 1
 * cluster 5b2f8a0c11d3e07a
 * generation 0
 * revision 4711
 * lost the coordinator is at ..
 * crc32c 9d1e04aa
 * }</pre>
 *
 * <p>{@code -} stands for what is not known and for no loss.
 *
 * @param cluster the coordinator's identity
 * @param highest the highest position that it has answered
 * @param loss why its history is known to have been lost, if so
 */
public record Witness(OptionalLong cluster, Position highest, Optional<String> loss) {

  /** Nothing has been seen yet. */
  public static final Witness NOTHING =
      new Witness(OptionalLong.empty(), Position.NONE, Optional.empty());

  private static final String FORMAT = "fencegate-witness 1";
  private static final String NONE = "-";
  private static final String CLUSTER = "cluster ";
  private static final String GENERATION = "generation ";
  private static final String REVISION = "revision ";
  private static final String LOST = "lost ";
  private static final String CHECKSUM = "crc32c ";

  /** The text is not what was written. */
  static final class Malformed extends Exception {
    private static final long serialVersionUID = 1L;

    Malformed(String message) {
      super(message);
    }
  }

  String encode() {
    String facts =
        String.join(
            "\n",
            FORMAT,
            CLUSTER + (cluster.isPresent() ? Long.toHexString(cluster.getAsLong()) : NONE),
            GENERATION + highest.generation().value(),
            REVISION + highest.revision(),
            LOST + loss.map(reason -> reason.replace('\n', ' ')).orElse(NONE),
            "");
    return facts + CHECKSUM + checksum(facts) + "\n";
  }

  static Witness decode(String text) throws Malformed {
    int last = text.lastIndexOf(CHECKSUM);
    if (!text.startsWith(FORMAT + "\n") || last < 0) {
      throw new Malformed("it does not start with '" + FORMAT + "' and end with its checksum");
    }
    String facts = text.substring(0, last);
    if (!text.substring(last).equals(CHECKSUM + checksum(facts) + "\n")) {
      throw new Malformed("its checksum is wrong");
    }
    List<String> lines = facts.lines().toList();
    try {
      String cluster = fact(lines, 1, CLUSTER);
      String loss = fact(lines, 4, LOST);
      return new Witness(
          cluster.equals(NONE)
              ? OptionalLong.empty()
              : OptionalLong.of(Long.parseUnsignedLong(cluster, 16)),
          new Position(
              new Generation(Integer.parseInt(fact(lines, 2, GENERATION))),
              Long.parseLong(fact(lines, 3, REVISION))),
          loss.equals(NONE) ? Optional.empty() : Optional.of(loss));
    } catch (IllegalArgumentException e) {
      throw new Malformed(String.valueOf(e.getMessage()));
    }
  }

  private static String fact(List<String> lines, int index, String name) throws Malformed {
    if (index >= lines.size() || !lines.get(index).startsWith(name)) {
      throw new Malformed("line " + (index + 1) + " is not '" + name.strip() + "'");
    }
    return lines.get(index).substring(name.length());
  }

  private static String checksum(String facts) {
    CRC32C crc = new CRC32C();
    crc.update(facts.getBytes(StandardCharsets.UTF_8));
    return String.format("%08x", crc.getValue());
  }
}
