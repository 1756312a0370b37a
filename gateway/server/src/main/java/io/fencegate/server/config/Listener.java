/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.config;

/**
 * Where a port listens.
 *
 * @param port 0 to 65,535; 0 takes a free one
 */
public record Listener(String host, int port) {}
