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

/** Where a client comes from, and how logs call it. Event-loop confined. */
public final class ClientOrigin {
  private final @Nullable SocketAddress remote;
  private final @Nullable LocalUser user;
  private @Nullable InetSocketAddress told;

  /** Looks at who has connected. */
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
    } catch (IOException gone) {
      return null;
    }
  }

  /** A load balancer has told where the client comes from. */
  public void told(InetSocketAddress client) {
    told = client;
  }

  /** The client's address and port; null if it came over a local socket. */
  public @Nullable InetSocketAddress endpoint() {
    SocketAddress nearest = told == null ? remote : told;
    return nearest instanceof InetSocketAddress inet ? inet : null;
  }

  /** Who it is, if it came over a local socket; null if that is not known. */
  public @Nullable LocalUser user() {
    return user;
  }

  @Override
  public String toString() {
    if (told != null) {
      return told + " by " + remote;
    }
    return user == null ? String.valueOf(remote) : "of " + user;
  }
}
