/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.config;

import java.nio.file.Path;

/**
 * The audit trail.
 *
 * @param maxSizeBytes a file is rolled over beyond this size
 * @param keep how many rolled files are kept
 */
public record AuditConfig(Path file, long maxSizeBytes, int keep) {}
