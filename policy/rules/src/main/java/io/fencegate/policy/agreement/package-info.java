/* SPDX-License-Identifier: Apache-2.0 */
/** What gateways have to agree on before they write to the same resources. */
@NullMarked
package io.fencegate.policy.agreement;

import org.jspecify.annotations.NullMarked;
