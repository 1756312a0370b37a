/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.config;

import java.nio.file.Path;

/**
 * The server file's content.
 *
 * @param dataDir where the embedded coordinator keeps its state
 * @param policies the folder whose {@code *.yaml} files are the policies
 */
public record ServerConfig(
    Listener worker, Listener operator, Path dataDir, Path policies, AuditConfig audit) {}
