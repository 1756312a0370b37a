/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The server file's content.
 *
 * @param advertise where other gateways reach this one's worker port; empty: where it listens
 * @param dataDir what this gateway keeps for itself: the embedded coordinator's state
 * @param policies the folder whose {@code *.yaml} files are the policies
 */
public record ServerConfig(
    Listener worker,
    Optional<Listener> advertise,
    Listener operator,
    Path dataDir,
    CoordinatorConfig coordinator,
    EpochsConfig epochs,
    Path policies,
    AuditConfig audit) {

  /** The worker port is reached where it listens; the coordinator alone keeps epochs. */
  public ServerConfig(
      Listener worker,
      Listener operator,
      Path dataDir,
      CoordinatorConfig coordinator,
      Path policies,
      AuditConfig audit) {
    this(
        worker,
        Optional.empty(),
        operator,
        dataDir,
        coordinator,
        EpochsConfig.COORDINATOR,
        policies,
        audit);
  }

  /**
   * {@code host:port} by which other gateways reach this one.
   *
   * @param workerPort that is listened on
   */
  public String address(int workerPort) {
    return advertise.orElseGet(() -> new Listener(worker.host(), workerPort)).address();
  }
}
