// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.stoa.client.auth.SaslExchange;
import io.stoa.client.auth.SaslSink;
import io.stoa.net.codec.OctetRelay;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession.SaslBind;
import io.stoa.operation.ClientSession.Tunnel;
import io.stoa.operation.Rejection;
import io.stoa.operation.Restriction;
import io.stoa.operation.Stage;
import io.stoa.operation.WhoAmI;
import io.stoa.operation.event.ClientEvent;
import org.jspecify.annotations.Nullable;

/**
 * Changes a client's identity and connection as its SASL bind proceeds.
 *
 * <p>Threading: event loop.
 */
final class SaslClient implements SaslBind, SaslSink.StepListener {
  private final ClientConnection client;
  private final AuthorizationState authorization;
  private final FrontendConfig config;
  private final SaslExchange exchange = new SaslExchange();

  SaslClient(ClientConnection client, AuthorizationState authorization, FrontendConfig config) {
    this.client = client;
    this.authorization = authorization;
    this.config = config;
  }

  SaslExchange exchange() {
    return exchange;
  }

  /** Makes the client anonymous, without a SASL exchange. */
  void reset() {
    exchange.end();
    authorization.reset();
  }

  @Override
  public void onStep(String mechanism) {
    exchange.onStep(mechanism);
    client.onBindEnd(ClientIdentity.ANONYMOUS);
  }

  @Override
  public void onFailure() {
    client.onBindFailed();
  }

  @Override
  public void onSuccess(String mechanism) {
    exchange.onSuccess(mechanism);
    config.counters().events().increment(ClientEvent.SASL_BOUND);
    client.onBindEnd(ClientIdentity.ANONYMOUS);
    client.frames().setMaxFrameSize(config.limits().frameAfterBind());
  }

  @Override
  public void onSuccess(Tunnel tunnel) {
    exchange.setTunnel(tunnel);
  }

  @Override
  public boolean onNonLdap() {
    // Access rules need readable requests.
    Tunnel tunnel = config.accessControl().isActive() ? null : exchange.tunnel();
    if (tunnel == null && exchange.isOpaque()) {
      client.disconnect(Rejection.SASL_LAYER_REFUSED);
    }
    if (tunnel == null || !client.becomeTunnel()) {
      return false;
    }
    client.writer().flush();
    config.counters().events().increment(ClientEvent.TUNNELLED);
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

    private void toServer(ByteBuf octets, Runnable onWritable) {
      client.stalls().onRequest();
      server.take(octets, onWritable);
    }

    private void toClient(ByteBuf octets, Runnable onWritable) {
      client.stalls().onRequest();
      config.counters().events().add(ClientEvent.OCTET_SENT, octets.readableBytes());
      relay.send(octets, onWritable);
    }
  }

  /** Ends the client's connection once it has taken the octets from the tunnel. */
  void endTunnel() {
    client.channel().writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> client.close());
  }

  /** Sends the notice, unless a security layer would make it unreadable. */
  void sendIfReadable(NoticeOfDisconnection notice) {
    if (!exchange.isOpaque()) {
      notice.send(client.writer(), client.channel(), client.counters());
    }
  }

  /** Asks the server for the client's identity. Requests wait meanwhile. */
  void identify(Stage chain) {
    exchange.onIdentityQuery();
    chain.handle(WhoAmI.of(client, config.decoder(), this::onIdentified));
  }

  private void onIdentified(byte @Nullable [] authzId) {
    if (!exchange.isAsking()) {
      return; // the client has gone
    }
    if (authzId == null) {
      authorization.restrict(Restriction.EXCLUSIVE);
    } else {
      authorization.setIdentity(identity(authzId));
      authorization.restrict(Restriction.ONLY_CONNECTION);
      config.quotas().onBound(client);
    }
    exchange.end();
    client.proceed();
  }

  private ClientIdentity identity(byte[] authzId) {
    ClientIdentity identity = ClientIdentity.sasl(exchange.mechanism(), authzId);
    return config.announceClients() ? identity.from(client.address()) : identity;
  }
}
