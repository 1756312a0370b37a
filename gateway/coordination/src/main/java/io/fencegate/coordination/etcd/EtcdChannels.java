/* SPDX-License-Identifier: Apache-2.0 */
package io.fencegate.coordination.etcd;

import io.fencegate.coordination.store.StoreException;
import io.grpc.ManagedChannel;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyChannelBuilder;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Opens channels to nodes. A channel connects by itself and repeats no call. */
final class EtcdChannels {

  private static final int CONNECT_TIMEOUT_MILLIS = 3_000;

  /** gRPC for Java takes no less, etcd allows 5 s; the probes are quicker than this net. */
  private static final long KEEP_ALIVE_SECONDS = 10;

  private static final long KEEP_ALIVE_TIMEOUT_SECONDS = 5;

  /** A thousand revisions of full batches, which is what etcd sends a watch that catches up. */
  private static final int MAX_MESSAGE_BYTES = 64 << 20;

  private final EtcdLoop loop;
  private final Optional<SslContext> ssl;

  private EtcdChannels(EtcdLoop loop, Optional<SslContext> ssl) {
    this.loop = loop;
    this.ssl = ssl;
  }

  /** Reads the TLS files; blocking. Fails with {@link StoreException} where they are no use. */
  static EtcdChannels of(EtcdSettings settings, EtcdLoop loop) {
    boolean secure = settings.endpoints().get(0).getScheme().equals("https");
    return new EtcdChannels(loop, secure ? Optional.of(ssl(settings)) : Optional.empty());
  }

  private static SslContext ssl(EtcdSettings settings) {
    try {
      SslContextBuilder builder = GrpcSslContexts.forClient();
      if (settings.tls().isPresent()) {
        EtcdSettings.Tls tls = settings.tls().get();
        tls.ca().ifPresent(ca -> builder.trustManager(readable(ca)));
        tls.client().ifPresent(it -> builder.keyManager(readable(it.cert()), readable(it.key())));
      }
      return builder.build();
    } catch (IOException | IllegalArgumentException e) {
      throw new StoreException(
          StoreException.Kind.DEFINITE, "the TLS files for etcd are no use: " + e.getMessage(), e);
    }
  }

  private static File readable(Path file) {
    if (!Files.isReadable(file)) {
      throw new IllegalArgumentException(file + " cannot be read");
    }
    return file.toFile();
  }

  ManagedChannel open(URI endpoint) {
    NettyChannelBuilder builder =
        NettyChannelBuilder.forAddress(endpoint.getHost(), endpoint.getPort())
            .eventLoopGroup(loop.group())
            .channelType(NioSocketChannel.class)
            .executor(loop)
            .withOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MILLIS)
            .keepAliveTime(KEEP_ALIVE_SECONDS, TimeUnit.SECONDS)
            .keepAliveTimeout(KEEP_ALIVE_TIMEOUT_SECONDS, TimeUnit.SECONDS)
            .maxInboundMessageSize(MAX_MESSAGE_BYTES)
            .proxyDetector(unused -> null)
            .disableServiceConfigLookUp()
            .disableRetry();
    ssl.ifPresentOrElse(builder::sslContext, builder::usePlaintext);
    return builder.build();
  }
}
