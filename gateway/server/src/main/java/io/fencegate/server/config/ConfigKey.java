/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.config;

import java.util.Locale;
import java.util.stream.Stream;

/** Every key of the server file that has a value, with its default and how to override it. */
public enum ConfigKey {
  WORKER_HOST("worker.host", "127.0.0.1", "address of the port for locks and writes"),
  WORKER_PORT("worker.port", "8080", "port for locks and writes; 0 takes a free one"),
  WORKER_ADVERTISE(
      "worker.advertise", "", "host:port by which other gateways reach this one's worker port"),
  OPERATOR_HOST("operator.host", "127.0.0.1", "address of the port for operators"),
  OPERATOR_PORT("operator.port", "8081", "port for health, metrics, admin; 0 takes a free one"),
  COORDINATOR_TYPE(
      "coordinator.type", "embedded", "where locks and epochs are kept: embedded or etcd"),
  COORDINATOR_DATA_DIR(
      "coordinator.dataDir", "data", "directory of what this gateway keeps: all, or its witnesses"),
  COORDINATOR_ENDPOINTS(
      "coordinator.endpoints", "", "etcd's nodes, such as http://127.0.0.1:2379; with commas"),
  COORDINATOR_PREFIX("coordinator.prefix", "fencegate", "what all keys in etcd start with"),
  COORDINATOR_USER("coordinator.user", "", "user of etcd"),
  COORDINATOR_PASSWORD("coordinator.password", "", "the user's password"),
  COORDINATOR_TLS_CA("coordinator.tls.ca", "", "PEM file with etcd's authority"),
  COORDINATOR_TLS_CERT("coordinator.tls.cert", "", "PEM file with the certificate for etcd"),
  COORDINATOR_TLS_KEY("coordinator.tls.key", "", "PEM file with the certificate's key"),
  COORDINATOR_QUOTA("coordinator.quota", "2GiB", "etcd's --quota-backend-bytes, to warn in time"),
  EPOCHS_TYPE(
      "epochs.type",
      "coordinator",
      "where accepted tokens are recorded: coordinator, or postgres besides it"),
  EPOCHS_URL("epochs.url", "", "the PostgreSQL with the ledger of accepted tokens"),
  EPOCHS_INSTALL("epochs.install", "true", "whether the ledger's schema is made where missing"),
  EPOCHS_REPLACES(
      "epochs.replaces", "", "where epochs were kept before, to change that while all is stopped"),
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

  /** What it is where nobody says anything, as the file would say it; empty where it is not. */
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

  /** Whether it may not be shown, nor be given where others see it, as options are. */
  public boolean isSecret() {
    return this == COORDINATOR_PASSWORD || this == EPOCHS_URL;
  }

  /** Whether the file may give a list. */
  boolean isList() {
    return this == COORDINATOR_ENDPOINTS;
  }

  static Stream<ConfigKey> all() {
    return Stream.of(values());
  }
}
