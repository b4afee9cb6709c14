// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.listener;

import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.PeerCredentials;
import io.stoa.net.peer.LocalUser;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The address or local user of a client, and its form in logs.
 *
 * <p>Threading: event loop.
 */
public final class ClientOrigin {
  private final @Nullable SocketAddress remote;
  private final @Nullable LocalUser user;
  private @Nullable InetSocketAddress forwarded;

  /** Reads the remote address and, for a local socket, the user. */
  public ClientOrigin(Channel channel) {
    this.remote = channel.remoteAddress();
    this.user = user(channel);
  }

  private static @Nullable LocalUser user(Channel channel) {
    if (!(channel instanceof EpollDomainSocketChannel domain)) {
      return null;
    }
    try {
      PeerCredentials credentials = domain.peerCredentials();
      return new LocalUser(credentials.uid(), credentials.gids()[0], credentials.pid());
    } catch (IOException ignored) {
      return null;
    }
  }

  /** Sets the client's address from a load balancer's PROXY header. */
  public void setForwarded(InetSocketAddress client) {
    forwarded = client;
  }

  /** Returns the client's address and port; null for a local socket. */
  public @Nullable InetSocketAddress endpoint() {
    SocketAddress nearest = forwarded == null ? remote : forwarded;
    return nearest instanceof InetSocketAddress inet ? inet : null;
  }

  /** Returns the user at a local socket; null if unknown. */
  public @Nullable LocalUser user() {
    return user;
  }

  @Override
  public String toString() {
    if (forwarded != null) {
      return forwarded + " by " + remote;
    }
    return user == null ? String.valueOf(remote) : "of " + user;
  }
}
