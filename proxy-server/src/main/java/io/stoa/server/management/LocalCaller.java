// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.management;

import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Set;

/**
 * Recognizes callers on this host, as opposed to a web page in a browser on this host. Threading:
 * stateless.
 */
final class LocalCaller {
  private static final Set<String> LOCAL_NAMES = Set.of("localhost", "127.0.0.1", "[::1]");

  private LocalCaller() {}

  /**
   * True if the peer is on this host and the request is not a browser's for a page. A browser's
   * request has an Origin, or a foreign Host if the name of the page was resolved to this host (DNS
   * rebinding).
   */
  static boolean isLocal(Channel channel, HttpHeaders headers) {
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
