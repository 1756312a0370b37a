/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.witness;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * The file that a {@link Witness} is kept in. It is replaced as a whole and durably, so that a
 * crash leaves the old or the new one. Blocks; one call at a time.
 */
final class WitnessFile {

  static final String NAME = "history.witness";

  /** A witness is a few hundred bytes; anything longer is something else. */
  private static final long MAX_BYTES = 64 * 1024;

  static final String LOCK = "history.lock";

  private final Path file;
  private final Path next;
  private final Path lock;

  WitnessFile(Path directory) {
    this.file = directory.resolve(NAME);
    this.next = directory.resolve(NAME + ".next");
    this.lock = directory.resolve(LOCK);
  }

  /**
   * Keeps the directory for this gateway until the channel is closed or the process ends.
   *
   * @throws WitnessInUse when another one has it
   */
  FileChannel keep() throws IOException {
    Files.createDirectories(lock.toAbsolutePath().getParent());
    FileChannel channel =
        FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      if (channel.tryLock() != null) {
        return channel;
      }
    } catch (OverlappingFileLockException inThisProcess) {
      // Closing this channel may end the other's lock, and with it only what guards against a
      // third.
    }
    channel.close();
    throw new WitnessInUse(lock);
  }

  /**
   * What was kept; {@link Witness#NOTHING} where no file is.
   *
   * @throws UnusableWitness when there is one that cannot be trusted
   */
  Witness read() {
    try {
      if (Files.notExists(file)) {
        return Witness.NOTHING;
      }
      if (Files.size(file) > MAX_BYTES) {
        throw new UnusableWitness(file, "it is larger than any witness", null);
      }
      return Witness.decode(Files.readString(file, StandardCharsets.UTF_8));
    } catch (NoSuchFileException e) {
      return Witness.NOTHING;
    } catch (IOException | Witness.Malformed e) {
      throw new UnusableWitness(file, String.valueOf(e.getMessage()), e);
    }
  }

  void write(Witness witness) throws IOException {
    try (FileChannel out =
        FileChannel.open(
            next,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      ByteBuffer bytes = ByteBuffer.wrap(witness.encode().getBytes(StandardCharsets.UTF_8));
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(true);
    }
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    try (FileChannel directory =
        FileChannel.open(file.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
      directory.force(true);
    }
  }
}
