/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.spi;

import io.fencegate.policy.model.AdapterConfig;
import io.fencegate.policy.model.PolicyProblem;
import io.fencegate.policy.model.ResourcePolicy;
import java.util.List;
import java.util.Optional;

/**
 * Makes adapters of one type; found through {@link java.util.ServiceLoader}, so a third party's
 * comes with its jar. Needs a public constructor without parameters; the only public class of an
 * adapter.
 */
public interface AdapterFactory {

  /** The {@code type} of a policy file's adapter. */
  String type();

  /** What an adapter with this configuration can keep if no other gateway interferes; no I/O. */
  Offer offer(AdapterConfig config);

  /**
   * Where the writes go and how they are kept in order there, as a short text of one line without
   * secrets; no I/O. Gateways may write to the same resources only where their texts are the same,
   * and a policy in use is given another one by {@code policy switch} only.
   */
  String destination(AdapterConfig config);

  /** Whether its adapters are {@link ProxyAdapter}s, which policies reach by a route. */
  default boolean takesRoutes() {
    return false;
  }

  /**
   * What is wrong with the configuration and with the policies that use it; no I/O. Pointers are
   * relative to the policy file's root: {@code /adapters/<name>/..} and {@code
   * /resources/<index>/operations/..}.
   *
   * @param policies those that name this adapter, each with its JSON pointer
   */
  List<PolicyProblem> check(AdapterConfig config, List<PlacedPolicy> policies);

  /** A policy and where it stands in its file. */
  record PlacedPolicy(String pointer, ResourcePolicy policy) {}

  /**
   * Whether its adapters carry out writes in shadow, see {@link ResourceAdapter#applyUnfenced}.
   * Policies with {@code enforcement: shadow} are refused at load where they do not.
   */
  default boolean takesShadowWrites() {
    return false;
  }

  /**
   * Makes an adapter; {@link #check} found nothing wrong before. No I/O: it connects on first use.
   *
   * @param policies those that name this adapter
   */
  ResourceAdapter create(
      AdapterConfig config, List<ResourcePolicy> policies, AdapterContext context);

  /**
   * What an administrator runs in the downstream once so that this adapter needs no rights to
   * create anything itself; empty where nothing has to be created. No I/O.
   */
  default Optional<String> installSql() {
    return Optional.empty();
  }
}
