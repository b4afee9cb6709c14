// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.listener;

import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import io.stoa.client.listener.ListenerConfig.Protocol;
import io.stoa.net.transport.DescribedException;
import io.stoa.net.transport.FailureText;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A listening socket that the service manager has opened and passed to the process.
 *
 * <p>Threading: immutable.
 *
 * @param descriptor number of the file descriptor
 * @param name name in {@code LISTEN_FDNAMES}, for messages
 * @param address local address in the form of a listener
 */
public record InheritedSocket(int descriptor, String name, ListenerConfig address) {
  // Constants of Linux, as socket(7) names them.
  private static final int SOL_SOCKET = 1;
  private static final int SO_ACCEPTCONN = 30;
  private static final int SO_DOMAIN = 39;
  private static final int AF_UNIX = 1;

  /** {@code O_NONBLOCK} in the field {@code flags} of proc_pid_fdinfo(5). */
  private static final long NON_BLOCKING = 0_4000L;

  private static final String FLAGS = "flags:";
  private static final int OCTAL = 8;

  /**
   * Reads the state of a descriptor.
   *
   * @throws IOException if it is no listening socket in non-blocking mode; the message has the
   *     remedy
   */
  static InheritedSocket inspect(int descriptor, String name) throws IOException {
    InheritedSocket socket = new InheritedSocket(descriptor, name, address(descriptor, name));
    if (!isNonBlocking(descriptor)) {
      throw new DescribedException(
          socket + " is in blocking mode; set NonBlocking=true in the service unit");
    }
    return socket;
  }

  private static ListenerConfig address(int descriptor, String name) throws IOException {
    Socket socket = new Socket(descriptor);
    if (!isListening(socket)) {
      throw new DescribedException(
          "descriptor "
              + descriptor
              + " ("
              + name
              + ") is no listening socket; keep only ListenStream= in the socket unit");
    }
    if (socket.getIntOpt(SOL_SOCKET, SO_DOMAIN) == AF_UNIX) {
      DomainSocketAddress local = socket.localDomainSocketAddress();
      return new ListenerConfig(Protocol.LDAPI, local.path(), 0);
    }
    InetSocketAddress local = socket.localAddress();
    return new ListenerConfig(local.getAddress().getHostAddress(), local.getPort());
  }

  private static boolean isListening(Socket socket) {
    try {
      return socket.getIntOpt(SOL_SOCKET, SO_ACCEPTCONN) != 0;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * True if accept(2) returns at once when another process has taken the client. A blocking accept
   * would stall the event loop.
   */
  private static boolean isNonBlocking(int descriptor) throws IOException {
    Path info = Path.of("/proc/self/fdinfo/" + descriptor);
    try {
      return Files.readAllLines(info).stream()
          .filter(line -> line.startsWith(FLAGS))
          .mapToLong(line -> Long.parseLong(line.substring(FLAGS.length()).trim(), OCTAL))
          .anyMatch(flags -> (flags & NON_BLOCKING) != 0);
    } catch (IOException e) {
      throw new DescribedException(info + " cannot be read: " + FailureText.of(e), e);
    }
  }

  /** True if the socket has the address of a listener. */
  boolean serves(ListenerConfig listener) {
    if (!listener.isTcp() || !address.isTcp()) {
      return listener.isTcp() == address.isTcp() && listener.host().equals(address.host());
    }
    InetSocketAddress local = new InetSocketAddress(address.host(), address.port());
    return local.equals(new InetSocketAddress(listener.host(), listener.port()));
  }

  /** Returns the description for messages. */
  @Override
  public String toString() {
    return "inherited socket " + address + " (descriptor " + descriptor + ", " + name + ")";
  }
}
