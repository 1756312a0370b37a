/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fencegate.adapter.spi.AdapterContext;
import io.fencegate.adapter.spi.ApplyOutcome;
import io.fencegate.adapter.spi.FencedWrite;
import io.fencegate.adapter.spi.KeyClaim;
import io.fencegate.adapter.spi.KeyScope;
import io.fencegate.adapter.spi.OutcomeRecords;
import io.fencegate.adapter.spi.RecordedWrite;
import io.fencegate.adapter.spi.ResourceAdapter;
import io.fencegate.adapter.spi.Seal;
import io.fencegate.adapter.spi.SealOutcome;
import io.fencegate.adapter.spi.WriteContent;
import io.fencegate.policy.fence.Permit;
import io.fencegate.policy.model.Guarantee;
import io.fencegate.policy.name.IdempotencyKey;
import io.fencegate.policy.name.ResourceName;
import io.fencegate.policy.outcome.Certainty;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.outcome.Ruling;
import io.fencegate.policy.time.Clocks;
import io.fencegate.policy.token.FencingToken;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The contract of an adapter that offers {@code strict} and keeps its own outcome records. An
 * adapter's test extends this class, gives it a downstream and inherits the tests. After every one
 * of them the invariants of {@link WriteHistory} are checked on all that was written.
 *
 * <p>An override of {@link #notDurableBecause} states its reason; there is nothing else to opt out
 * of.
 */
public abstract class AdapterContract {

  /** Content to which the adapter objects, and the field that it names. */
  public record Objectionable(WriteContent content, String field) {}

  private static final ResourceName RESOURCE = new ResourceName("tck/one");
  private static final ResourceName OTHER = new ResourceName("tck/two");
  private static final Duration DEADLINE = Duration.ofSeconds(20);
  private static final Duration RETENTION = Duration.ofHours(1);

  /** Rounds of the race between an older write and a newer seal. */
  private static final int RACE_ROUNDS = 40;

  private static final int DUPLICATES = 8;

  private final Clocks clocks = new SystemClocks();
  private final Permits permits = new Permits(clocks);
  private final WriteHistory history = new WriteHistory();
  private final Vertx vertx = Vertx.vertx();
  private final OnContext gateway = new OnContext(vertx);
  private @Nullable ResourceAdapter adapter;

  /** An adapter on a downstream that has never been written to. */
  protected abstract ResourceAdapter fresh(AdapterContext context);

  /** A new adapter on the downstream of the last {@link #fresh}, as after a restart. */
  protected abstract ResourceAdapter reopen(AdapterContext context);

  /** A write that appends {@code value} to the resource's log, and {@code token} beside it. */
  protected abstract WriteContent append(ResourceName resource, FencingToken token, String value);

  /**
   * A write that appends {@code value} first and then, or thereby, makes the downstream refuse it.
   */
  protected abstract WriteContent appendAndFail(
      ResourceName resource, FencingToken token, String value);

  /** Content that the adapter refuses to send. */
  protected abstract Objectionable objectionable();

  /** What {@link #append} has left in the downstream, in the order in which it took effect. */
  protected abstract List<LogEntry> log(ResourceName resource);

  /** Why epochs do not outlive the adapter; empty where they do. */
  protected Optional<String> notDurableBecause() {
    return Optional.empty();
  }

  @BeforeEach
  final void open() {
    AdapterContext context = new AdapterContext(vertx, clocks);
    adapter = gateway.run(() -> Future.succeededFuture(fresh(context)));
  }

  @AfterEach
  final void checkInvariantsAndClose() {
    try {
      List<LogEntry> all = new ArrayList<>();
      for (ResourceName resource : List.of(RESOURCE, OTHER)) {
        List<LogEntry> log = log(resource);
        history.check(log);
        all.addAll(log);
      }
      history.checkComplete(all);
    } finally {
      gateway.run(adapter()::close);
      OnContext.await(vertx.close().toCompletionStage().toCompletableFuture());
    }
  }

  @Test
  void strictIsOfferedWithAReason() {
    assertThat(adapter().offer().guarantee()).isEqualTo(Guarantee.STRICT);
    assertThat(adapter().offer().reason()).isNotBlank();
  }

  @Test
  void reachableDownstreamIsReportedAsReachable() {
    assertThat(gateway.run(adapter()::unreachable)).isEmpty();
  }

  @Test
  void firstTokenAnswersSealFirstAndIsAppliedAfterTheSeal() {
    assertThat(apply(7, "a")).isInstanceOf(ApplyOutcome.SealFirst.class);
    assertThat(values()).isEmpty();
    sealed(7);
    assertThat(apply(7, "b")).isInstanceOf(ApplyOutcome.Applied.class);
    assertThat(values()).containsExactly("b");
  }

  @Test
  void staleTokenIsNeverAppliedAndLearnsTheEpoch() {
    sealed(42);
    applied(42, "new");
    assertThat(apply(41, "old")).isEqualTo(new ApplyOutcome.Stale(new FencingToken(42)));
    assertThat(values()).containsExactly("new");
  }

  @Test
  void equalTokensPass() {
    sealed(7);
    applied(7, "a");
    applied(7, "b");
    applied(7, "c");
    assertThat(values()).containsExactly("a", "b", "c");
  }

  @Test
  void newerTokenMustSealBeforeItWrites() {
    sealed(7);
    applied(7, "a");
    assertThat(apply(8, "b")).isInstanceOf(ApplyOutcome.SealFirst.class);
    sealed(8);
    applied(8, "c");
    assertThat(values()).containsExactly("a", "c");
  }

  @Test
  void applyNeverRaisesTheEpochByItself() {
    sealed(7);
    assertThat(apply(9, "a")).isInstanceOf(ApplyOutcome.SealFirst.class);
    applied(7, "b");
  }

  @Test
  void failedFirstWriteOfATermLeavesTheRaiseInPlace() {
    sealed(7);
    sealed(8);
    assertThat(write(8, "a", appendAndFail(RESOURCE, new FencingToken(8), "a"), null))
        .isInstanceOf(ApplyOutcome.Rejected.class);
    assertThat(apply(7, "zombie")).isInstanceOf(ApplyOutcome.Stale.class);
  }

  @Test
  void sealIsIdempotent() {
    sealed(7);
    sealed(7);
    applied(7, "a");
    sealed(7);
  }

  @Test
  void sealWithALowerTokenAnswersStaleWithTheEpoch() {
    sealed(7);
    assertThat(seal(6, null)).isEqualTo(new SealOutcome.Stale(new FencingToken(7)));
    applied(7, "a");
  }

  @Test
  void resourcesHaveEpochsOfTheirOwn() {
    sealed(7);
    Permit other = permits.mint(OTHER, new FencingToken(3));
    assertThat(gateway.run(() -> adapter().seal(other, new Seal(null, deadline()))))
        .isEqualTo(new SealOutcome.Sealed());
    FencedWrite write = new FencedWrite(append(OTHER, new FencingToken(3), "x"), null, deadline());
    assertThat(history.note("x", gateway.run(() -> adapter().apply(other, write))))
        .isInstanceOf(ApplyOutcome.Applied.class);
    applied(7, "a");
    assertThat(log(OTHER)).containsExactly(new LogEntry("x", new FencingToken(3)));
  }

  @Test
  void epochBelowTheConfirmedFloorClosesTheResource() {
    assertThat(codeOf(seal(7, new FencingToken(5)))).isEqualTo(RefusalCode.EPOCH_WENT_BACKWARDS);
    assertThat(apply(7, "a")).isInstanceOf(ApplyOutcome.SealFirst.class);
    sealed(6);
    assertThat(codeOf(seal(9, new FencingToken(8)))).isEqualTo(RefusalCode.EPOCH_WENT_BACKWARDS);
    assertThat(seal(9, new FencingToken(6))).isEqualTo(new SealOutcome.Sealed());
  }

  @Test
  void epochOutlivesARestart() {
    Optional<String> excuse = notDurableBecause();
    assumeTrue(excuse.isEmpty(), excuse.orElse(""));
    sealed(42);
    applied(42, "a");
    restart();
    assertThat(apply(41, "old")).isEqualTo(new ApplyOutcome.Stale(new FencingToken(42)));
    applied(42, "b");
  }

  @Test
  void recordsOutliveARestart() {
    Optional<String> excuse = notDurableBecause();
    assumeTrue(excuse.isEmpty(), excuse.orElse(""));
    sealed(42);
    ApplyOutcome.Applied first = (ApplyOutcome.Applied) keyed(42, "a", "k", "f1");
    restart();
    ApplyOutcome.Replayed again = (ApplyOutcome.Replayed) keyed(42, "a", "k", "f1");
    assertThat(again.recorded().resultsJson()).isEqualTo(first.resultsJson());
  }

  @Test
  void lateOlderWriteLandsBeforeTheNewerSealOrNotAtAll() {
    for (int round = 0; round < RACE_ROUNDS; round++) {
      long old = 10 + 2L * round;
      sealed(old);
      int n = round;
      List<CompletableFuture<ApplyOutcome>> late =
          IntStream.range(0, 4).mapToObj(i -> start(old, "late-" + n + "-" + i)).toList();
      sealed(old + 1);
      List<LogEntry> atSeal = log(RESOURCE);
      applied(old + 1, "new-" + round);
      late.forEach(OnContext::await);
      assertThat(log(RESOURCE).subList(0, atSeal.size())).isEqualTo(atSeal);
      assertThat(log(RESOURCE)).hasSize(atSeal.size() + 1);
    }
  }

  @Test
  void repeatWithTheSameKeyGetsTheFirstResultsByteForByte() {
    sealed(7);
    ApplyOutcome.Applied first = (ApplyOutcome.Applied) keyed(7, "a", "k", "f1");
    ApplyOutcome.Replayed again = (ApplyOutcome.Replayed) keyed(7, "a", "k", "f1");
    assertThat(again.recorded().resultsJson()).isEqualTo(first.resultsJson());
    assertThat(again.recorded().token()).isEqualTo(new FencingToken(7));
    assertThat(again.recorded().fingerprint()).isEqualTo("f1");
    assertThat(values()).containsExactly("a");
  }

  @Test
  void appliedKeyIsReplayedEvenIfItsTokenIsStaleByNow() {
    sealed(7);
    ApplyOutcome.Applied first = (ApplyOutcome.Applied) keyed(7, "a", "k", "f1");
    sealed(8);
    ApplyOutcome.Replayed again = (ApplyOutcome.Replayed) keyed(7, "a", "k", "f1");
    assertThat(again.recorded().resultsJson()).isEqualTo(first.resultsJson());
    assertThat(keyed(9, "a", "k", "f1")).isInstanceOf(ApplyOutcome.Replayed.class);
    assertThat(apply(9, "b")).isInstanceOf(ApplyOutcome.SealFirst.class);
  }

  @Test
  void sameKeyWithAnotherFingerprintIsRefused() {
    sealed(7);
    keyed(7, "a", "k", "f1");
    assertThat(codeOf(keyed(7, "b", "k", "f2"))).isEqualTo(RefusalCode.IDEMPOTENCY_KEY_REUSED);
    assertThat(values()).containsExactly("a");
  }

  @Test
  void keysOfTwoCallersAreTwoWrites() {
    sealed(7);
    assertThat(write(7, "a", claim("one", "k", "f"))).isInstanceOf(ApplyOutcome.Applied.class);
    assertThat(write(7, "b", claim("two", "k", "f"))).isInstanceOf(ApplyOutcome.Applied.class);
    assertThat(values()).containsExactly("a", "b");
  }

  @Test
  void concurrentDuplicatesAreAppliedOnce() {
    sealed(7);
    List<CompletableFuture<ApplyOutcome>> started =
        IntStream.range(0, DUPLICATES)
            .mapToObj(i -> start(7, "a", claim("caller", "k", "f1")))
            .toList();
    List<ApplyOutcome> outcomes = started.stream().map(OnContext::await).toList();
    assertThat(outcomes).filteredOn(ApplyOutcome.Applied.class::isInstance).hasSize(1);
    assertThat(outcomes)
        .allMatch(
            outcome ->
                outcome instanceof ApplyOutcome.Applied
                    || outcome instanceof ApplyOutcome.Replayed
                    || isRejected(outcome, RefusalCode.IN_FLIGHT));
    assertThat(values()).containsExactly("a");
  }

  @Test
  void failedWriteLeavesNothingBehindAndItsKeyFree() {
    sealed(7);
    FencingToken token = new FencingToken(7);
    ApplyOutcome failed =
        write(7, "x", appendAndFail(RESOURCE, token, "x"), claim("caller", "k", "f1"));
    assertThat(codeOf(failed)).isEqualTo(RefusalCode.OPERATION_FAILED);
    assertThat(values()).isEmpty();
    assertThat(lookUp("k")).isEqualTo(new RecordedWrite.None());
    assertThat(keyed(7, "y", "k", "f2")).isInstanceOf(ApplyOutcome.Applied.class);
  }

  @Test
  void recordsTellWhatAKeyCameTo() {
    sealed(7);
    assertThat(lookUp("k")).isEqualTo(new RecordedWrite.None());
    ApplyOutcome.Applied first = (ApplyOutcome.Applied) keyed(7, "a", "k", "f1");
    RecordedWrite.Applied found = (RecordedWrite.Applied) lookUp("k");
    assertThat(found.resultsJson()).isEqualTo(first.resultsJson());
    assertThat(found.token()).isEqualTo(new FencingToken(7));
    assertThat(found.fingerprint()).isEqualTo("f1");
  }

  @Test
  void closedDoorIsProofThatNothingWasOrWillBeApplied() {
    sealed(7);
    assertThat(close("k")).isInstanceOf(RecordedWrite.Closed.class);
    assertThat(keyed(7, "a", "k", "f1")).isInstanceOf(ApplyOutcome.Rejected.class);
    assertThat(lookUp("k")).isInstanceOf(RecordedWrite.Closed.class);
    assertThat(close("k")).isInstanceOf(RecordedWrite.Closed.class);
    assertThat(values()).isEmpty();
  }

  @Test
  void appliedKeyStaysAppliedWhenItsDoorIsClosed() {
    sealed(7);
    keyed(7, "a", "k", "f1");
    assertThat(close("k")).isInstanceOf(RecordedWrite.Applied.class);
    assertThat(keyed(7, "a", "k", "f1")).isInstanceOf(ApplyOutcome.Replayed.class);
  }

  @Test
  void objectionNamesTheField() {
    Objectionable bad = objectionable();
    Refusal refusal = adapter().objection(bad.content()).orElseThrow();
    assertThat(refusal.code()).isEqualTo(RefusalCode.INVALID_REQUEST);
    assertThat(refusal.field()).isEqualTo(bad.field());
    assertThat(adapter().objection(append(RESOURCE, new FencingToken(1), "a"))).isEmpty();
  }

  @Test
  void refusalSaysThatNothingWasApplied() {
    sealed(7);
    ApplyOutcome failed = write(7, "x", appendAndFail(RESOURCE, new FencingToken(7), "x"), null);
    Refusal refusal = ((ApplyOutcome.Rejected) failed).refusal();
    assertThat(refusal.certainty()).isEqualTo(Certainty.REJECTED);
    assertThat(refusal.detail()).isNotBlank();
  }

  @Test
  void closingTwiceIsHarmless() {
    gateway.run(adapter()::close);
    gateway.run(adapter()::close);
  }

  private ResourceAdapter adapter() {
    ResourceAdapter open = adapter;
    if (open == null) {
      throw new AssertionError("the adapter was not opened");
    }
    return open;
  }

  private void restart() {
    gateway.run(adapter()::close);
    AdapterContext context = new AdapterContext(vertx, clocks);
    adapter = gateway.run(() -> Future.succeededFuture(reopen(context)));
  }

  private long deadline() {
    return clocks.read().monotonicNanos() + DEADLINE.toNanos();
  }

  private SealOutcome seal(long token, @Nullable FencingToken floor) {
    Permit permit = permits.mint(RESOURCE, new FencingToken(token));
    return gateway.run(() -> adapter().seal(permit, new Seal(floor, deadline())));
  }

  private void sealed(long token) {
    assertThat(seal(token, null)).isEqualTo(new SealOutcome.Sealed());
  }

  private ApplyOutcome apply(long token, String value) {
    return write(token, value, null);
  }

  private void applied(long token, String value) {
    assertThat(apply(token, value)).isInstanceOf(ApplyOutcome.Applied.class);
  }

  private ApplyOutcome keyed(long token, String value, String key, String fingerprint) {
    return write(token, value, claim("caller", key, fingerprint));
  }

  private ApplyOutcome write(long token, String value, @Nullable KeyClaim claim) {
    return OnContext.await(start(token, value, claim));
  }

  private ApplyOutcome write(
      long token, String value, WriteContent content, @Nullable KeyClaim claim) {
    return OnContext.await(start(token, value, content, claim));
  }

  private CompletableFuture<ApplyOutcome> start(long token, String value) {
    return start(token, value, null);
  }

  private CompletableFuture<ApplyOutcome> start(
      long token, String value, @Nullable KeyClaim claim) {
    return start(token, value, append(RESOURCE, new FencingToken(token), value), claim);
  }

  private CompletableFuture<ApplyOutcome> start(
      long token, String value, WriteContent content, @Nullable KeyClaim claim) {
    Permit permit = permits.mint(RESOURCE, new FencingToken(token));
    FencedWrite write = new FencedWrite(content, claim, deadline());
    return gateway
        .start(() -> adapter().apply(permit, write))
        .thenApply(outcome -> history.note(value, outcome));
  }

  private static KeyClaim claim(String caller, String key, String fingerprint) {
    return new KeyClaim(scope(caller, key), fingerprint, RETENTION);
  }

  private static KeyScope scope(String caller, String key) {
    return new KeyScope(RESOURCE, caller, new IdempotencyKey(key));
  }

  private OutcomeRecords records() {
    return adapter().records().orElseThrow();
  }

  private RecordedWrite lookUp(String key) {
    return granted(gateway.run(() -> records().lookUp(scope("caller", key), deadline())));
  }

  private RecordedWrite close(String key) {
    return granted(gateway.run(() -> records().close(scope("caller", key), RETENTION, deadline())));
  }

  private static RecordedWrite granted(Ruling<RecordedWrite> ruling) {
    return ruling.fold(
        found -> found,
        refusal -> {
          throw new AssertionError("the records were not read: " + refusal);
        });
  }

  private List<String> values() {
    return log(RESOURCE).stream().map(LogEntry::value).toList();
  }

  private static RefusalCode codeOf(SealOutcome outcome) {
    return ((SealOutcome.Failed) outcome).refusal().code();
  }

  private static RefusalCode codeOf(ApplyOutcome outcome) {
    return ((ApplyOutcome.Rejected) outcome).refusal().code();
  }

  private static boolean isRejected(ApplyOutcome outcome, RefusalCode code) {
    return outcome instanceof ApplyOutcome.Rejected no && no.refusal().code() == code;
  }
}
