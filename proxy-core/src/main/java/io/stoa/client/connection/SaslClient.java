// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.stoa.client.auth.SaslExchange;
import io.stoa.client.auth.SaslSink;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.net.codec.OctetRelay;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession.SaslBind;
import io.stoa.operation.ClientSession.Tunnel;
import io.stoa.operation.Rejection;
import io.stoa.operation.Restriction;
import io.stoa.operation.Stage;
import io.stoa.operation.WhoAmI;
import org.jspecify.annotations.Nullable;

/**
 * Changes a client's identity and connection as its SASL bind proceeds.
 *
 * <p>Threading: event loop.
 */
final class SaslClient implements SaslBind, SaslSink.Steps {
  private final ClientConnection client;
  private final AuthorizationState standing;
  private final FrontendConfig config;
  private final SaslExchange negotiation = new SaslExchange();

  SaslClient(ClientConnection client, AuthorizationState standing, FrontendConfig config) {
    this.client = client;
    this.standing = standing;
    this.config = config;
  }

  SaslExchange negotiation() {
    return negotiation;
  }

  /** Makes the client anonymous, without a SASL exchange. */
  void reset() {
    negotiation.end();
    standing.reset();
  }

  @Override
  public void goesOn(String mechanism) {
    negotiation.wantsMore(mechanism);
    client.bound(ClientIdentity.ANONYMOUS);
  }

  @Override
  public void failed() {
    reset();
    client.bound(ClientIdentity.ANONYMOUS);
  }

  @Override
  public void succeeded(String mechanism) {
    negotiation.succeeded(mechanism);
    config.listener().saslBound();
    client.bound(ClientIdentity.ANONYMOUS);
    client.frames().maxFrameSize(config.limits().frameAfterBind());
  }

  @Override
  public void over(Tunnel tunnel) {
    negotiation.over(tunnel);
  }

  @Override
  public boolean layered() {
    Tunnel tunnel = negotiation.tunnel();
    if (tunnel == null && negotiation.opaque()) {
      client.disconnect(Rejection.SASL_LAYER_REFUSED);
    }
    if (tunnel == null || !client.becomeTunnel()) {
      return false;
    }
    client.writer().flush();
    config.listener().tunnelled();
    new Ends(tunnel).relay.begin();
    return true;
  }

  /**
   * The two ends of a tunnel. Octets that pass count as the client's progress, and as octets sent
   * to it.
   */
  private final class Ends {
    private final OctetRelay relay;
    private final Tunnel.End server;

    Ends(Tunnel tunnel) {
      this.relay = new OctetRelay(client.channel(), this::toServer);
      this.server = tunnel.open(this::toClient);
    }

    private void toServer(ByteBuf octets, Runnable more) {
      client.progress().received();
      server.take(octets, more);
    }

    private void toClient(ByteBuf octets, Runnable more) {
      client.progress().received();
      config.listener().octetsSent(octets.readableBytes());
      relay.send(octets, more);
    }
  }

  /** Ends the client's connection once it has taken the octets from the tunnel. */
  void endTunnel() {
    client.channel().writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> client.close());
  }

  /** Sends the notice, unless a security layer would make it unreadable. */
  void sendIfReadable(NoticeOfDisconnection notice) {
    if (!negotiation.opaque()) {
      notice.send(client.writer(), client.channel(), client.listener());
    }
  }

  /** Asks the server for the client's identity. Requests wait meanwhile. */
  void identify(Stage chain) throws LdapProtocolException {
    negotiation.asking();
    chain.handle(WhoAmI.of(client, config.decoder(), this::identified));
  }

  private void identified(byte @Nullable [] authzId) {
    if (!negotiation.isAsking()) {
      return; // the client has gone
    }
    if (authzId == null) {
      standing.restrict(Restriction.EXCLUSIVE);
    } else {
      standing.become(identity(authzId));
      standing.restrict(Restriction.ONLY_CONNECTION);
    }
    negotiation.end();
    client.proceed();
  }

  private ClientIdentity identity(byte[] authzId) {
    ClientIdentity known = ClientIdentity.sasl(negotiation.mechanism(), authzId);
    return config.announced() ? known.from(client.address()) : known;
  }
}
