/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.observe;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.encoder.EncoderBase;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.status.Status;
import ch.qos.logback.core.status.StatusListener;
import ch.qos.logback.core.util.Duration;
import ch.qos.logback.core.util.FileSize;
import io.fencegate.server.config.AuditConfig;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The audit trail: one JSON object a line, rolled over by size. Lines are written by a thread of
 * its own, in order; where the disk cannot keep up, lines are dropped and counted, and the work
 * goes on. Thread-safe.
 */
public final class AuditLog implements AutoCloseable {

  /** Lines that may wait for the disk: some seconds of full load. */
  private static final int MAX_WAITING = 50_000;

  /** How long closing waits for the disk. */
  private static final long CLOSE_MILLIS = 10_000;

  /**
   * Lines are written together that came within this time: waking the writer for each costs the
   * event loop more than the line does.
   */
  private static final long GATHER_NANOS = 5_000_000L;

  /** Lines that are written in one step; the file is rolled between two steps. */
  private static final int MAX_TOGETHER = 1_000;

  /** A full disk fails every step; one message stands for so many. */
  private static final long FAILURES_PER_WARNING = 1_000;

  private static final String END = "";

  private static final Logger LOG = LoggerFactory.getLogger(AuditLog.class);

  private final BlockingQueue<String> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final AtomicLong dropped = new AtomicLong();
  private final AtomicLong failures = new AtomicLong();
  private final RollingFileAppender<String> file;
  private final Thread writer;

  private AuditLog(RollingFileAppender<String> file) {
    this.file = file;
    this.writer = new Thread(this::write, "fencegate-audit");
    this.writer.setDaemon(true);
  }

  /** The audit file cannot be written. */
  public static final class UnusableAudit extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnusableAudit(AuditConfig config) {
      super("cannot write the audit file " + config.file());
    }
  }

  /** Opens the file, or throws {@link UnusableAudit}. */
  public static AuditLog open(AuditConfig config) {
    LoggerContext context = new LoggerContext();
    RollingFileAppender<String> file = new RollingFileAppender<>();
    file.setContext(context);
    file.setFile(config.file().toString());
    file.setEncoder(new LineEncoder());
    file.setImmediateFlush(true);
    FixedWindowRollingPolicy window = new FixedWindowRollingPolicy();
    window.setContext(context);
    window.setParent(file);
    window.setFileNamePattern(config.file() + ".%i");
    window.setMinIndex(1);
    window.setMaxIndex(config.keep());
    window.start();
    SizeBasedTriggeringPolicy<String> size = new SizeBasedTriggeringPolicy<>();
    size.setContext(context);
    size.setMaxFileSize(new FileSize(config.maxSizeBytes()));
    size.setCheckIncrement(Duration.buildByMilliseconds(1_000));
    size.start();
    file.setRollingPolicy(window);
    file.setTriggeringPolicy(size);
    file.start();
    if (!file.isStarted()) {
      throw new UnusableAudit(config);
    }
    AuditLog log = new AuditLog(file);
    context
        .getStatusManager()
        .add(
            (StatusListener)
                status -> {
                  if (status.getLevel() == Status.ERROR) {
                    log.failed(status.getMessage());
                  }
                });
    log.writer.start();
    return log;
  }

  void append(JsonObject line) {
    if (!waiting.offer(line.encode()) && dropped.getAndIncrement() == 0) {
      LOG.error("the audit file does not keep up: lines are being dropped");
    }
  }

  /** Lines that were dropped since the start. */
  public long dropped() {
    return dropped.get();
  }

  private void write() {
    List<String> lines = new ArrayList<>(MAX_TOGETHER);
    try {
      while (!lines.contains(END)) {
        lines.clear();
        lines.add(waiting.take());
        LockSupport.parkNanos(GATHER_NANOS);
        waiting.drainTo(lines, MAX_TOGETHER - 1);
        int end = lines.indexOf(END);
        List<String> written = end < 0 ? lines : lines.subList(0, end);
        if (!written.isEmpty()) {
          append(String.join("\n", written));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      file.stop();
    }
  }

  /** Lines that cannot be written must not end the trail. */
  private void append(String lines) {
    try {
      file.doAppend(lines);
    } catch (RuntimeException e) {
      failed(String.valueOf(e.getMessage()));
    }
  }

  private void failed(String reason) {
    if (failures.getAndIncrement() % FAILURES_PER_WARNING == 0) {
      LOG.error("the audit file cannot be written, lines are being lost: {}", reason);
    }
  }

  /** Failures to write since the start; each may have cost more than one line. */
  public long failures() {
    return failures.get();
  }

  /** Writes what waits and closes the file. Blocks. */
  @Override
  public void close() {
    try {
      if (waiting.offer(END, CLOSE_MILLIS, TimeUnit.MILLISECONDS)) {
        writer.join(CLOSE_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static final class LineEncoder extends EncoderBase<String> {
    private static final byte[] NOTHING = new byte[0];

    @Override
    public byte[] headerBytes() {
      return NOTHING;
    }

    @Override
    public byte[] encode(String line) {
      return (line + "\n").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] footerBytes() {
      return NOTHING;
    }
  }
}
