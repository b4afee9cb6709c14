// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.management;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.stoa.net.transport.DescribedException;
import io.stoa.net.transport.FailureText;
import io.stoa.operation.PasswordFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The token of the management listener (RFC 6750), as its file has it at each request.
 *
 * <p>Threading: thread-safe.
 */
final class BearerToken {
  private static final Logger LOG = LoggerFactory.getLogger(BearerToken.class);
  private static final String SCHEME = "Bearer ";

  /** Minimum octets of a token: 16. Fewer could be guessed. */
  private static final int MIN_OCTETS = 16;

  private final AtomicBoolean unusable = new AtomicBoolean();
  private final PasswordFile file;
  private final Path path;

  /** Creates a token without reading its file. */
  BearerToken(Path path) {
    this.path = path;
    this.file = new PasswordFile(path);
  }

  /**
   * Checks that the file can be used now.
   *
   * @throws IOException if it cannot be read, or its token is too short
   */
  void check() throws IOException {
    Arrays.fill(read(), (byte) 0);
  }

  private byte[] read() throws IOException {
    ByteBuf octets = file.read();
    try {
      if (octets.readableBytes() < MIN_OCTETS) {
        throw new DescribedException(
            "the token file " + path + " must hold at least " + MIN_OCTETS + " bytes");
      }
      byte[] token = new byte[octets.readableBytes()];
      octets.readBytes(token);
      return token;
    } finally {
      PasswordFile.wipe(octets);
    }
  }

  /**
   * True if a request has the token. Takes equally long for each wrong token of a length. Without a
   * usable file no request has it.
   */
  boolean isIn(HttpHeaders headers) {
    try {
      boolean found = matches(headers);
      unusable.set(false);
      return found;
    } catch (IOException e) {
      if (unusable.compareAndSet(false, true)) {
        LOG.error(
            "management.tokenFile cannot be used, and no request is answered until it can: {}",
            FailureText.of(e));
      }
      return false;
    }
  }

  private boolean matches(HttpHeaders headers) throws IOException {
    String header = headers.get(HttpHeaderNames.AUTHORIZATION, "");
    if (!header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return false;
    }
    byte[] sent = header.substring(SCHEME.length()).strip().getBytes(StandardCharsets.UTF_8);
    byte[] token = read();
    try {
      return MessageDigest.isEqual(sent, token);
    } finally {
      Arrays.fill(token, (byte) 0);
      Arrays.fill(sent, (byte) 0);
    }
  }
}
