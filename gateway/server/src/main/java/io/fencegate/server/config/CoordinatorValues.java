/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.config;

import static io.fencegate.server.config.ConfigKey.COORDINATOR_ENDPOINTS;
import static io.fencegate.server.config.ConfigKey.COORDINATOR_PASSWORD;
import static io.fencegate.server.config.ConfigKey.COORDINATOR_PREFIX;
import static io.fencegate.server.config.ConfigKey.COORDINATOR_QUOTA;
import static io.fencegate.server.config.ConfigKey.COORDINATOR_TLS_CA;
import static io.fencegate.server.config.ConfigKey.COORDINATOR_TLS_CERT;
import static io.fencegate.server.config.ConfigKey.COORDINATOR_TLS_KEY;
import static io.fencegate.server.config.ConfigKey.COORDINATOR_TYPE;
import static io.fencegate.server.config.ConfigKey.COORDINATOR_USER;

import io.fencegate.coordination.etcd.EtcdSettings;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** The coordinator's keys, which depend on each other. */
final class CoordinatorValues {

  /** Keys that only etcd has. */
  private static final List<ConfigKey> ETCD_KEYS =
      List.of(
          COORDINATOR_ENDPOINTS,
          COORDINATOR_PREFIX,
          COORDINATOR_USER,
          COORDINATOR_PASSWORD,
          COORDINATOR_TLS_CA,
          COORDINATOR_TLS_CERT,
          COORDINATOR_TLS_KEY,
          COORDINATOR_QUOTA);

  private static final String EMBEDDED = "embedded";
  private static final String ETCD = "etcd";

  private final ConfigValues values;

  CoordinatorValues(ConfigValues values) {
    this.values = values;
  }

  CoordinatorConfig read() {
    return values.word(COORDINATOR_TYPE, Set.of(EMBEDDED, ETCD)).equals(ETCD) ? etcd() : embedded();
  }

  private CoordinatorConfig embedded() {
    // Whoever names endpoints means etcd; an own store beside it would share nothing.
    ETCD_KEYS.forEach(
        key -> values.complainIfGiven(key, "no such key with coordinator.type embedded"));
    return new CoordinatorConfig.Embedded();
  }

  private CoordinatorConfig etcd() {
    List<URI> endpoints = values.endpoints(COORDINATOR_ENDPOINTS);
    String prefix = values.keyPrefix(COORDINATOR_PREFIX);
    Optional<EtcdSettings.Login> login = login();
    Optional<EtcdSettings.Tls> tls = tls();
    long quotaBytes = values.quotaBytes(COORDINATOR_QUOTA);
    if (endpoints.isEmpty()) {
      if (!values.isGiven(COORDINATOR_ENDPOINTS)) {
        values.complain(COORDINATOR_TYPE, "coordinator.endpoints beside type etcd");
      }
      return new CoordinatorConfig.Embedded();
    }
    try {
      return new CoordinatorConfig.Etcd(
          new EtcdSettings(
              endpoints,
              login,
              tls,
              OptionalLong.of(quotaBytes),
              EtcdSettings.DEFAULT_CALL_DEADLINE),
          prefix);
    } catch (IllegalArgumentException e) {
      values.complain(COORDINATOR_ENDPOINTS, "endpoints that fit: " + e.getMessage());
      return new CoordinatorConfig.Embedded();
    }
  }

  private Optional<EtcdSettings.Login> login() {
    Optional<String> user = values.optionalText(COORDINATOR_USER);
    Optional<String> password = values.optionalText(COORDINATOR_PASSWORD);
    if (user.isPresent() != password.isPresent()) {
      values.complainIfGiven(COORDINATOR_USER, "coordinator.password beside it");
      values.complainIfGiven(COORDINATOR_PASSWORD, "coordinator.user beside it");
      return Optional.empty();
    }
    return user.map(name -> new EtcdSettings.Login(name, password.orElseThrow()));
  }

  private Optional<EtcdSettings.Tls> tls() {
    var ca = values.optionalPath(COORDINATOR_TLS_CA);
    var cert = values.optionalPath(COORDINATOR_TLS_CERT);
    var key = values.optionalPath(COORDINATOR_TLS_KEY);
    if (cert.isPresent() != key.isPresent()) {
      values.complainIfGiven(COORDINATOR_TLS_CERT, "coordinator.tls.key beside it");
      values.complainIfGiven(COORDINATOR_TLS_KEY, "coordinator.tls.cert beside it");
      return Optional.empty();
    }
    if (ca.isEmpty() && cert.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new EtcdSettings.Tls(ca, cert.map(it -> new EtcdSettings.Identity(it, key.orElseThrow()))));
  }
}
