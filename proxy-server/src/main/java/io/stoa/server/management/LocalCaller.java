// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.management;

import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Recognizes callers on this host, as opposed to a foreign web page in a browser on this host.
 * Threading: stateless.
 */
final class LocalCaller {
  private static final Pattern LOCAL_NAME =
      Pattern.compile("(localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d+)?", Pattern.CASE_INSENSITIVE);

  private LocalCaller() {}

  /**
   * Values of Sec-Fetch-Site (Fetch Metadata) of a request that Stoa's own page or a user makes.
   */
  private static final Set<String> OWN_SITES = Set.of("same-origin", "none");

  /**
   * True if the peer is on this host and the request is not a browser's for a foreign page. Such a
   * request has an Origin or a foreign Sec-Fetch-Site. After DNS rebinding the request has a
   * foreign Host.
   */
  static boolean isLocal(Channel channel, HttpHeaders headers) {
    return channel.remoteAddress() instanceof InetSocketAddress peer
        && peer.getAddress().isLoopbackAddress()
        && !headers.contains(HttpHeaderNames.ORIGIN)
        && OWN_SITES.contains(headers.get("Sec-Fetch-Site", "none"))
        && headers.getAll(HttpHeaderNames.HOST).size() == 1
        && LOCAL_NAME.matcher(headers.get(HttpHeaderNames.HOST)).matches();
  }
}
