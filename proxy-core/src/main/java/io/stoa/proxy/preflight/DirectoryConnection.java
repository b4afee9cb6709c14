// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.preflight;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.NetUtil;
import io.netty.util.ReferenceCountUtil;
import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.Envelope;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.net.codec.HandlerNames;
import io.stoa.net.transport.DescribedException;
import io.stoa.net.transport.FailureText;
import io.stoa.upstream.auth.ServiceAccount;
import io.stoa.upstream.connect.Dialer;
import io.stoa.upstream.server.ServerAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * A connection to one server, made by Stoa's own dialer, for one request at a time. Each request
 * waits for its response with a time-out.
 *
 * <p>Threading: confined to one thread that may block; not an event loop.
 */
final class DirectoryConnection implements AutoCloseable {
  /** Maximum number of entries of one answer: 100. A server could send any number. */
  private static final int MAX_ENTRIES = 100;

  private static final int NEVER_DEREF = 0;

  private final EventLoop loop;
  private final Channel channel;
  private final Duration timeout;
  private int messageId = 1;

  private DirectoryConnection(EventLoop loop, Channel channel, Duration timeout) {
    this.loop = loop;
    this.channel = channel;
    this.timeout = timeout;
  }

  /**
   * A search of the preflight.
   *
   * <p>Threading: immutable.
   *
   * @param scope the scope of RFC 4511, section 4.5.1.2
   * @param sizeLimit maximum number of entries; 0 for no limit
   */
  record Search(String base, int scope, String filter, List<String> attributes, int sizeLimit) {
    /** Returns a search for one entry. */
    static Search entry(String base, List<String> attributes) {
      return new Search(base, 0, "(objectClass=*)", attributes, 0);
    }

    byte[] encode() {
      BerWriter request = new BerWriter();
      int search = request.begin(OpType.SEARCH_REQUEST.tag());
      request.octets(BerReader.OCTET_STRING, base.getBytes(UTF_8));
      request.integer(BerReader.ENUMERATED, scope).integer(BerReader.ENUMERATED, NEVER_DEREF);
      request.integer(BerReader.INTEGER, sizeLimit).integer(BerReader.INTEGER, 0);
      request.bool(BerReader.BOOLEAN, false).raw(filterOctets());
      int list = request.begin(BerReader.SEQUENCE);
      attributes.forEach(one -> request.octets(BerReader.OCTET_STRING, one.getBytes(UTF_8)));
      return request.end(list).end(search).toByteArray();
    }

    private byte[] filterOctets() {
      try {
        return Filter.create(filter).encode().encode();
      } catch (LDAPException e) {
        throw new IllegalArgumentException("Stoa's own filter is malformed", e);
      }
    }
  }

  /**
   * The answer to a request.
   *
   * <p>Threading: immutable.
   *
   * @param code the result code
   * @param diagnostic the server's message
   */
  record Answer(int code, String diagnostic, List<byte[]> entries) {
    boolean isSuccess() {
      return code == ResultCode.SUCCESS_INT_VALUE;
    }

    /** Returns the first entry; null if there is none or it is malformed. */
    @Nullable SearchEntry entry() {
      try {
        return entries.isEmpty() ? null : SearchEntry.parse(entries.get(0));
      } catch (LdapProtocolException e) {
        return null;
      }
    }

    /** Returns the first entry in BER; null if there is none. */
    byte @Nullable [] first() {
      return entries.isEmpty() ? null : entries.get(0);
    }

    /** Returns the result in words, with its code and the server's message. */
    String text() {
      String name = ResultCode.valueOf(code).getName() + " (" + code + ")";
      return diagnostic.isBlank() ? name : name + ": " + diagnostic;
    }
  }

  /**
   * Connects, with TLS if that is configured.
   *
   * @param timeout time-out of connecting, which the dialer enforces, and of each request
   * @throws IOException with a text for administrators
   */
  static DirectoryConnection open(
      Dialer dialer, EventLoop loop, ServerAddress server, Duration timeout) throws IOException {
    CompletableFuture<Channel> opened = new CompletableFuture<>();
    List<Channel> attempts = new ArrayList<>();
    Dialer.DialListener listener =
        new Dialer.DialListener() {
          @Override
          public void onAttempt(Channel attempt) {
            attempts.add(attempt);
          }

          @Override
          public void onConnected(Channel ready) {
            if (!opened.complete(ready)) {
              ready.close();
            }
          }

          @Override
          public void onFailed(Throwable cause) {
            opened.completeExceptionally(cause);
          }
        };
    loop.execute(() -> dialer.dial(server, null, listener));
    try {
      Channel channel = await(opened, timeout.plus(timeout), "the connection");
      return new DirectoryConnection(loop, channel, timeout);
    } catch (IOException e) {
      loop.execute(() -> attempts.forEach(Channel::close));
      throw e;
    }
  }

  private static <T> T await(CompletableFuture<T> future, Duration timeout, String what)
      throws IOException {
    try {
      return future.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new DescribedException(FailureText.of(e), e);
    } catch (TimeoutException e) {
      future.cancel(false);
      throw new DescribedException(
          "no response to " + what + " within " + timeout.toMillis() + " ms", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DescribedException("interrupted", e);
    }
  }

  /** Returns the address of the server as text. */
  String address() {
    return channel.remoteAddress() instanceof InetSocketAddress address
        ? NetUtil.toSocketAddressString(address)
        : String.valueOf(channel.remoteAddress());
  }

  /** Returns the TLS session; null without TLS. */
  @Nullable SSLSession tls() {
    SslHandler handler = channel.pipeline().get(SslHandler.class);
    return handler == null ? null : handler.engine().getSession();
  }

  /** Binds as an account. The request is zeroed afterwards. */
  Answer bind(ServiceAccount account) throws IOException {
    ByteBuf request = account.bindRequest();
    try {
      ByteBuf header = channel.alloc().directBuffer();
      Envelope.writeHeader(header, ++messageId, request.readableBytes());
      return send(Unpooled.wrappedBuffer(header, request.retainedSlice()), "the bind");
    } finally {
      ServiceAccount.wipe(request);
    }
  }

  /** Searches, with controls. */
  Answer search(Search search, Control... controls) throws IOException {
    LdapMessage request = LdapMessage.of(++messageId, search.encode(), List.of(controls));
    ByteBuf message = channel.alloc().directBuffer();
    Envelope.write(message, messageId, request.body());
    request.release();
    return send(message, "a search");
  }

  private Answer send(ByteBuf message, String what) throws IOException {
    Collector collector = new Collector(messageId);
    loop.execute(
        () -> {
          if (channel.pipeline().get(HandlerNames.CONNECTION) != null) {
            channel.pipeline().remove(HandlerNames.CONNECTION);
          }
          channel.pipeline().addLast(HandlerNames.CONNECTION, collector);
          if (channel.isActive()) {
            channel.writeAndFlush(message);
          } else {
            message.release();
            collector.fail("the server closed the connection");
          }
        });
    return await(collector.answer, timeout, what);
  }

  @Override
  public void close() {
    channel.close();
  }

  /**
   * Collects the answer to one request.
   *
   * <p>Threading: event loop, except {@link #answer}.
   */
  private static final class Collector extends ChannelInboundHandlerAdapter {
    final CompletableFuture<Answer> answer = new CompletableFuture<>();
    private final int messageId;
    private final List<byte[]> entries = new ArrayList<>();

    Collector(int messageId) {
      this.messageId = messageId;
    }

    void fail(String reason) {
      answer.completeExceptionally(new DescribedException(reason));
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object received) {
      try {
        if (received instanceof LdapMessage message) {
          take(message);
        } else {
          fail("the server sent a message above 1 MiB");
          ctx.close();
        }
      } finally {
        release(received);
      }
    }

    private static void release(Object received) {
      if (received instanceof LdapMessage message) {
        message.release();
      } else {
        ReferenceCountUtil.release(received);
      }
    }

    private void take(LdapMessage message) {
      if (message.messageId() == 0) {
        fail("the server ended the connection (" + LdapResult.codeOf(message.body()) + ")");
      } else if (message.messageId() == messageId) {
        collect(message);
      }
    }

    private void collect(LdapMessage message) {
      if (message.type() == OpType.SEARCH_RESULT_ENTRY && entries.size() < MAX_ENTRIES) {
        entries.add(message.copyOp());
      } else if (message.type().isFinalResponse()) {
        byte[] op = message.copyOp();
        String diagnostic = new String(LdapResult.diagnosticOf(op), UTF_8);
        answer.complete(new Answer(LdapResult.codeOf(op), diagnostic, List.copyOf(entries)));
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      fail("the server closed the connection without a response");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      answer.completeExceptionally(new DescribedException(FailureText.of(cause), cause));
      ctx.close();
    }
  }
}
