/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.config;

import java.nio.file.Path;

/**
 * The server file's content.
 *
 * @param dataDir what this gateway keeps for itself: the embedded coordinator's state
 * @param policies the folder whose {@code *.yaml} files are the policies
 */
public record ServerConfig(
    Listener worker,
    Listener operator,
    Path dataDir,
    CoordinatorConfig coordinator,
    Path policies,
    AuditConfig audit) {}
