/* SPDX-License-Identifier: Apache-2.0 */
/** The policies as all gateways share them. */
@NullMarked
package io.fencegate.coordination.agreement;

import org.jspecify.annotations.NullMarked;
