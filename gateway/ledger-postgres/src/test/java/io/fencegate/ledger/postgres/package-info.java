/* SPDX-License-Identifier: Apache-2.0 */
@NullMarked
package io.fencegate.ledger.postgres;

import org.jspecify.annotations.NullMarked;
