/* SPDX-License-Identifier: Apache-2.0 */
/** The data plane: the path of one write from its request to its outcome. */
@NullMarked
package io.fencegate.server.write;

import org.jspecify.annotations.NullMarked;
