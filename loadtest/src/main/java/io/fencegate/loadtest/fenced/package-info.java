/* SPDX-License-Identifier: Apache-2.0 */
/** What fencing HTTP writes costs, beside what people put in front of a service today. */
@NullMarked
package io.fencegate.loadtest.fenced;

import org.jspecify.annotations.NullMarked;
