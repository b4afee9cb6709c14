// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.auth;

import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.operation.ClientSession.Tunnel;
import org.jspecify.annotations.Nullable;

/**
 * A client's SASL exchange, from its first response until the client's identity is known. Until
 * then Stoa treats the client as anonymous, and sends all its requests to the server with which it
 * binds.
 *
 * <p>The octet after a success shows if a security layer was negotiated. An LDAPMessage begins with
 * 0x30. A wrapped buffer begins with a length of four octets, and its first octet is never 0x30.
 *
 * <p>Threading: event loop.
 */
public final class SaslExchange {
  /** Maximum number of steps of an exchange: 64. No mechanism needs as many. */
  private static final int MAX_STEPS = 64;

  private enum Phase {
    /** There is no exchange. */
    NONE,
    /** The server waits for the client's next step (saslBindInProgress). */
    UNDER_WAY,
    /** The bind has succeeded. A security layer may be active. */
    OPAQUE,
    /**
     * The bind has succeeded, and the client has sent plain LDAP: there is no security layer. The
     * identity is unknown.
     */
    UNIDENTIFIED,
    /** The server has been asked for the client's identity (Who Am I). */
    ASKING
  }

  private Phase phase = Phase.NONE;
  private String mechanism = "";
  private @Nullable Tunnel tunnel;
  private int steps;
  private long since;

  /** True if the bind continues this exchange. A bind with another mechanism starts a new one. */
  public boolean isContinuedBy(BindOp bind) {
    return phase == Phase.UNDER_WAY && mechanism.equals(bind.saslMechanism());
  }

  /** True if the maximum number of steps is reached. */
  public boolean isTooLong() {
    return steps >= MAX_STEPS;
  }

  /** Called when the server expects another step. */
  public void onStep(String server) {
    phase = Phase.UNDER_WAY;
    mechanism = server;
    since = System.nanoTime();
    steps++;
  }

  /** Sets the connection on which the bind has just succeeded. */
  public void setTunnel(Tunnel connection) {
    tunnel = connection;
  }

  /** Called when the bind has succeeded. The identity is not known yet. */
  public void onSuccess(String server) {
    phase = Phase.OPAQUE;
    mechanism = server;
  }

  /** Called when the client has sent plain LDAP. */
  public void onPlainLdap() {
    if (phase == Phase.OPAQUE) {
      phase = Phase.UNIDENTIFIED;
    }
  }

  /** Called when the server is asked for the client's identity. */
  public void onIdentityQuery() {
    phase = Phase.ASKING;
  }

  /** Ends the exchange. */
  public void end() {
    phase = Phase.NONE;
    mechanism = "";
    tunnel = null;
    steps = 0;
  }

  /** True if all operations of the client must use the connection on which it binds. */
  public boolean isActive() {
    return phase != Phase.NONE;
  }

  /** True if the client is bound and its identity is unknown. */
  public boolean isUnidentified() {
    return phase == Phase.OPAQUE || phase == Phase.UNIDENTIFIED;
  }

  /** True if the server has been asked for the client's identity. */
  public boolean isAsking() {
    return phase == Phase.ASKING;
  }

  /** True if a security layer may be active, so that the client could not read messages of Stoa. */
  public boolean isOpaque() {
    return phase == Phase.OPAQUE;
  }

  /** Returns the mechanism of the last step. */
  public String mechanism() {
    return mechanism;
  }

  /**
   * Returns the tunnel that the client's connection can become; null if there is no security layer.
   */
  public @Nullable Tunnel tunnel() {
    return phase == Phase.OPAQUE ? tunnel : null;
  }

  /** True if the client has not sent its next step within the time limit. */
  public boolean isOverdue(long now, long maxNanos) {
    return phase == Phase.UNDER_WAY && now - since > maxNanos;
  }
}
