// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.management;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.stoa.metrics.ProxyStatus;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers the one request of a connection, and closes it. Threading: event loop. */
final class ManagementHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
  private static final Logger LOG = LoggerFactory.getLogger(ManagementHandler.class);
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String JSON = "application/json";

  /** Maximum number of subtrees in a request for cn=monitor: 16, more than the page reads. */
  private static final int MAX_BASES = 16;

  private static final String UNAUTHORIZED =
      "a bearer token is required: Authorization: Bearer TOKEN (management.tokenFile)";

  private final @Nullable BearerToken token;
  private final ManagementSource source;
  private final Metrics metrics;

  ManagementHandler(@Nullable BearerToken token, ManagementSource source, Metrics metrics) {
    this.token = token;
    this.source = source;
    this.metrics = metrics;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
    answer(ctx, request).thenAccept(response -> send(ctx, response));
  }

  private static void send(ChannelHandlerContext ctx, FullHttpResponse response) {
    ctx.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
  }

  private CompletableFuture<FullHttpResponse> answer(
      ChannelHandlerContext ctx, FullHttpRequest request) {
    if (!request.decoderResult().isSuccess()) {
      return now(text(HttpResponseStatus.BAD_REQUEST, "not an HTTP request"));
    }
    QueryStringDecoder uri = new QueryStringDecoder(request.uri());
    String path = uri.rawPath();
    PageFiles.PageFile file = PageFiles.ALL.get(path);
    if (file != null) {
      return now(read(request, () -> page(file)));
    }
    return switch (path) {
      case "/livez" -> now(read(request, () -> text(HttpResponseStatus.OK, "alive")));
      case "/readyz" -> now(read(request, () -> readiness(isAuthorized(request))));
      default -> isAuthorized(request) ? answer(ctx, request, uri) : now(unauthorized());
    };
  }

  private CompletableFuture<FullHttpResponse> answer(
      ChannelHandlerContext ctx, FullHttpRequest request, QueryStringDecoder uri) {
    return switch (uri.rawPath()) {
      case "/metrics" -> now(read(request, this::metrics));
      case "/monitor" -> monitor(ctx, request, uri);
      case "/caching/on" -> now(switchCaching(ctx, request, true));
      case "/caching/off" -> now(switchCaching(ctx, request, false));
      default -> now(text(HttpResponseStatus.NOT_FOUND, "not found"));
    };
  }

  private static CompletableFuture<FullHttpResponse> now(FullHttpResponse response) {
    return CompletableFuture.completedFuture(response);
  }

  private static FullHttpResponse page(PageFiles.PageFile file) {
    FullHttpResponse response = response(HttpResponseStatus.OK, file.type(), file.octets());
    PageFiles.HEADERS.forEach((name, value) -> response.headers().set(name, value));
    return response;
  }

  /**
   * Answers with {@code cn=monitor}. Without a token, a web page in a browser on this host is
   * refused, since its script could read the answer after DNS rebinding.
   */
  private CompletableFuture<FullHttpResponse> monitor(
      ChannelHandlerContext ctx, FullHttpRequest request, QueryStringDecoder uri) {
    if (!isRead(request)) {
      return now(notAllowed("GET, HEAD"));
    }
    if (token == null && !LocalCaller.isLocal(ctx.channel(), request.headers())) {
      return now(text(HttpResponseStatus.FORBIDDEN, "allowed only from this host"));
    }
    List<String> bases;
    try {
      bases = uri.parameters().getOrDefault("base", List.of());
    } catch (IllegalArgumentException malformed) {
      return now(text(HttpResponseStatus.BAD_REQUEST, "the query is malformed"));
    }
    if (bases.size() > MAX_BASES) {
      return now(text(HttpResponseStatus.BAD_REQUEST, "at most 16 parameters base are allowed"));
    }
    return source
        .monitor()
        .read(bases, ctx.executor())
        .thenApply(json -> response(HttpResponseStatus.OK, JSON, json))
        .exceptionally(ManagementHandler::failed);
  }

  private static FullHttpResponse failed(Throwable cause) {
    LOG.error("cn=monitor cannot be read: internal error", cause);
    return text(HttpResponseStatus.INTERNAL_SERVER_ERROR, "internal error: see the log");
  }

  private static boolean isRead(FullHttpRequest request) {
    return request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
  }

  /** Answers GET and HEAD with a page. The codec omits the body for HEAD. */
  private static FullHttpResponse read(FullHttpRequest request, Supplier<FullHttpResponse> page) {
    return isRead(request) ? page.get() : notAllowed("GET, HEAD");
  }

  private FullHttpResponse metrics() {
    return response(HttpResponseStatus.OK, Metrics.CONTENT_TYPE, metrics.scrape());
  }

  /** Answers probes, which have no token. Only callers with the token learn the reason. */
  private FullHttpResponse readiness(boolean authorized) {
    ProxyStatus status = source.status().get();
    String reason = authorized ? "not ready: " + status.reason() : "not ready";
    return status.ready()
        ? text(HttpResponseStatus.OK, "ready")
        : text(HttpResponseStatus.SERVICE_UNAVAILABLE, reason);
  }

  private boolean isAuthorized(FullHttpRequest request) {
    return token == null || token.isIn(request.headers());
  }

  private static FullHttpResponse unauthorized() {
    FullHttpResponse response = text(HttpResponseStatus.UNAUTHORIZED, UNAUTHORIZED);
    response.headers().set(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer realm=\"stoa\"");
    return response;
  }

  private FullHttpResponse switchCaching(
      ChannelHandlerContext ctx, FullHttpRequest request, boolean on) {
    if (!request.method().equals(HttpMethod.POST)) {
      return notAllowed("POST");
    }
    if (!LocalCaller.isLocal(ctx.channel(), request.headers())) {
      return text(HttpResponseStatus.FORBIDDEN, "allowed only from this host");
    }
    source.caching().accept(on);
    LOG.info("caching switched {} by the management listener", on ? "on" : "off");
    return text(HttpResponseStatus.OK, on ? "caching is on" : "caching is off");
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    boolean tls = cause.getCause() instanceof SSLException;
    if (!(cause instanceof IOException) && !tls) {
      LOG.error("management connection closed: internal error", cause);
    }
    ctx.close();
  }

  private static FullHttpResponse notAllowed(String allowed) {
    FullHttpResponse response = text(HttpResponseStatus.METHOD_NOT_ALLOWED, "only " + allowed);
    response.headers().set(HttpHeaderNames.ALLOW, allowed);
    return response;
  }

  static FullHttpResponse tooLarge() {
    return text(HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE, "the request is too large");
  }

  private static FullHttpResponse text(HttpResponseStatus status, String line) {
    return response(status, TEXT, line + "\n");
  }

  private static FullHttpResponse response(HttpResponseStatus status, String type, String body) {
    return response(status, type, body.getBytes(StandardCharsets.UTF_8));
  }

  private static FullHttpResponse response(HttpResponseStatus status, String type, byte[] octets) {
    FullHttpResponse response =
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, Unpooled.wrappedBuffer(octets));
    response
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, type)
        .set(HttpHeaderNames.CONTENT_LENGTH, octets.length)
        .set("X-Content-Type-Options", "nosniff")
        .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE)
        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    return response;
  }
}
