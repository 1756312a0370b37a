/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.epoch.Verified;
import io.fencegate.coordination.key.EpochRecord;
import io.fencegate.coordination.key.LockRecord;
import io.fencegate.coordination.store.LeaseHandle;
import io.fencegate.coordination.store.Op;
import io.fencegate.policy.fence.WriteHeader;
import io.fencegate.policy.name.HolderId;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.token.FencingToken;
import io.fencegate.policy.token.Generation;
import io.fencegate.policy.token.LeaseId;
import io.fencegate.policy.token.LeaseProof;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The table of "verify and raise", generated: every combination of what the lock is, what the epoch
 * is, what was last seen of it, and whether a lease is required, against a plain restatement of the
 * rules.
 */
class EpochTableTest extends CoordinationFixture {

  private enum Lock {
    ABSENT,
    MINE,
    SAME_TOKEN_OTHER_LEASE,
    HIGHER_TOKEN,
    LOWER_TOKEN
  }

  private enum Epoch {
    ABSENT,
    BELOW,
    EQUAL,
    /** The token's very number, but put by a break. */
    EQUAL_BY_BREAK,
    ABOVE
  }

  private enum Seen {
    NOTHING,
    BELOW,
    EQUAL
  }

  private record Case(int number, Lock lock, Epoch epoch, Seen seen, boolean leaseRequired) {
    ResourceName resource() {
      return CoordinationFixture.resource("case/" + number);
    }
  }

  private static final LeaseProof MINE = LeaseId.of(new byte[LeaseId.BYTES]).proof();
  private static final LeaseProof OTHERS =
      LeaseId.of("0123456789abcdef".getBytes(java.nio.charset.StandardCharsets.US_ASCII)).proof();

  private static List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (Lock lock : Lock.values()) {
      for (Epoch epoch : Epoch.values()) {
        for (Seen seen : Seen.values()) {
          for (boolean required : List.of(true, false)) {
            cases.add(new Case(cases.size(), lock, epoch, seen, required));
          }
        }
      }
    }
    return cases;
  }

  /** What the table says: empty for accepted. */
  private static Optional<RefusalCode> expected(Case c) {
    if (c.epoch() == Epoch.ABOVE) {
      boolean presentHolder =
          c.lock() == Lock.MINE || (c.lock() == Lock.SAME_TOKEN_OTHER_LEASE && !c.leaseRequired());
      return Optional.of(presentHolder ? RefusalCode.TOKEN_BELOW_FLOOR : RefusalCode.STALE_TOKEN);
    }
    return switch (c.lock()) {
      case HIGHER_TOKEN -> Optional.of(RefusalCode.STALE_TOKEN);
      case LOWER_TOKEN -> Optional.of(RefusalCode.TOKEN_NOT_ISSUED);
      case MINE -> Optional.empty();
      case SAME_TOKEN_OTHER_LEASE ->
          c.leaseRequired() ? Optional.of(RefusalCode.TOKEN_NOT_ISSUED) : Optional.empty();
      case ABSENT ->
          switch (c.epoch()) {
            case EQUAL_BY_BREAK -> Optional.of(RefusalCode.TOKEN_NOT_ISSUED);
            case EQUAL ->
                c.leaseRequired() ? Optional.of(RefusalCode.LEASE_EXPIRED) : Optional.empty();
            default -> Optional.of(RefusalCode.LEASE_EXPIRED);
          };
    };
  }

  @Test
  void everyCombinationIsJudgedAsTheTableSaysAndMovesTheEpochOnlyWhenAccepted() {
    Party party = party();
    for (Case c : cases()) {
      FencingToken token = arrange(c);
      Optional<EpochRecord> before = record(c.resource());
      Ruling<Verified> ruling =
          party.call(
              () ->
                  party
                      .coordination()
                      .epochs()
                      .verifyAndRaise(
                          c.resource(),
                          new WriteHeader(token, c.leaseRequired() ? MINE : null),
                          c.leaseRequired(),
                          seen(c, token),
                          deadline()));
      Optional<RefusalCode> judged =
          ruling.fold(ok -> Optional.empty(), refusal -> Optional.of(refusal.code()));
      assertThat(judged).as(c.toString()).isEqualTo(expected(c));
      assertThat(record(c.resource()))
          .as("epoch after " + c)
          .isEqualTo(judged.isEmpty() ? Optional.of(EpochRecord.accepted(token)) : before);
    }
  }

  /** Lays out lock and epoch around one token, and answers that token. */
  private FencingToken arrange(Case c) {
    long revision = commit(lockPut(c.resource(), MINE)).revision();
    FencingToken token = FencingToken.of(Generation.FIRST, revision);
    switch (c.lock()) {
      case MINE -> {}
      case ABSENT -> commit(new Op.Delete(keys.lock(c.resource())));
      case SAME_TOKEN_OTHER_LEASE -> commit(lockPut(c.resource(), OTHERS));
      case HIGHER_TOKEN -> {
        commit(new Op.Delete(keys.lock(c.resource())));
        commit(lockPut(c.resource(), OTHERS));
      }
      case LOWER_TOKEN -> {
        put(keys.reserve(c.resource()), io.fencegate.coordination.store.Value.of("x"));
        commit(new Op.Delete(keys.reserve(c.resource())));
        token = FencingToken.of(Generation.FIRST, revision + 1);
      }
    }
    FencingToken raised =
        switch (c.epoch()) {
          case ABSENT, EQUAL, EQUAL_BY_BREAK -> token;
          case BELOW -> new FencingToken(token.value() - 1);
          case ABOVE -> new FencingToken(token.value() + 1);
        };
    if (c.epoch() != Epoch.ABSENT) {
      EpochRecord record =
          c.epoch() == Epoch.EQUAL_BY_BREAK
              ? EpochRecord.fence(raised)
              : EpochRecord.accepted(raised);
      put(keys.epoch(c.resource()), record.encode());
    }
    return token;
  }

  private Op lockPut(ResourceName resource, LeaseProof proof) {
    LeaseHandle lease = lease();
    LockRecord record = new LockRecord(proof, Generation.FIRST, 30, 0, HolderId.UNNAMED, "{}");
    return new Op.Put(keys.lock(resource), record.encode(), lease);
  }

  private static @Nullable FencingToken seen(Case c, FencingToken token) {
    return switch (c.seen()) {
      case NOTHING -> null;
      case BELOW -> new FencingToken(Math.max(1, token.value() - 1));
      case EQUAL -> token;
    };
  }

  private Optional<EpochRecord> record(ResourceName resource) {
    return read(keys.epoch(resource)).map(entry -> EpochRecord.decode(entry.value()));
  }

  private Optional<FencingToken> epoch(ResourceName resource) {
    return record(resource).map(EpochRecord::raised);
  }

  @Test
  void aForgedTokenMovesNothingWhateverTheLockIs() {
    Party party = party();
    for (long forged : List.of(Long.MAX_VALUE, 1L << 44, 1_000_000L)) {
      for (Lock lock : List.of(Lock.ABSENT, Lock.MINE, Lock.HIGHER_TOKEN)) {
        Case c = new Case((int) (forged % 1000), lock, Epoch.EQUAL, Seen.NOTHING, true);
        arrange(c);
        Optional<FencingToken> before = epoch(c.resource());
        var refusal =
            refused(
                party.call(
                    () ->
                        party
                            .coordination()
                            .epochs()
                            .verifyAndRaise(
                                c.resource(),
                                new WriteHeader(new FencingToken(forged), MINE),
                                true,
                                null,
                                deadline())));
        assertThat(refusal.code()).isEqualTo(RefusalCode.TOKEN_NOT_ISSUED);
        assertThat(epoch(c.resource())).isEqualTo(before);
        commit(new Op.Delete(keys.lock(c.resource())));
        commit(new Op.Delete(keys.epoch(c.resource())));
      }
    }
  }

  @Test
  void aLostReplyOfARaiseIsStillVerifiedOnce() {
    Party party = party();
    var grant = granted(party.acquire(request("a", "r1"), deadline()));
    store.loseReply(batch -> writes(batch, keys.epoch(resource("a"))));
    Verified verified =
        granted(
            party.call(
                () ->
                    party
                        .coordination()
                        .epochs()
                        .verifyAndRaise(
                            grant.resource(),
                            new WriteHeader(grant.token(), grant.leaseId().proof()),
                            true,
                            null,
                            deadline())));
    assertThat(verified.verification().token()).isEqualTo(grant.token());
    assertThat(epoch(grant.resource())).contains(grant.token());
  }

  @Test
  void confirmedOnlyRises() {
    Party party = party();
    ResourceName resource = resource("a");
    for (long token : new long[] {5, 3, 9, 9, 7}) {
      party.call(
          () ->
              party
                  .coordination()
                  .epochs()
                  .confirm(resource, new FencingToken(token), null, deadline()));
    }
    assertThat(EpochRecord.decode(read(keys.confirmed(resource)).orElseThrow().value()).raised())
        .isEqualTo(new FencingToken(9));
  }

  /** The generation was raised while an old lock was held; nobody has to show a lease. */
  @Test
  void aTokenOfTheNewGenerationWithTheOldLocksRevisionRaisesNothing() {
    Party party = party();
    ResourceName resource = resource("generation/a");
    long revision = commit(lockPut(resource, OTHERS)).revision();
    put(
        keys.generation(),
        new io.fencegate.coordination.key.GenerationRecord(new Generation(1)).encode());
    FencingToken forged = FencingToken.of(new Generation(1), revision);
    for (boolean lockIsHeld : List.of(true, false)) {
      if (!lockIsHeld) {
        commit(new Op.Delete(keys.lock(resource)));
      }
      var refusal =
          refused(
              party.call(
                  () ->
                      party
                          .coordination()
                          .epochs()
                          .verifyAndRaise(
                              resource, new WriteHeader(forged, null), false, null, deadline())));
      assertThat(refusal.code()).isIn(RefusalCode.TOKEN_NOT_ISSUED, RefusalCode.LEASE_EXPIRED);
      assertThat(epoch(resource)).isEmpty();
    }
  }
}
