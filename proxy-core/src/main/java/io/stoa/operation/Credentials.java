// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.stoa.ldap.protocol.LdapMessage;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The bind request of a connected client, for rebinds on other upstream connections.
 *
 * <p>The octets are outside the heap, in a pooled buffer. The release zeroes them before the buffer
 * returns to its pool.
 *
 * <p>Threading: event loop.
 */
public final class Credentials {
  private static final long DOUBTED_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** Time after a bind in which a refused password counts as a one-time password: 60 s. */
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
   * @param byTls true if the client sent it by TLS
   */
  public static Credentials of(LdapMessage bindRequest, boolean byTls) {
    return of(bindRequest.body(), byTls);
  }

  /** Returns a copy that is released independently. */
  public Credentials copy() {
    return of(Objects.requireNonNull(bindRequest, "released"), byTls);
  }

  private static Credentials of(ByteBuf body, boolean byTls) {
    int octets = body.readableBytes();
    ByteBuf copy = ByteBufAllocator.DEFAULT.directBuffer(octets, octets);
    copy.writeBytes(body, body.readerIndex(), octets);
    return new Credentials(copy, byTls);
  }

  /**
   * Returns the bind request without its envelope. Callers do not keep it.
   *
   * @param exposed true if the connection to the server is not protected
   * @return the request; null after its release, and if it came by TLS and the server is exposed
   */
  public @Nullable ByteBuf bindRequest(boolean exposed) {
    return byTls && exposed ? null : bindRequest;
  }

  /** True until the release; afterwards no rebind is possible. */
  public boolean isHeld() {
    return bindRequest != null;
  }

  /** True if the password may be for one bind: no server has accepted it again since the bind. */
  public boolean mayBeOneTime() {
    return acceptedBy == null;
  }

  /**
   * True if the client has bound within the last 60 s. A refusal then means a one-time password
   * rather than a changed one.
   *
   * @param now time in nanoseconds, as of {@link System#nanoTime}
   */
  public boolean isFresh(long now) {
    return now - madeAt < ONE_TIME_NANOS;
  }

  /** True if the client sent it by TLS, and may expect protection on the way to the server. */
  public boolean isByTls() {
    return byTls;
  }

  /**
   * Called when a server has accepted the password again.
   *
   * @param now time in nanoseconds, as of {@link System#nanoTime}
   */
  public void onAccepted(Object server, long now) {
    acceptedBy = server;
    acceptedAt = now;
    confirmedAt = doubted && !confirmed ? now : confirmedAt;
    confirmed = doubted;
  }

  /** True if this server was the last to accept the password, at or after a time. */
  public boolean wasAcceptedSince(Object server, long time) {
    return acceptedBy == server && acceptedAt - time >= 0;
  }

  /** Called when a server that may not have the present password yet has refused this one. */
  public void doubt() {
    doubted = true;
    confirmed = false;
  }

  /**
   * True if only servers that surely have the present password may be used. This holds until such a
   * server has accepted the password, and for 30 s after that. Otherwise a password that is no
   * longer valid would be tried again and again.
   */
  public boolean isDoubted() {
    boolean expired = confirmed && System.nanoTime() - confirmedAt > DOUBTED_NANOS;
    doubted = doubted && !expired;
    return doubted;
  }

  /** True if a server has refused the password, and none has accepted it since. */
  public boolean isUnproven() {
    return doubted && !confirmed;
  }

  /**
   * True if both have the same password, in constant time for equal lengths. Both must be
   * unreleased.
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

  /**
   * Returns a view of the password: it follows version and name in the BindRequest (RFC 4511,
   * section 4.2).
   */
  private ByteBuf password() {
    ByteBuf request = Objects.requireNonNull(bindRequest, "released").duplicate();
    enter(request);
    request.skipBytes(enter(request));
    request.skipBytes(enter(request));
    int length = enter(request);
    return request.slice(request.readerIndex(), length);
  }

  /** Reads tag and length of an element; the request was decoded before. */
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

  /** Zeroes the octets. The password is no longer doubted afterwards. */
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
