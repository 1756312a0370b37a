/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.demo;

/** What one can try by hand while everything is left running. */
final class KeepInstructions {

  private KeepInstructions() {}

  static String of(GatewayProcess.Addresses gateway, int ledgerPort, long pid) {
    return String.format(
        """
        Everything is left running. To end it: Ctrl-C, or kill %4$d.
          worker port    %1$s
          operator port  %2$s
          PostgreSQL     psql "host=127.0.0.1 port=%3$d user=postgres dbname=postgres"

        Take a lock (30 s) and write under it; paste this into bash:
          ANSWER=$(curl -s %1$s/v1/locks/acquire -H 'Content-Type: application/json' \\
            -d '{"resource":"settlement/us","requestId":"try-'$RANDOM'","leaseTtlMs":30000}'); echo "$ANSWER"
          TOKEN=$(sed -E 's/.*"fencingToken":"([0-9]+)".*/\\1/' <<<"$ANSWER")
          LEASE=$(sed -E 's/.*"leaseId":"([^"]+)".*/\\1/' <<<"$ANSWER")
          curl -s %1$s/v1/write/settlement/us -H 'Content-Type: application/json' \\
            -H "Fencing-Token: $TOKEN" -H "Fencing-Lease: $LEASE" -H "Idempotency-Key: try-$RANDOM" \\
            -d '{"operation":"post-entry","params":{"posting_id":"US-1","account":"ACC-1","currency":"USD","amount":"12.50"}}'

        Show the lock that the demo's workers used, and the metrics:
          curl -s %1$s/v1/locks/settlement/eu
          curl -s %2$s/metrics
        """,
        gateway.worker(), gateway.operator(), ledgerPort, pid);
  }
}
