// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.listener;

import io.stoa.net.transport.DescribedException;
import io.stoa.net.transport.Transport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The listening sockets that the service manager has passed to the process, as sd_listen_fds(3)
 * describes it. They outlive the process, so a restart refuses no client.
 *
 * <p>Threading: immutable.
 */
public final class InheritedSockets {
  /** No inherited sockets: Stoa binds all listeners itself. */
  public static final InheritedSockets NONE = new InheritedSockets(List.of());

  /** First descriptor of the protocol: {@code SD_LISTEN_FDS_START}. */
  private static final int FIRST = 3;

  /** Maximum number of inherited sockets: 1,000. */
  private static final int MAX = 1_000;

  private final List<InheritedSocket> sockets;

  private InheritedSockets(List<InheritedSocket> sockets) {
    this.sockets = List.copyOf(sockets);
  }

  /**
   * Reads the sockets that the environment announces. Sockets for another process are ignored.
   *
   * @throws IOException if a socket cannot be used; the message has the remedy
   */
  public static InheritedSockets of(Map<String, String> environment) throws IOException {
    return of(environment, FIRST, Transport.best());
  }

  static InheritedSockets of(Map<String, String> environment, int first, Transport transport)
      throws IOException {
    String process = Long.toString(ProcessHandle.current().pid());
    if (!process.equals(environment.get("LISTEN_PID"))) {
      return NONE;
    }
    int count = count(environment.getOrDefault("LISTEN_FDS", "0"));
    if (count > 0 && !transport.isEpoll()) {
      throw new DescribedException(
          "inherited sockets require epoll, which is not available; stop the socket unit");
    }
    String[] names = environment.getOrDefault("LISTEN_FDNAMES", "").split(":", -1);
    List<InheritedSocket> sockets = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String name = i < names.length && !names[i].isEmpty() ? names[i] : "unknown";
      sockets.add(InheritedSocket.inspect(first + i, name));
    }
    return new InheritedSockets(sockets);
  }

  private static int count(String text) throws IOException {
    try {
      int count = Integer.parseInt(text);
      if (count >= 0 && count <= MAX) {
        return count;
      }
    } catch (NumberFormatException e) {
      // The message below covers it.
    }
    throw new DescribedException("'" + text + "' must be a number from 0 to " + MAX);
  }

  /**
   * Checks that each socket belongs to exactly one listener.
   *
   * @throws IOException if one does not; the message has the remedy
   */
  public void requireListeners(List<ListenerConfig> listeners) throws IOException {
    for (InheritedSocket socket : sockets) {
      if (listeners.stream().noneMatch(socket::serves)) {
        throw new DescribedException(
            socket
                + " belongs to no listener; add the address to listen, or remove its "
                + "ListenStream= from the socket unit");
      }
      if (sockets.stream()
          .anyMatch(
              one -> one.descriptor() != socket.descriptor() && one.serves(socket.address()))) {
        throw new DescribedException(
            socket + " is passed twice; keep one ListenStream= of this address");
      }
    }
  }

  /** Returns the socket of a listener; null if Stoa must bind the listener itself. */
  public @Nullable InheritedSocket of(ListenerConfig listener) {
    return sockets.stream().filter(socket -> socket.serves(listener)).findFirst().orElse(null);
  }
}
