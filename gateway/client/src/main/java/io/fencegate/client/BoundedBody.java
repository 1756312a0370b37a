/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.client;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** An answer's body as text, refused beyond a bound: a peer must not fill the worker's memory. */
final class BoundedBody implements BodySubscriber<String> {

  /** Results of one write are small; this is room for thousands of returned rows. */
  private static final long MAX_BYTES = 8L * 1024 * 1024;

  private final BodySubscriber<String> text =
      HttpResponse.BodySubscribers.ofString(StandardCharsets.UTF_8);
  private Flow.@Nullable Subscription subscription;
  private long bytes;
  private boolean refused;

  private BoundedBody() {}

  static BodySubscriber<String> utf8(HttpResponse.ResponseInfo head) {
    return new BoundedBody();
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    text.onSubscribe(given);
  }

  @Override
  public void onNext(List<ByteBuffer> part) {
    if (refused) {
      return;
    }
    bytes += part.stream().mapToLong(ByteBuffer::remaining).sum();
    if (bytes <= MAX_BYTES) {
      text.onNext(part);
      return;
    }
    refused = true;
    if (subscription != null) {
      subscription.cancel();
    }
    text.onError(new IOException("the answer has more than " + MAX_BYTES + " bytes"));
  }

  @Override
  public void onError(Throwable failure) {
    if (!refused) {
      text.onError(failure);
    }
  }

  @Override
  public void onComplete() {
    if (!refused) {
      text.onComplete();
    }
  }

  @Override
  public CompletionStage<String> getBody() {
    return text.getBody();
  }
}
