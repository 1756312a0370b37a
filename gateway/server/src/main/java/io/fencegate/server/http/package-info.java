/* SPDX-License-Identifier: Apache-2.0 */
/** What workers speak with: parsing, answers, and the one table from outcomes to HTTP. */
@NullMarked
package io.fencegate.server.http;

import org.jspecify.annotations.NullMarked;
