/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Where etcd is and how it is spoken to.
 *
 * @param endpoints {@code http://host:port} or {@code https://host:port}, all with the same scheme
 * @param tls files for https, where the system's trusted authorities do not do
 * @param quotaBytes etcd's {@code --quota-backend-bytes}, which etcd itself does not tell
 * @param callDeadline within which every call is answered
 */
public record EtcdSettings(
    List<URI> endpoints,
    Optional<Login> login,
    Optional<Tls> tls,
    OptionalLong quotaBytes,
    Duration callDeadline) {

  /** Longer than an election of etcd with its usual settings, as short as callers' patience. */
  public static final Duration DEFAULT_CALL_DEADLINE = Duration.ofSeconds(5);

  /** What etcd takes where it is not told a quota. */
  public static final long DEFAULT_QUOTA_BYTES = 2L << 30;

  /** More nodes than any sensible cluster has. */
  private static final int MAX_ENDPOINTS = 9;

  /** A user of etcd. The password appears in no message and no log. */
  public record Login(String user, String password) {
    @Override
    public String toString() {
      return "Login[user=" + user + "]";
    }
  }

  /**
   * PEM files.
   *
   * @param ca of etcd's certificates
   * @param client shown to etcd
   */
  public record Tls(Optional<Path> ca, Optional<Identity> client) {}

  /** A certificate chain and its private key, PKCS #8. */
  public record Identity(Path cert, Path key) {}

  public EtcdSettings {
    endpoints = List.copyOf(endpoints);
    if (endpoints.isEmpty() || endpoints.size() > MAX_ENDPOINTS) {
      throw new IllegalArgumentException(
          endpoints.size() + " endpoints, expected 1 to " + MAX_ENDPOINTS);
    }
    endpoints.forEach(EtcdSettings::check);
    if (endpoints.stream().map(URI::getScheme).distinct().count() > 1) {
      throw new IllegalArgumentException("endpoints are either all http or all https");
    }
    if (tls.isPresent() && endpoints.get(0).getScheme().equals("http")) {
      throw new IllegalArgumentException("TLS files are of no use with http endpoints");
    }
    if (callDeadline.isNegative() || callDeadline.isZero()) {
      throw new IllegalArgumentException("call deadline " + callDeadline + ", expected above 0");
    }
  }

  /** Plain settings for endpoints without login and TLS. */
  public static EtcdSettings of(List<String> endpoints) {
    return new EtcdSettings(
        endpoints.stream().map(URI::create).toList(),
        Optional.empty(),
        Optional.empty(),
        OptionalLong.empty(),
        DEFAULT_CALL_DEADLINE);
  }

  public EtcdSettings withLogin(String user, String password) {
    return new EtcdSettings(
        endpoints, Optional.of(new Login(user, password)), tls, quotaBytes, callDeadline);
  }

  public EtcdSettings withTls(Tls files) {
    return new EtcdSettings(endpoints, login, Optional.of(files), quotaBytes, callDeadline);
  }

  public EtcdSettings withQuotaBytes(long bytes) {
    return new EtcdSettings(endpoints, login, tls, OptionalLong.of(bytes), callDeadline);
  }

  public EtcdSettings withCallDeadline(Duration deadline) {
    return new EtcdSettings(endpoints, login, tls, quotaBytes, deadline);
  }

  private static void check(URI endpoint) {
    if (!isEndpoint(endpoint)) {
      // Not shown: it may hold a password in a place where none belongs.
      throw new IllegalArgumentException(
          "an endpoint is not of the form http://host:port or https://host:port");
    }
  }

  /** Whether this is {@code http://host:port} or {@code https://host:port} and nothing more. */
  public static boolean isEndpoint(URI uri) {
    String path = uri.getPath();
    return ("http".equals(uri.getScheme()) || "https".equals(uri.getScheme()))
        && uri.getHost() != null
        && uri.getPort() > 0
        && uri.getUserInfo() == null
        && uri.getQuery() == null
        && uri.getFragment() == null
        && (path == null || path.isEmpty() || path.equals("/"));
  }
}
