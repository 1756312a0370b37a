/* SPDX-License-Identifier: Apache-2.0 */
/** The server's own settings. */
@NullMarked
package io.fencegate.server.config;

import org.jspecify.annotations.NullMarked;
