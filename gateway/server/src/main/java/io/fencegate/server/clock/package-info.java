/* SPDX-License-Identifier: Apache-2.0 */
/** Where the process reads the machine's clocks. */
@NullMarked
package io.fencegate.server.clock;

import org.jspecify.annotations.NullMarked;
