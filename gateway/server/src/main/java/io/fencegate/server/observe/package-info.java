/* SPDX-License-Identifier: Apache-2.0 */
/** What operators see of the work: metrics and the audit trail. */
@NullMarked
package io.fencegate.server.observe;

import org.jspecify.annotations.NullMarked;
