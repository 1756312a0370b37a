/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.fencegate.coordination.lock.AcquireRequest;
import io.fencegate.coordination.lock.Grant;
import io.fencegate.policy.outcome.Ruling;
import java.util.HashMap;
import java.util.Map;

/**
 * What callers were told they were granted. Whatever a test does: one request has one result, no
 * two requests the same token. Thread-safe.
 */
final class Told {

  private final Map<String, Grant> byRequest = new HashMap<>();

  synchronized Ruling<Grant> add(AcquireRequest request, Ruling<Grant> answer) {
    answer.fold(grant -> add(request, grant), refusal -> refusal);
    return answer;
  }

  private Grant add(AcquireRequest request, Grant grant) {
    String who = request.resource() + " " + request.principal() + " " + request.requestId();
    Grant first = byRequest.putIfAbsent(who, grant);
    if (first != null) {
      assertThat(grant.token()).as("token of %s", who).isEqualTo(first.token());
      assertThat(grant.leaseId()).as("lease of %s", who).isEqualTo(first.leaseId());
    }
    return grant;
  }

  synchronized void check() {
    assertThat(byRequest.values().stream().map(g -> g.resource() + " " + g.token()))
        .as("grants")
        .doesNotHaveDuplicates();
  }
}
