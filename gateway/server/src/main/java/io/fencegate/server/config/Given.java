/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.server.config;

import java.util.function.Function;

/**
 * A value that somebody gave for a key.
 *
 * @param value a String, a number or a Boolean
 * @param isSpelled the value is a text only because its source knows nothing else, so digits may
 *     stand for a number
 * @param complaint the message that this value is not what was expected
 */
record Given(Object value, boolean isSpelled, Function<String, String> complaint) {}
