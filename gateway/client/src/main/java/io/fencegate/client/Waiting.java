/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

/** How an acquire spends its patience while somebody else holds the lock. */
public enum Waiting {
  /**
   * In the gateway's queue: first come, first served, and told at once when it is its turn. Takes
   * one connection meanwhile.
   */
  IN_QUEUE,

  /**
   * By asking again, with growing, random pauses. Takes no place in the queue and comes after
   * everybody who has one.
   */
  ASKING_AGAIN
}
