/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.policy;

import io.fencegate.adapter.spi.AdapterContext;
import io.fencegate.adapter.spi.AdapterFactory;
import io.fencegate.adapter.spi.ResourceAdapter;
import io.fencegate.policy.agreement.PolicyTerms;
import io.fencegate.policy.file.LoadedPolicies;
import io.fencegate.policy.file.PlacedPolicy;
import io.fencegate.policy.file.PolicyLoad;
import io.fencegate.policy.file.PolicyMessage;
import io.fencegate.policy.file.ValueResolver;
import io.fencegate.policy.model.AdapterConfig;
import io.fencegate.policy.model.ResourcePolicy;
import io.fencegate.policy.name.AdapterName;
import io.fencegate.policy.name.PolicyName;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the active policies as their files say, all or nothing: a file that cannot be used keeps
 * the last good set in force. Used from one context; reads files on worker threads.
 */
public final class PolicyLibrary {

  /** How often the folder is looked at. */
  private static final Duration LOOK_EVERY = Duration.ofSeconds(2);

  private static final Logger LOG = LoggerFactory.getLogger(PolicyLibrary.class);

  private final Vertx vertx;
  private final PolicyFolder folder;
  private final AdapterFactories factories;
  private final PolicyChecks checks;
  private final ValueResolver values;
  private final AdapterContext adapterContext;
  private final ActivePolicies active;
  private final Map<AdapterConfig, ResourceAdapter> made = new LinkedHashMap<>();
  private String seen;
  private boolean lastReloadSuccessful = true;
  private Runnable onChange = () -> {};
  private Future<List<String>> reloading = Future.succeededFuture(List.of());

  private PolicyLibrary(Setup setup, LoadedPolicies loaded, String fingerprint) {
    this.vertx = setup.vertx();
    this.folder = setup.folder();
    this.factories = setup.factories();
    this.checks = setup.checks();
    this.values = setup.values();
    this.adapterContext = setup.adapterContext();
    this.seen = fingerprint;
    this.active = new ActivePolicies(inForce(loaded));
  }

  /**
   * What a library works with.
   *
   * @param noElectionsBecause why this gateway cannot look at candidates in etcd; empty where it
   *     can
   */
  public record Setup(
      Vertx vertx,
      PolicyFolder folder,
      AdapterFactories factories,
      ValueResolver values,
      AdapterContext adapterContext,
      Optional<String> noElectionsBecause) {

    PolicyChecks checks() {
      return new PolicyChecks(factories, noElectionsBecause);
    }
  }

  /** The first load failed. */
  public static final class UnusablePolicies extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnusablePolicies(List<String> messages) {
      super(String.join(System.lineSeparator(), messages));
    }
  }

  /** Loads the folder; fails with {@link UnusablePolicies}, every reason in its message. */
  public static Future<PolicyLibrary> open(Setup setup) {
    PolicyChecks checks = setup.checks();
    return setup
        .vertx()
        .executeBlocking(
            () -> {
              String fingerprint = setup.folder().fingerprint();
              return Map.entry(fingerprint, load(setup.folder(), checks, setup.values()));
            })
        .map(
            read ->
                read.getValue()
                    .fold(
                        loaded -> new PolicyLibrary(setup, loaded, read.getKey()),
                        messages -> {
                          throw new UnusablePolicies(texts(messages));
                        }));
  }

  private static PolicyLoad load(PolicyFolder folder, PolicyChecks checks, ValueResolver values) {
    try {
      return checks.load(folder.read(), values);
    } catch (IOException e) {
      return new PolicyLoad.Broken(
          List.of(
              new PolicyMessage(
                  folder.toString(),
                  1,
                  1,
                  "",
                  "a folder that cannot be read (" + e.getMessage() + ")",
                  "a folder with policy files")));
    }
  }

  private static List<String> texts(List<PolicyMessage> messages) {
    return messages.stream().map(PolicyMessage::text).toList();
  }

  public ActivePolicies active() {
    return active;
  }

  public boolean lastReloadSuccessful() {
    return lastReloadSuccessful;
  }

  /**
   * Looks at the folder now and then and reloads what changed.
   *
   * @param onChange run after a reload has put other policies in force
   */
  public void follow(Runnable onChange) {
    this.onChange = onChange;
    vertx.setPeriodic(LOOK_EVERY.toMillis(), unused -> look());
  }

  private void look() {
    vertx
        .executeBlocking(folder::fingerprint)
        .onSuccess(
            fingerprint -> {
              if (!fingerprint.equals(seen)) {
                seen = fingerprint;
                reload();
              }
            });
  }

  /**
   * Loads the folder anew and puts it in force as a whole.
   *
   * @return why it was not; empty where it was
   */
  public Future<List<String>> reload() {
    reloading =
        reloading.transform(
            unused -> vertx.executeBlocking(() -> load(folder, checks, values)).map(this::adopt));
    return reloading;
  }

  private List<String> adopt(PolicyLoad load) {
    List<String> refusals = load.fold(this::adopt, PolicyLibrary::texts);
    lastReloadSuccessful = refusals.isEmpty();
    if (refusals.isEmpty()) {
      LOG.info("policies reloaded: {} in force", active.set().policies().size());
    } else {
      LOG.error("policies not reloaded, the last good ones stay in force: {}", refusals);
    }
    return refusals;
  }

  private List<String> adopt(LoadedPolicies loaded) {
    active.replace(inForce(loaded));
    onChange.run();
    return List.of();
  }

  /** Adapters once made stay, so that nothing under way loses its downstream. */
  private ActivePolicies.InForce inForce(LoadedPolicies loaded) {
    Map<AdapterName, ResourceAdapter> adapters = new HashMap<>();
    loaded
        .set()
        .adapters()
        .forEach(
            (name, config) ->
                adapters.put(name, made.computeIfAbsent(config, unused -> create(config, loaded))));
    Map<PolicyName, PolicyTerms> terms = new HashMap<>();
    loaded.set().policies().forEach(policy -> terms.put(policy.name(), terms(policy, loaded)));
    return new ActivePolicies.InForce(loaded.set(), terms, adapters, List.copyOf(made.values()));
  }

  private PolicyTerms terms(ResourcePolicy policy, LoadedPolicies loaded) {
    AdapterConfig config = loaded.set().adapters().get(policy.adapter());
    if (config == null) {
      throw new IllegalStateException("checked at load: no adapter " + policy.adapter());
    }
    return Terms.of(policy, config.type() + " " + factory(config).destination(config));
  }

  private ResourceAdapter create(AdapterConfig config, LoadedPolicies loaded) {
    List<ResourcePolicy> policies =
        loaded.policiesOf(config.name()).stream().map(PlacedPolicy::policy).toList();
    return factory(config).create(config, policies, adapterContext);
  }

  private AdapterFactory factory(AdapterConfig config) {
    return factories
        .of(config.type())
        .orElseThrow(() -> new IllegalStateException("checked before: " + config.type()));
  }

  /** Closes all adapters. */
  public Future<Void> close() {
    return Future.join(made.values().stream().map(ResourceAdapter::close).toList()).mapEmpty();
  }
}
