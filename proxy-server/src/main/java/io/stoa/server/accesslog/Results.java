// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import io.stoa.operation.CompletedOperation;
import io.stoa.operation.Sending;
import io.stoa.operation.event.CacheOutcome;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** Figures of an operation that all formats show. Threading: stateless. */
final class Results {
  private Results() {}

  /** Returns the time for which the operation waited in Stoa before it was first sent, in ns. */
  static long queueNanos(CompletedOperation operation) {
    Sending first = operation.trace().first();
    return first == null ? 0 : Math.max(0, first.nanos() - operation.times().received());
  }

  /** Returns the time from the last sending to the last part of the answer, in ns. */
  static long upstreamNanos(CompletedOperation operation) {
    Sending last = operation.trace().last();
    return last == null ? 0 : Math.max(0, operation.times().answered() - last.nanos());
  }

  /** Returns how often the operation was sent again. */
  static int retries(CompletedOperation operation) {
    return Math.max(0, operation.sendings() - 1);
  }

  /** Returns the host and port of an address, or the path of a socket. */
  static String address(@Nullable SocketAddress address) {
    if (address instanceof InetSocketAddress inet) {
      String host =
          inet.getAddress() == null ? inet.getHostString() : inet.getAddress().getHostAddress();
      return host.indexOf(':') >= 0
          ? "[" + host + "]:" + inet.getPort()
          : host + ":" + inet.getPort();
    }
    return address == null ? "" : address.toString();
  }

  /** Returns the port of an address; 0 if it has none. */
  static int port(@Nullable SocketAddress address) {
    return address instanceof InetSocketAddress inet ? inet.getPort() : 0;
  }

  /** Appends the fields of Stoa that both line formats share: the caches, then the server. */
  static void addCacheAndUpstream(LineBuffer lines, CompletedOperation operation) {
    if (operation.trace().outcome() != CacheOutcome.NONE) {
      lines.add(" cache=").add(operation.trace().outcome().word());
      if (!operation.trace().reason().isEmpty()) {
        lines.add(" reason=").add(operation.trace().reason());
      }
    }
    Sending sent = operation.trace().last();
    if (sent == null) {
      return;
    }
    lines.add(" upstream=").add(sent.server().toString()).add(" uconn=").add(sent.connection());
    lines.add(" uport=").add(port(sent.local())).add(" umsgid=").add(sent.messageId());
    lines.add(" utime=").addSeconds(upstreamNanos(operation));
    if (retries(operation) > 0) {
      lines.add(" retries=").add(retries(operation));
    }
    if (operation.trace().isHedged()) {
      lines.add(" hedged=1");
    }
  }
}
