/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

/**
 * An open watch. Nothing is told after {@link #close()} has returned on the watch's own context.
 */
@FunctionalInterface
public interface Watch extends AutoCloseable {
  @Override
  void close();
}
