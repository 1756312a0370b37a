/* SPDX-License-Identifier: Apache-2.0 */
/** How this gateway commits: batches under a session, doubts resolved by its counter. */
@NullMarked
package io.fencegate.coordination.commit;

import org.jspecify.annotations.NullMarked;
