/* SPDX-License-Identifier: Apache-2.0 */
/** What measurements share: processes that are measured, and what they use of the machine. */
@NullMarked
package io.fencegate.loadtest.measure;

import org.jspecify.annotations.NullMarked;
