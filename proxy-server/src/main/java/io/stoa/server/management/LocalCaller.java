// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.management;

import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Set;

/**
 * Tells a caller on this host from a web page that makes a browser on this host call. Stateless.
 */
final class LocalCaller {
  private static final Set<String> LOCAL_NAMES = Set.of("localhost", "127.0.0.1", "[::1]");

  private LocalCaller() {}

  /**
   * Whether the peer is on this host, and the request is not one that a browser makes for a page:
   * such a one has an Origin, or (if the page's name was made to point here) a Host that is none of
   * this host's.
   */
  static boolean is(Channel channel, HttpHeaders headers) {
    return channel.remoteAddress() instanceof InetSocketAddress peer
        && peer.getAddress().isLoopbackAddress()
        && !headers.contains(HttpHeaderNames.ORIGIN)
        && headers.getAll(HttpHeaderNames.HOST).size() == 1
        && LOCAL_NAMES.contains(withoutPort(headers.get(HttpHeaderNames.HOST)));
  }

  private static String withoutPort(String host) {
    return host.toLowerCase(Locale.ROOT).replaceFirst(":\\d+$", "");
  }
}
