/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.adapter.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fencegate.adapter.spi.AdapterContext;
import io.fencegate.adapter.spi.AdapterFactory;
import io.fencegate.adapter.spi.ApplyOutcome;
import io.fencegate.adapter.spi.FencedWrite;
import io.fencegate.adapter.spi.ReconcileOutcome;
import io.fencegate.adapter.spi.ResourceAdapter;
import io.fencegate.adapter.spi.WriteContent;
import io.fencegate.policy.model.AdapterConfig;
import io.fencegate.policy.model.PolicyProblem;
import io.fencegate.policy.outcome.Refusal;
import io.fencegate.policy.outcome.RefusalCode;
import io.fencegate.policy.token.FencingToken;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What every adapter promises, whoever judges the tokens. */
abstract class CommonContract extends AdapterFixture {

  /** By how much a future may be late. */
  private static final Duration GRACE = Duration.ofSeconds(1);

  private static final Duration SHORT = Duration.ofSeconds(2);
  private static final int UNDER_WAY = 16;

  /** Content to which the adapter objects, and the field that it names. */
  public record Objectionable(WriteContent content, String field) {}

  /**
   * A downstream that is reached by TCP.
   *
   * @param adapter an adapter that reaches it at another port of 127.0.0.1
   */
  public record Wire(
      String host, int port, BiFunction<AdapterContext, Integer, ResourceAdapter> adapter) {}

  /** Content that the adapter refuses to send. */
  protected abstract Objectionable objectionable();

  /** The adapter as a policy file would describe it, fit for use. */
  protected abstract AdapterConfig config();

  /** Where the downstream is, for the tests that break the wire; empty where there is no wire. */
  protected Optional<Wire> wire() {
    return Optional.empty();
  }

  private AdapterFactory factory() {
    return ServiceLoader.load(AdapterFactory.class).stream()
        .map(ServiceLoader.Provider::get)
        .filter(it -> it.type().equals(config().type()))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no factory of type " + config().type()));
  }

  private FencedWrite writeBy(String value, long token, long deadlineNanos) {
    return new FencedWrite(append(RESOURCE, new FencingToken(token), value), null, deadlineNanos);
  }

  @Test
  void theFactoryIsFoundAndOffersWhatItsAdapterKeeps() {
    assertThat(factory().offer(config())).isEqualTo(adapter().offer());
    assertThat(factory().check(config(), List.of())).isEmpty();
  }

  @Test
  void anUnknownSettingIsAProblemAtItsPlace() {
    Map<String, Object> settings = new HashMap<>(config().settings());
    settings.put("noSuchSetting", 1);
    AdapterConfig odd = new AdapterConfig(config().name(), config().type(), settings);
    assertThat(factory().check(odd, List.of()))
        .extracting(PolicyProblem::pointer)
        .containsExactly("/adapters/" + odd.name() + "/noSuchSetting");
  }

  @Test
  void theOffersReasonIsOneSentence() {
    assertThat(adapter().offer().reason()).isNotBlank().doesNotContain("\n", ". ");
  }

  @Test
  void reachableDownstreamIsReportedAsReachable() {
    assertThat(gateway.run(adapter()::unreachable)).isEmpty();
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
  void nothingIsSentOnceTheDeadlineIsOver() {
    sealed(7);
    ApplyOutcome outcome =
        OnContext.await(send(7, "late", writeBy("late", 7, nowNanos() - 1_000_000)));
    assertThat(outcome).isInstanceOf(ApplyOutcome.Rejected.class);
    assertThat(values()).isEmpty();
  }

  @Test
  void aWriteThatNobodyKnowsIsNotReconciledToApplied() {
    long deadlineNanos = nowNanos() + SHORT.toNanos();
    ReconcileOutcome outcome =
        gateway.run(() -> adapter().reconcile("no-such-write", deadlineNanos));
    assertThat(outcome).isNotInstanceOf(ReconcileOutcome.Applied.class);
    assertInTime(deadlineNanos);
  }

  @Test
  void closingTwiceIsHarmless() {
    gateway.run(adapter()::close);
    gateway.run(adapter()::close);
  }

  @Test
  void whatIsUnderWayEndsBeforeCloseDoes() {
    sealed(7);
    List<CompletableFuture<ApplyOutcome>> started =
        IntStream.range(0, UNDER_WAY).mapToObj(i -> start(7, "v" + i)).toList();
    gateway.run(adapter()::close);
    assertThat(started).allMatch(CompletableFuture::isDone);
    started.forEach(OnContext::await);
  }

  @Test
  void aLostReplyIsAnsweredInTimeAndTruthfully() {
    breakTheWire(proxy -> proxy.swallowRepliesOnceSent("on-the-wire"));
  }

  @Test
  void aConnectionCutWhileAWriteIsSentIsAnsweredInTimeAndTruthfully() {
    breakTheWire(proxy -> proxy.cutOnceSent("on-the-wire"));
  }

  @Test
  void aRequestHeldOnTheWireIsAnsweredInTimeAndTruthfully() {
    breakTheWire(proxy -> proxy.holdOnceSent("on-the-wire"));
  }

  /** The invariants, checked after every test, say whether the answer was true. */
  private void breakTheWire(Consumer<FaultProxy> fault) {
    assumeTrue(wire().isPresent(), "there is no wire between this adapter and its downstream");
    Wire wire = wire().orElseThrow();
    FaultProxy proxy = gateway.run(() -> FaultProxy.start(vertx(), wire.host(), wire.port()));
    replace(context -> wire.adapter().apply(context, proxy.port()));
    sealed(7);
    applied(7, "before");
    fault.accept(proxy);
    long deadlineNanos = nowNanos() + SHORT.toNanos();
    OnContext.await(send(7, "on-the-wire", writeBy("on-the-wire", 7, deadlineNanos)));
    assertThat(proxy.hasStruck()).as("the write went over the wire").isTrue();
    assertInTime(deadlineNanos);
    proxy.pass();
    applied(7, "after");
    gateway.run(adapter()::close);
    gateway.run(proxy::close);
  }

  private void assertInTime(long deadlineNanos) {
    assertThat(Duration.ofNanos(nowNanos() - deadlineNanos)).isLessThan(GRACE);
  }
}
