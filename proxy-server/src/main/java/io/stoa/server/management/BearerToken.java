// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.management;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.stoa.net.transport.FailureText;
import io.stoa.net.transport.GuardedTask;
import io.stoa.operation.TokenFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The token of the management listener (RFC 6750). A thread of its own reads the file every 2
 * seconds, since a slow file system must not delay probes. While the file cannot be used, no
 * request has the token.
 *
 * <p>Threading: thread-safe.
 */
final class BearerToken implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BearerToken.class);
  private static final String SCHEME = "Bearer ";
  private static final long PERIOD_MILLIS = 2_000;
  private static final byte[] UNUSABLE = {};

  private final TokenFile file;
  private final DefaultEventExecutor watch =
      new DefaultEventExecutor(new DefaultThreadFactory("stoa-token", true));
  private volatile byte[] token;

  /**
   * Reads the file.
   *
   * @throws IOException if it holds no token
   */
  BearerToken(TokenFile file) throws IOException {
    this.file = file;
    this.token = file.read();
    watch.scheduleWithFixedDelay(
        new GuardedTask("reading of the token file", this::refresh),
        PERIOD_MILLIS,
        PERIOD_MILLIS,
        TimeUnit.MILLISECONDS);
  }

  private void refresh() {
    try {
      token = file.read();
    } catch (IOException e) {
      if (token.length > 0) {
        LOG.error(
            "management.tokenFile cannot be used, requests that need the token are refused: {}",
            FailureText.of(e));
      }
      token = UNUSABLE;
    }
  }

  /** True if a request has the token. Takes equally long for each wrong token of a length. */
  boolean isIn(HttpHeaders headers) {
    String header = headers.get(HttpHeaderNames.AUTHORIZATION, "");
    byte[] known = token;
    return known.length > 0
        && header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        && MessageDigest.isEqual(
            header.substring(SCHEME.length()).strip().getBytes(StandardCharsets.ISO_8859_1), known);
  }

  /** Stops to read the file. */
  @Override
  public void close() {
    watch.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
