/* SPDX-License-Identifier: Apache-2.0 */
/** The command line: arguments in, lines and an exit code out. */
@NullMarked
package io.fencegate.server.cli;

import org.jspecify.annotations.NullMarked;
