/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.cli;

import io.fencegate.coordination.embedded.EmbeddedStoreException;
import io.fencegate.coordination.epoch.EpochsElsewhere;
import io.fencegate.coordination.store.StoreException;
import io.fencegate.coordination.witness.UnusableWitness;
import io.fencegate.coordination.witness.WitnessInUse;
import io.fencegate.server.Gateway;
import io.fencegate.server.observe.AuditLog;
import io.fencegate.server.policy.PolicyLibrary;
import java.util.Optional;

/**
 * Why a gateway did not start, for people.
 *
 * @param message what is wrong and what to do about it; several lines at most
 */
record StartFailure(int exitCode, String message) {

  /** Empty for what nobody foresaw. */
  static Optional<StartFailure> of(Throwable cause) {
    if (cause instanceof PolicyLibrary.UnusablePolicies) {
      return refused(
          cause.getMessage() + "%nThe policies cannot be used; mend them and start again.");
    }
    if (cause instanceof EmbeddedStoreException) {
      return unavailable(
          cause.getMessage()
              + "%nStop what uses it, make it writable, or give another one with"
              + " --coordinator.dataDir=DIR.");
    }
    if (cause instanceof StoreException) {
      return unavailable(cause.getMessage() + "%nMend the coordinator.tls files, or give others.");
    }
    if (cause instanceof EpochsElsewhere) {
      return refused(String.valueOf(cause.getMessage()));
    }
    if (cause instanceof WitnessInUse) {
      return unavailable(
          cause.getMessage()
              + "%nGive each gateway a directory of its own: --coordinator.dataDir=DIR.");
    }
    if (cause instanceof UnusableWitness) {
      return unavailable(
          cause.getMessage()
              + "%nIf the coordinator was not restored, wiped or exchanged since this gateway ran,"
              + " delete the file and start again. If it may have been, start one gateway without"
              + " traffic and raise the generation first.");
    }
    if (cause instanceof Gateway.PortUnavailable port) {
      return unavailable(
          port.getMessage()
              + "%nStop what listens there, or give another one with --worker.port=N or"
              + " --operator.port=N (0 takes a free one).");
    }
    if (cause instanceof AuditLog.UnusableAudit) {
      return unavailable(
          cause.getMessage() + "%nMake it writable, or give another one with --audit.file=FILE.");
    }
    return Optional.empty();
  }

  private static Optional<StartFailure> refused(String text) {
    return Optional.of(new StartFailure(ExitCode.REFUSED, lines(text)));
  }

  private static Optional<StartFailure> unavailable(String text) {
    return Optional.of(new StartFailure(ExitCode.UNAVAILABLE, lines(text)));
  }

  private static String lines(String text) {
    return text.replace("%n", System.lineSeparator());
  }
}
