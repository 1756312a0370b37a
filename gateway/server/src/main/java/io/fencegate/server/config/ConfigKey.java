/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.config;

import java.util.Locale;
import java.util.stream.Stream;

/** Every key of the server file that has a value, with its default and how to override it. */
public enum ConfigKey {
  WORKER_HOST("worker.host", "127.0.0.1", "address of the port for locks and writes"),
  WORKER_PORT("worker.port", "8080", "port for locks and writes; 0 takes a free one"),
  OPERATOR_HOST("operator.host", "127.0.0.1", "address of the port for operators"),
  OPERATOR_PORT("operator.port", "8081", "port for health, metrics, admin; 0 takes a free one"),
  COORDINATOR_TYPE("coordinator.type", "embedded", "where locks and epochs are kept: embedded"),
  COORDINATOR_DATA_DIR("coordinator.dataDir", "data", "directory of the embedded coordinator"),
  EPOCHS_TYPE("epochs.type", "coordinator", "where accepted tokens are recorded: coordinator"),
  POLICIES("policies", "policies/", "directory with the policy files"),
  AUDIT_FILE("audit.file", "audit.jsonl", "the audit trail"),
  AUDIT_MAX_SIZE("audit.maxSize", "100MiB", "the audit file is rolled over beyond this size"),
  AUDIT_KEEP("audit.keep", "10", "how many rolled audit files are kept");

  private final String path;
  private final String defaultText;
  private final String meaning;

  ConfigKey(String path, String defaultText, String meaning) {
    this.path = path;
    this.defaultText = defaultText;
    this.meaning = meaning;
  }

  /** The keys that lead to it in the file, joined by dots. */
  public String path() {
    return path;
  }

  /** What it is where nobody says anything, as the file would say it. */
  public String defaultText() {
    return defaultText;
  }

  /** What it is for, in a few words. */
  public String meaning() {
    return meaning;
  }

  /** The command line option that overrides file and environment. */
  public String flag() {
    return "--" + path;
  }

  /** The environment variable that overrides the file. */
  public String variable() {
    return ConfigKeys.VARIABLE_PREFIX + path.replace('.', '_').toUpperCase(Locale.ROOT);
  }

  static Stream<ConfigKey> all() {
    return Stream.of(values());
  }
}
