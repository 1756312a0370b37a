/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.loadtest.history;

import io.fencegate.loadtest.history.Operation.Answer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks for an order of one resource's calls that explains every answer: each call takes effect at
 * one moment between its start and its answer, one without an answer at any moment after its start
 * or never, and a lease ends at any moment once it may.
 *
 * <p>This is the search of Wing and Gong ("Testing and Verifying Concurrent Objects", JPDC 17,
 * 1993) with Lowe's pruning ("Testing for Linearizability", CCPE 29(4), 2017): no pair of state and
 * set of calls done is looked at twice. Done calls are kept as a prefix of the calls in order of
 * their start and the few beyond it.
 *
 * <p>A lease's end is no call, and neither is what a call without an answer does: both are put
 * right before a call that needs them. That loses no order, since what nobody needs yet may as well
 * come later. An end is possible when every call that is not done yet returns after the moment
 * until which the lease is sure.
 */
final class Search {

  /** What the search came to, and how far the best order got. */
  record Outcome(Result result, int configurations, List<Operation> best, Config end) {}

  enum Result {
    EXPLAINED,
    NOT_EXPLAINED,
    GAVE_UP
  }

  /**
   * Calls done and the state after them.
   *
   * @param prefix all of the first so many answered calls are done
   * @param beyond which of the others are, counted from {@code prefix}
   */
  record Config(int prefix, BitSet beyond, LockState state) {

    boolean isDone(int index) {
      return index < prefix || beyond.get(index - prefix);
    }

    Config with(int index, LockState next) {
      BitSet more = (BitSet) beyond.clone();
      more.set(index - prefix);
      int run = more.nextClearBit(0);
      return new Config(prefix + run, more.get(run, Math.max(run, more.length())), next);
    }

    int count() {
      return prefix + beyond.cardinality();
    }
  }

  /** One step of the search and where it came from. */
  private record Node(Config config, @Nullable Operation by, @Nullable Node before) {}

  private static final int NONE = -1;

  private final List<Operation> answered;
  private final List<Operation> unanswered;
  private final LockRules rules;
  private final Map<String, Integer> lastOfRequest = new HashMap<>();
  private final int maxConfigurations;

  Search(List<Operation> operations, Set<Integer> contended, int maxConfigurations) {
    this.maxConfigurations = maxConfigurations;
    Comparator<Operation> byStart = Comparator.comparingLong(Operation::invokeNanos);
    answered =
        operations.stream()
            .filter(op -> !op.isUnknown() && op.answer() != Answer.NOT_DONE)
            .sorted(byStart)
            .toList();
    unanswered =
        operations.stream()
            .filter(op -> op.isUnknown() && op.kind() != Operation.Kind.RENEW)
            .sorted(byStart)
            .toList();
    Map<String, Operation.Result> firsts = new HashMap<>();
    for (int i = 0; i < answered.size(); i++) {
      Operation op = answered.get(i);
      if (op.isAcquire()) {
        lastOfRequest.put(op.request(), i);
        if (op.answer() == Answer.GRANTED) {
          firsts.putIfAbsent(op.request(), op.result());
        }
      }
    }
    this.rules = new LockRules(Map.copyOf(firsts), contended);
  }

  Outcome run() {
    Node first = new Node(new Config(0, new BitSet(), LockState.NEW), null, null);
    Node best = first;
    Set<Config> seen = new HashSet<>();
    Deque<Node> open = new ArrayDeque<>();
    open.push(first);
    seen.add(first.config());
    while (!open.isEmpty()) {
      Node node = open.pop();
      if (node.config().count() > best.config().count()) {
        best = node;
      }
      if (node.config().prefix() == answered.size()) {
        return outcome(Result.EXPLAINED, seen, node);
      }
      if (seen.size() > maxConfigurations) {
        return outcome(Result.GAVE_UP, seen, best);
      }
      for (Node next : next(node)) {
        if (seen.add(next.config())) {
          open.push(next);
        }
      }
    }
    return outcome(Result.NOT_EXPLAINED, seen, best);
  }

  private static Outcome outcome(Result result, Set<Config> seen, Node node) {
    Deque<Operation> order = new ArrayDeque<>();
    for (Node at = node; at != null; at = at.before()) {
      if (at.by() != null) {
        order.push(at.by());
      }
    }
    return new Outcome(result, seen.size(), List.copyOf(order), node.config());
  }

  /** The most promising, whose answer came first, comes last: it is taken first. */
  private List<Node> next(Node node) {
    Config config = node.config();
    long firstReturn = firstReturn(config);
    List<Node> next = new ArrayList<>();
    List<Integer> candidates = candidates(config, firstReturn);
    candidates.sort(
        Comparator.comparingLong((Integer i) -> answered.get(i).returnNanos()).reversed());
    for (int i : candidates) {
      Operation op = answered.get(i);
      for (LockState state : after(config, op, firstReturn)) {
        next.add(new Node(config.with(i, forgetting(state, config, i)), op, node));
      }
    }
    return next;
  }

  /** Calls that may be next: started before the first of those not done returns. */
  List<Integer> candidates(Config config, long firstReturn) {
    List<Integer> candidates = new ArrayList<>();
    for (int i = config.prefix();
        i < answered.size() && answered.get(i).invokeNanos() <= firstReturn;
        i++) {
      if (!config.isDone(i)) {
        candidates.add(i);
      }
    }
    return candidates;
  }

  long firstReturn(Config config) {
    long first = Long.MAX_VALUE;
    for (int i = config.prefix();
        i < answered.size() && answered.get(i).invokeNanos() <= first;
        i++) {
      if (!config.isDone(i)) {
        first = Math.min(first, answered.get(i).returnNanos());
      }
    }
    return first;
  }

  Operation answered(int index) {
    return answered.get(index);
  }

  /** The states after a call, as it is or else with what has to come right before it. */
  private List<LockState> after(Config config, Operation op, long firstReturn) {
    Optional<LockState> plain = rules.after(config.state(), op);
    if (plain.isPresent()) {
      return List.of(plain.get());
    }
    Set<LockState> before = new LinkedHashSet<>();
    if (mayEnd(config.state(), firstReturn)) {
      before.add(config.state().freed());
    }
    effects(config, config.state(), firstReturn).forEach(before::add);
    for (LockState free : before.stream().filter(LockState::isFree).toList()) {
      effects(config, free, firstReturn).forEach(before::add);
    }
    return before.stream().flatMap(state -> rules.after(state, op).stream()).toList();
  }

  private static boolean mayEnd(LockState state, long firstReturn) {
    return state.hold().filter(hold -> hold.sureUntilNanos() <= firstReturn).isPresent();
  }

  /** What calls without an answer may do now. Acquires that nobody heard of again are all alike. */
  private List<LockState> effects(Config config, LockState state, long firstReturn) {
    List<LockState> effects = new ArrayList<>();
    boolean nameless = false;
    for (Operation op : unanswered) {
      if (op.invokeNanos() > firstReturn) {
        break;
      }
      boolean alike = op.isAcquire() && !rules.firsts().containsKey(op.request());
      if (!isOver(config, op) && !(alike && nameless)) {
        Optional<LockState> next = rules.effect(state, op);
        nameless |= alike && next.isPresent();
        next.ifPresent(effects::add);
      }
    }
    return effects;
  }

  /** Whether the request was granted and all its answers are in: then nothing remembers it. */
  private boolean isOver(Config config, Operation op) {
    return op.isAcquire()
        && rules.firsts().containsKey(op.request())
        && allDone(op.request(), config, NONE);
  }

  private LockState forgetting(LockState state, Config before, int done) {
    Operation op = answered.get(done);
    boolean over =
        op.isAcquire()
            && rules.firsts().containsKey(op.request())
            && allDone(op.request(), before, done);
    return over ? state.forgetting(op.request()) : state;
  }

  /** Repeats of one request are few and near each other. */
  private boolean allDone(String request, Config before, int done) {
    int last = lastOfRequest.getOrDefault(request, NONE);
    for (int i = before.prefix(); i <= last; i++) {
      if (i != done && !before.isDone(i) && answered.get(i).request().equals(request)) {
        return false;
      }
    }
    return true;
  }
}
