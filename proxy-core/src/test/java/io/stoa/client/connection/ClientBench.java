// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.netty.util.concurrent.Future;
import io.stoa.client.access.AccessControl;
import io.stoa.client.access.AccessRules;
import io.stoa.client.auth.ExternalBind;
import io.stoa.client.auth.LocalBinds;
import io.stoa.client.listener.Listener;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.client.quota.ClientQuotas;
import io.stoa.client.quota.Quotas;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.net.codec.FlushQueue;
import io.stoa.net.codec.HandlerNames;
import io.stoa.net.codec.LdapFrameDecoder;
import io.stoa.net.tls.TlsContext;
import io.stoa.operation.AccessListener;
import io.stoa.operation.OperationCounters;
import io.stoa.operation.digest.DigestBatch;
import io.stoa.operation.external.ExternalRules;
import io.stoa.testing.ManualLoop;
import io.stoa.testing.ManualUpstream;
import io.stoa.testing.MemoryChannel;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A client connection in memory, before an upstream that the test answers.
 *
 * <p>Threading: confined to the test's thread.
 */
final class ClientBench {
  final ManualLoop loop = new ManualLoop();
  final ManualUpstream upstream = new ManualUpstream();
  final MemoryChannel channel = new MemoryChannel(loop);
  final ClientConnection client;
  private final LdapFrameDecoder frames;

  ClientBench() {
    this(ClientLimits.DEFAULTS, null, false);
  }

  ClientBench(ClientLimits limits) {
    this(limits, null, false);
  }

  ClientBench(ClientLimits limits, TlsContext tls, boolean requireTls) {
    FrontendConfig config = config(limits);
    Listener listener =
        new Listener(new ListenerConfig("127.0.0.1", 389), tls, requireTls, List.of());
    frames = new LdapFrameDecoder(limits.frameBeforeBind());
    client =
        new ClientConnection(
            channel,
            frames,
            new EventLoopContext(upstream, new FlushQueue(loop.executor()), new DigestBatch()),
            config,
            listener);
    channel
        .pipeline()
        .addLast(HandlerNames.FRAME_DECODER, frames)
        .addLast(HandlerNames.CLIENT_TLS, client.clientTls())
        .addLast(HandlerNames.CONNECTION, client);
    Future<?> registered = loop.executor().register(channel);
    loop.run();
    assert registered.isSuccess() : registered.cause();
  }

  /** Returns the configuration of clients with these limits. */
  static FrontendConfig config(ClientLimits limits) {
    return new FrontendConfig(
        () -> limits,
        new RequestDecoder(() -> DecodeLimits.DEFAULTS),
        new OperationCounters(),
        name -> false,
        LocalBinds.NONE,
        new ExternalBind(new ExternalRules(List.of(), name -> false), Object::equals),
        false,
        new WaitingResponses(Long.MAX_VALUE),
        false,
        new AccessControl(() -> AccessRules.NONE, () -> ServerProfile.EXACT),
        new ClientQuotas(
            () -> Quotas.OFF, () -> 20_000, () -> ServerProfile.EXACT, new OperationCounters()),
        AccessListener.NONE);
  }

  void send(int messageId, RawRequest request) {
    channel.send(messageId, request);
  }

  /** Sends several messages as one read. */
  void sendTogether(byte[]... messages) {
    int length = 0;
    for (byte[] message : messages) {
      length += message.length;
    }
    ByteBuffer all = ByteBuffer.allocate(length);
    for (byte[] message : messages) {
      all.put(message);
    }
    channel.send(all.array());
  }

  /** Answers the oldest request, and returns all that the client receives. */
  List<RawMessage> answer(int code) {
    upstream.answer(code);
    return channel.sent();
  }

  /** Returns the messageID and result code of each final response, and the tag of others. */
  List<String> received() {
    return channel.sent().stream().map(ClientBench::text).toList();
  }

  static String text(RawMessage message) {
    return message.messageId() + " " + (message.isFinal() ? message.resultCode() : "part");
  }
}
