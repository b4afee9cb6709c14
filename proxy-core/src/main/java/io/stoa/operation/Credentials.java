// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.stoa.ldap.protocol.LdapMessage;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The bind request of a client that is connected, to bind as it on another upstream connection. The
 * octets lie outside the heap and are zeroed on release. Event-loop confined.
 */
public final class Credentials {
  private static final long DOUBTED_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** How long after a bind a refusal of its password says that the password was for one bind. */
  private static final long ONE_TIME_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final boolean byTls;
  private final long madeAt = System.nanoTime();
  private @Nullable ByteBuf bindRequest;
  private @Nullable Object acceptedBy;
  private long acceptedAt;
  private boolean doubted;
  private boolean confirmed;
  private long confirmedAt;

  private Credentials(ByteBuf bindRequest, boolean byTls) {
    this.bindRequest = bindRequest;
    this.byTls = byTls;
  }

  /**
   * Copies protocolOp and controls of a bind request.
   *
   * @param byTls whether the client sent it by TLS
   */
  public static Credentials of(LdapMessage bindRequest, boolean byTls) {
    return of(bindRequest.body(), byTls);
  }

  /** The same, to be released on its own. */
  public Credentials copy() {
    return of(Objects.requireNonNull(bindRequest, "released"), byTls);
  }

  private static Credentials of(ByteBuf body, boolean byTls) {
    ByteBuf own = Unpooled.directBuffer(body.readableBytes(), body.readableBytes());
    own.writeBytes(body, body.readerIndex(), body.readableBytes());
    return new Credentials(own, byTls);
  }

  /**
   * The bind request without its envelope. Not to be kept.
   *
   * @param exposed whether others might read it where it is to be sent
   * @return null once it is released, and if the client protected it and it would be exposed
   */
  public @Nullable ByteBuf bindRequest(boolean exposed) {
    return byTls && exposed ? null : bindRequest;
  }

  /** True until it is released: then nothing binds with it. */
  public boolean held() {
    return bindRequest != null;
  }

  /** True if the password may be for one bind: no server has taken it again since the bind. */
  public boolean mayBeOneTime() {
    return acceptedBy == null;
  }

  /**
   * True if the client has bound a moment ago: a refusal of its password says that it was for one
   * bind, rather than that it was changed.
   *
   * @param now the time of {@link System#nanoTime}
   */
  public boolean isFresh(long now) {
    return now - madeAt < ONE_TIME_NANOS;
  }

  /** Whether the client sent it by TLS, and may expect it to be protected on its further way. */
  public boolean byTls() {
    return byTls;
  }

  /** A server has taken the same password again, in the time of {@link System#nanoTime}. */
  public void accepted(Object server, long now) {
    acceptedBy = server;
    acceptedAt = now;
    confirmedAt = doubted && !confirmed ? now : confirmedAt;
    confirmed = doubted;
  }

  /** Whether that server was the last one to do so, since then. */
  public boolean acceptedSince(Object server, long then) {
    return acceptedBy == server && acceptedAt - then >= 0;
  }

  /** A server that may not know of it yet has refused it. */
  public void doubt() {
    doubted = true;
    confirmed = false;
  }

  /**
   * Whether it is only for servers that surely know what the password is: until one of them has
   * taken it again, and for a while from then on. Else a password that is none any more would be
   * tried over and over again.
   */
  public boolean doubted() {
    boolean over = confirmed && System.nanoTime() - confirmedAt > DOUBTED_NANOS;
    doubted = doubted && !over;
    return doubted;
  }

  /** Whether it was doubted, and nobody has taken it since. */
  public boolean unproven() {
    return doubted && !confirmed;
  }

  /**
   * Whether both hold the same password, whatever else their requests hold. The time that it takes
   * tells nothing of where they differ. None of them may be released.
   */
  public boolean samePassword(Credentials other) {
    ByteBuf mine = password();
    ByteBuf theirs = other.password();
    int length = mine.readableBytes();
    if (length != theirs.readableBytes()) {
      return false;
    }
    int difference = 0;
    for (int i = 0; i < length; i++) {
      difference |= mine.getByte(mine.readerIndex() + i) ^ theirs.getByte(theirs.readerIndex() + i);
    }
    return difference == 0;
  }

  /** A view: behind version and name of the BindRequest (RFC 4511, section 4.2). */
  private ByteBuf password() {
    ByteBuf request = Objects.requireNonNull(bindRequest, "released").duplicate();
    enter(request);
    request.skipBytes(enter(request));
    request.skipBytes(enter(request));
    int length = enter(request);
    return request.slice(request.readerIndex(), length);
  }

  /** Reads tag and length of an element of a request that was decoded before. */
  private static int enter(ByteBuf request) {
    request.skipBytes(1);
    int length = request.readByte();
    if (length >= 0) {
      return length;
    }
    int octets = length & 0x7F;
    int value = 0;
    for (int i = 0; i < octets; i++) {
      value = value << Byte.SIZE | request.readUnsignedByte();
    }
    return value;
  }

  /** Zeroes the octets. Nothing is to be found out about the password any more. */
  public void release() {
    doubted = false;
    ByteBuf octets = bindRequest;
    if (octets != null) {
      bindRequest = null;
      octets.setZero(0, octets.capacity());
      octets.release();
    }
  }

  @Override
  public String toString() {
    return "credentials";
  }
}
