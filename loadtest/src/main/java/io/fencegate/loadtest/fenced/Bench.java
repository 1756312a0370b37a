/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.fenced;

import io.fencegate.loadtest.measure.GatewayProcess;
import io.fencegate.loadtest.measure.MeasurementFailure;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/** All that is measured: the service, and what stands in front of it. Ends what it started. */
final class Bench implements AutoCloseable {

  /** The gateway's folder. */
  static final String GATEWAY = "gateway";

  private static final String POLICY =
      """
      apiVersion: fencegate/v1
      adapters:
        service: { type: http, url: "http://127.0.0.1:%d", pool: { size: %d } }
      resources:
        - name: ledger
          match: ledger/{account}
          adapter: service
          guarantee: serialized
          lease: { ttl: 30s }
          limits: { maxInFlight: %d }
          http: { route: "/ledger/{account}/**", reads: allow }
      """;

  /** Records live for a minute, so that as many end as begin once that is over. */
  private static final String KEYED_POLICY =
      """
        - name: keyed
          match: keyed/{account}
          adapter: service
          guarantee: serialized
          lease: { ttl: 30s }
          limits: { maxInFlight: %d }
          idempotency: { required: true, retention: 1m }
          http: { route: "/keyed/{account}/**" }
      """;

  private static final String BODY_START = "{\"entry\":\"";
  private static final String BODY_END = "\"}";

  private final Setting setting;
  private final Deque<Runnable> ends = new ArrayDeque<>();
  private final List<Lane> lanes = new ArrayList<>();
  private Runnable check = () -> {};

  private Bench(Setting setting) {
    this.setting = setting;
  }

  /**
   * Where it is set up.
   *
   * @param directory for configurations and logs
   * @param gatewayFlags more flags for the gateway's JVM
   * @param ways that are measured
   */
  record Setting(
      Path serverJar, Path directory, List<String> gatewayFlags, Set<Way> ways, Plan plan) {}

  /** Starts everything that these ways need. */
  static Bench start(Setting setting) {
    Bench bench = new Bench(setting);
    try {
      bench.startAll();
      return bench;
    } catch (RuntimeException e) {
      bench.close();
      throw e;
    }
  }

  List<Lane> lanes() {
    return lanes;
  }

  private void startAll() {
    Cores cores = setting.plan().cores();
    NginxProcess origin =
        keep(
            NginxProcess.start(folder("service"), cores.load(), NginxConfig::origin),
            NginxProcess::close);
    GatewayProcess gateway = keep(gateway(origin), GatewayProcess::close);
    HeldLocks locks = keep(HeldLocks.of(gateway.worker()), HeldLocks::close);
    check = locks::check;
    List<HeldLock> ledgers = take(locks, "ledger");
    String body = body(setting.plan().bodyBytes());
    List<Request> puts = requests(ledgers, "PUT", body);
    gatewayLane(Way.FENCED, gateway, puts);
    if (setting.ways().contains(Way.FENCED_KEYED)) {
      gatewayLane(Way.FENCED_KEYED, gateway, requests(take(locks, "keyed"), "PUT", body));
    }
    gatewayLane(Way.FENCED_BARE, gateway, requests(ledgers, "PUT", ""));
    gatewayLane(Way.UNFENCED, gateway, requests(ledgers, "GET", ""));
    plainLane(origin, puts);
    authLane(Way.NGINX_AUTH, cores.proxy(), origin, puts);
    authLane(Way.NGINX_AUTH_APART, cores.load(), origin, puts);
  }

  private GatewayProcess gateway(NginxProcess origin) {
    Plan plan = setting.plan();
    String policy = POLICY.formatted(origin.port(), plan.connections(), plan.connections());
    if (setting.ways().contains(Way.FENCED_KEYED)) {
      policy += KEYED_POLICY.formatted(plan.connections());
    }
    return GatewayProcess.start(
        new GatewayProcess.Setup(
            setting.serverJar(),
            folder(GATEWAY),
            "{ type: embedded, dataDir: data }",
            policy,
            new GatewayProcess.Jvm(Cores.pinnedTo(plan.cores().proxy()), setting.gatewayFlags())));
  }

  private List<HeldLock> take(HeldLocks locks, String kind) {
    List<HeldLock> taken = new ArrayList<>();
    for (int i = 1; i <= setting.plan().resources(); i++) {
      taken.add(locks.take(kind + "/" + i));
    }
    return taken;
  }

  private static List<Request> requests(List<HeldLock> locks, String method, String body) {
    return locks.stream()
        .map(lock -> new Request(method, "/" + lock.resource() + "/entries", lock, body))
        .toList();
  }

  /** A body of this many bytes; JSON where there is room for it. */
  private static String body(int bytes) {
    int room = bytes - BODY_START.length() - BODY_END.length();
    return room < 0 ? "1".repeat(bytes) : BODY_START + "x".repeat(room) + BODY_END;
  }

  private void gatewayLane(Way way, GatewayProcess gateway, List<Request> requests) {
    if (setting.ways().contains(way)) {
      lanes.add(new Lane(way, gateway.worker().getPort(), requests, List.of(gateway.pid())));
    }
  }

  private void plainLane(NginxProcess origin, List<Request> requests) {
    if (setting.ways().contains(Way.NGINX)) {
      NginxProcess nginx =
          proxy(
              Way.NGINX,
              port -> NginxConfig.plain(port, origin.port(), setting.plan().connections()));
      lanes.add(new Lane(Way.NGINX, nginx.port(), requests, List.of(nginx.pid())));
    }
  }

  private void authLane(Way way, int checkCore, NginxProcess origin, List<Request> requests) {
    if (setting.ways().contains(way)) {
      CheckProcess check =
          keep(CheckProcess.start(folder(way.key() + "-check"), checkCore), CheckProcess::close);
      NginxProcess nginx =
          proxy(
              way,
              port ->
                  NginxConfig.authRequest(
                      port, origin.port(), check.port(), setting.plan().connections()));
      lanes.add(new Lane(way, nginx.port(), requests, List.of(nginx.pid(), check.pid())));
    }
  }

  private NginxProcess proxy(Way way, IntFunction<String> config) {
    return keep(
        NginxProcess.start(folder(way.key()), setting.plan().cores().proxy(), config),
        NginxProcess::close);
  }

  private Path folder(String name) {
    return setting.directory().resolve(name);
  }

  private <T> T keep(T part, Consumer<T> end) {
    ends.push(() -> end.accept(part));
    return part;
  }

  /** {@link MeasurementFailure} where a lock was not kept. */
  void check() {
    check.run();
  }

  /** In the reverse order. */
  @Override
  public void close() {
    while (!ends.isEmpty()) {
      ends.pop().run();
    }
  }
}
