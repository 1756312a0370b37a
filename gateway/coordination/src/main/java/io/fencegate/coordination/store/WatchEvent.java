/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.store;

/** One change of one key. */
public sealed interface WatchEvent {

  Key key();

  long revision();

  /** A put or a touch. */
  record Changed(Entry entry) implements WatchEvent {
    @Override
    public Key key() {
      return entry.key();
    }

    @Override
    public long revision() {
      return entry.modRevision();
    }
  }

  /** A delete, or the end of the key's lease. */
  record Deleted(Key key, long revision) implements WatchEvent {}
}
