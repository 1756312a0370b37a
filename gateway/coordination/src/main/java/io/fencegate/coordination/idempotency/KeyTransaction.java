/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.idempotency;

import io.fencegate.coordination.commit.Transaction;
import io.fencegate.coordination.key.IdempotencyRecord;
import io.fencegate.coordination.key.Keyspace;
import io.fencegate.coordination.lease.Bucket;
import io.fencegate.coordination.lease.TtlClass;
import io.fencegate.coordination.store.Compare;
import io.fencegate.coordination.store.Key;
import io.fencegate.coordination.store.Member;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.token.Generation;
import java.util.List;
import java.util.Map;

/**
 * One step of a key's record. Every failed compare answers with the record that is there.
 *
 * <table>
 * <caption>steps</caption>
 * <tr><th>step</th><th>compares</th><th>then</th></tr>
 * <tr><td>look</td><td>none</td><td>get</td></tr>
 * <tr><td>begin</td><td>absent</td><td>put intent</td></tr>
 * <tr><td>settle</td><td>a record of this attempt, in whatever state</td><td>put outcome</td></tr>
 * <tr><td>abandon</td><td>this attempt's intent</td><td>delete</td></tr>
 * <tr><td>orphan</td><td>that attempt's intent; its gateway's session is absent</td>
 *     <td>put unknown</td></tr>
 * <tr><td>close</td><td>absent</td><td>put closed</td></tr>
 * </table>
 *
 * <p>An attempt is drawn once and its record is put by one begin only, so comparing it says more
 * than a modification revision would: a step that is sent again after doubt finds what its first
 * sending did, and no step ever touches another attempt's record. So a gateway that was taken for
 * dead may still replace the unknown by the answer that it got, while a key that was answered
 * unknown is never freed. Keys of one resource do not wait for each other: nothing else touches a
 * record.
 */
abstract class KeyTransaction implements Transaction {

  private final Keyspace keys;
  private final KeyName name;

  KeyTransaction(Keyspace keys, KeyName name) {
    this.keys = keys;
    this.name = name;
  }

  @Override
  public ResourceName resource() {
    return name.resource();
  }

  @Override
  public Object lane() {
    return key();
  }

  /** What was recorded holds whatever else the coordinator may have forgotten. */
  @Override
  public boolean needsHistory() {
    return false;
  }

  Keyspace keys() {
    return keys;
  }

  Key key() {
    return name.in(keys);
  }

  List<Op> look() {
    return List.of(new Op.Get(key()));
  }

  /** Reads the record: step 0. */
  static final class Look extends KeyTransaction {
    Look(Keyspace keys, KeyName name) {
      super(keys, name);
    }

    /** Any number of looks go together. */
    @Override
    public Object lane() {
      return this;
    }

    @Override
    public boolean putsNothing() {
      return true;
    }

    @Override
    public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
      return new Member(List.of(), look(), List.of());
    }
  }

  /** Puts a record where the compares hold. */
  static final class Put extends KeyTransaction {

    /** What makes the record, anew for each sending: the session may be another one by then. */
    interface Making {
      IdempotencyRecord make();
    }

    private final TtlClass ttlClass;
    private final List<Compare> compares;
    private final Making making;
    private final boolean fresh;

    private Put(
        Keyspace keys, KeyName name, TtlClass ttlClass, List<Compare> compares, Making making) {
      super(keys, name);
      this.ttlClass = ttlClass;
      this.making = making;
      this.fresh = compares.isEmpty();
      this.compares = fresh ? List.of(Compare.absent(key())) : compares;
    }

    /** Begin, and close: where there is no record yet. */
    static Put first(Keyspace keys, KeyName name, TtlClass ttlClass, Making making) {
      return new Put(keys, name, ttlClass, List.of(), making);
    }

    static Put settle(Keyspace keys, Intent intent, Making making) {
      KeyName name = intent.claim().name();
      return new Put(
          keys,
          name,
          intent.claim().ttlClass(),
          List.of(new Compare.ValuePrefix(name.in(keys), IdempotencyRecord.of(intent.attempt()))),
          making);
    }

    /**
     * The record's gateway is gone.
     *
     * @param unknown the record as it shall be
     */
    static Put orphan(Keyspace keys, KeyName name, IdempotencyRecord unknown) {
      return new Put(
          keys,
          name,
          new TtlClass(unknown.ttlClass()),
          List.of(
              new Compare.ValuePrefix(name.in(keys), IdempotencyRecord.intentOf(unknown.attempt())),
              Compare.absent(keys.gateway(unknown.session()))),
          () -> unknown);
    }

    /** Nothing is sent on the word of a coordinator that has forgotten. */
    @Override
    public boolean needsHistory() {
      return fresh;
    }

    @Override
    public boolean isNew() {
      return fresh;
    }

    @Override
    public List<TtlClass> ttlClasses() {
      return List.of(ttlClass);
    }

    @Override
    public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
      Bucket bucket = Transaction.bucket(buckets, ttlClass);
      return new Member(
          compares, List.of(new Op.Put(key(), making.make().encode(), bucket.lease())), look());
    }
  }

  /**
   * Frees the key: nothing was sent. Bound to the session as what puts is, so that a begin in doubt
   * is settled before it, and cannot be committed behind it.
   */
  static final class Abandon extends KeyTransaction {
    private final Intent intent;

    Abandon(Keyspace keys, Intent intent) {
      super(keys, intent.claim().name());
      this.intent = intent;
    }

    @Override
    public Member build(Generation generation, Map<TtlClass, Bucket> buckets) {
      return new Member(
          List.of(new Compare.ValuePrefix(key(), IdempotencyRecord.intentOf(intent.attempt()))),
          List.of(new Op.Delete(key())),
          look());
    }
  }
}
