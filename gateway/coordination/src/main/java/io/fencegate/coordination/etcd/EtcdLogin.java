/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthenticateRequest;
import io.etcd.jetcd.api.AuthenticateResponse;
import io.fencegate.policy.time.Clocks;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The token that calls carry. One login is under way at a time, and everybody waits for it. After a
 * refusal no other is tried for a while: etcd hashes the password each time, and a wrong one stays
 * wrong.
 */
final class EtcdLogin {

  private static final Duration LOGIN_DEADLINE = Duration.ofSeconds(5);
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LAST_PAUSE = Duration.ofSeconds(30);

  private static final Logger LOG = LoggerFactory.getLogger(EtcdLogin.class);

  /** What asking for a token came to. */
  sealed interface Answer {}

  /** Go on with this; empty: without one. */
  record Token(Optional<String> value) implements Answer {}

  /** etcd does not let this user in. */
  record Refused(String reason) implements Answer {}

  /** Nothing is known; try again. */
  record NotNow(String reason) implements Answer {}

  private final Optional<EtcdSettings.Login> login;
  private final EtcdLoop loop;
  private final Clocks clocks;
  private final List<Consumer<Answer>> waiting = new ArrayList<>();
  private Optional<Token> token = Optional.empty();
  private Optional<Refused> refused = Optional.empty();
  private long pausedUntilNanos;
  private int refusals;
  private boolean warnedNoUsers;

  EtcdLogin(Optional<EtcdSettings.Login> login, EtcdLoop loop, Clocks clocks) {
    this.login = login;
    this.loop = loop;
    this.clocks = clocks;
  }

  /** Gives the token, after a login at {@code node} where there is none. */
  void token(EtcdNode node, Consumer<Answer> then) {
    if (login.isEmpty()) {
      then.accept(new Token(Optional.empty()));
    } else if (token.isPresent()) {
      then.accept(token.get());
    } else if (refused.isPresent() && clocks.read().isBefore(pausedUntilNanos)) {
      then.accept(refused.get());
    } else {
      waiting.add(then);
      if (waiting.size() == 1) {
        authenticate(node, login.get());
      }
    }
  }

  /** Whether another login may help. */
  boolean isConfigured() {
    return login.isPresent();
  }

  /** etcd did not know {@code used}; somebody may have renewed it already. */
  void forget(Optional<String> used) {
    if (token.filter(it -> it.value().equals(used)).isPresent()) {
      token = Optional.empty();
    }
  }

  /** Why etcd lets nobody in, if so. */
  Optional<String> refusal() {
    return refused.map(Refused::reason);
  }

  private void authenticate(EtcdNode node, EtcdSettings.Login who) {
    AuthenticateRequest request =
        AuthenticateRequest.newBuilder().setName(who.user()).setPassword(who.password()).build();
    node.ask(
        AuthGrpc.getAuthenticateMethod(),
        request,
        new EtcdNode.Terms(Optional.empty(), LOGIN_DEADLINE),
        new UnaryListener.Outcome<>() {
          @Override
          public void answered(AuthenticateResponse answer) {
            letIn(Optional.of(answer.getToken()));
          }

          @Override
          public void failed(Status status) {
            notLetIn(status, who.user());
          }
        });
  }

  private void letIn(Optional<String> value) {
    refusals = 0;
    refused = Optional.empty();
    Token fresh = new Token(value);
    token = Optional.of(fresh);
    tellAll(fresh);
  }

  private void notLetIn(Status status, String user) {
    if (EtcdFailures.saysNoUsers(status)) {
      if (!warnedNoUsers) {
        warnedNoUsers = true;
        LOG.warn("etcd's authentication is not enabled: user {} is not checked", user);
      }
      letIn(Optional.empty());
    } else if (EtcdFailures.saysWrongLogin(status)) {
      Refused answer = new Refused("etcd refuses user " + user + " or its password");
      if (refusals == 0) {
        LOG.error("{}", answer.reason());
      }
      refused = Optional.of(answer);
      Duration pause = loop.backoff(FIRST_PAUSE, LAST_PAUSE, refusals++);
      pausedUntilNanos = clocks.read().monotonicNanos() + pause.toNanos();
      tellAll(answer);
    } else {
      tellAll(new NotNow("no login: " + EtcdFailures.describe(status)));
    }
  }

  private void tellAll(Answer answer) {
    List<Consumer<Answer>> told = List.copyOf(waiting);
    waiting.clear();
    told.forEach(it -> it.accept(answer));
  }
}
