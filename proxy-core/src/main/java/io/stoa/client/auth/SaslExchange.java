// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.auth;

import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.operation.ClientSession.Tunnel;
import org.jspecify.annotations.Nullable;

/**
 * A client's SASL bind, from its first answer until it is known who the client is. Until then the
 * client is anonymous as far as Stoa is concerned, and all it sends goes to the server with which
 * it binds. Event-loop confined.
 *
 * <p>What follows a success shows whether a security layer was agreed: an LDAPMessage begins with
 * 0x30, and the length of a wrapped buffer, four octets, never does.
 */
public final class SaslExchange {
  /** No mechanism takes so many. */
  private static final int MOST_STEPS = 64;

  private enum Phase {
    /** There is none. */
    NONE,
    /** The next step is the client's (saslBindInProgress). */
    UNDER_WAY,
    /** It has succeeded; a security layer may hide what is sent. */
    OPAQUE,
    /** It has succeeded, and the client has sent LDAP: there is no layer. */
    UNIDENTIFIED,
    /** The server has been asked who the client is. */
    ASKING
  }

  private Phase phase = Phase.NONE;
  private String mechanism = "";
  private @Nullable Tunnel tunnel;
  private int steps;
  private long since;

  /** Whether the bind is a further step: by the same mechanism, or it would be a new bind. */
  public boolean goesOnWith(BindOp bind) {
    return phase == Phase.UNDER_WAY && mechanism.equals(bind.saslMechanism());
  }

  /** Whether there were as many steps as there may be. */
  public boolean tooLong() {
    return steps >= MOST_STEPS;
  }

  /** The server wants a further step. */
  public void wantsMore(String by) {
    phase = Phase.UNDER_WAY;
    mechanism = by;
    since = System.nanoTime();
    steps++;
  }

  /** The connection on which the bind has just succeeded. */
  public void over(Tunnel connection) {
    tunnel = connection;
  }

  /** The client is bound; as whom is not known. */
  public void succeeded(String by) {
    phase = Phase.OPAQUE;
    mechanism = by;
  }

  /** The client has sent LDAP. */
  public void plain() {
    if (phase == Phase.OPAQUE) {
      phase = Phase.UNIDENTIFIED;
    }
  }

  /** The server is asked who the client is. */
  public void asking() {
    phase = Phase.ASKING;
  }

  /** There is none any more. */
  public void end() {
    phase = Phase.NONE;
    mechanism = "";
    tunnel = null;
    steps = 0;
  }

  /** Whether all operations of the client concern the connection on which it binds. */
  public boolean active() {
    return phase != Phase.NONE;
  }

  /** Whether the client is bound, and nothing shows as whom. */
  public boolean unidentified() {
    return phase == Phase.OPAQUE || phase == Phase.UNIDENTIFIED;
  }

  /** Whether the server has been asked who the client is. */
  public boolean isAsking() {
    return phase == Phase.ASKING;
  }

  /** Whether a layer may hide what is sent: the client could not read what Stoa has to say. */
  public boolean opaque() {
    return phase == Phase.OPAQUE;
  }

  /** The mechanism of the last step. */
  public String mechanism() {
    return mechanism;
  }

  /** What the client's connection can become; null if it is known that there is no layer. */
  public @Nullable Tunnel tunnel() {
    return phase == Phase.OPAQUE ? tunnel : null;
  }

  /** Whether the client has not sent its next step for too long. */
  public boolean overdue(long now, long mostNanos) {
    return phase == Phase.UNDER_WAY && now - since > mostNanos;
  }
}
