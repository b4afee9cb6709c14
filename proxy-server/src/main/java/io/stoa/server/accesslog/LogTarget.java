// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** The configured destination of a log. Threading: immutable. */
public sealed interface LogTarget {
  /** The standard output. */
  LogTarget STDOUT = new Stdout();

  /** Returns the value in the configuration. */
  String text();

  /** The standard output. Threading: immutable. */
  record Stdout() implements LogTarget {
    @Override
    public String text() {
      return "stdout";
    }
  }

  /** A file. Threading: immutable. */
  record LogFile(Path path) implements LogTarget {
    @Override
    public String text() {
      return path.toString();
    }
  }

  /**
   * A receiver of syslog messages.
   *
   * <p>Threading: immutable.
   *
   * @param transport {@code udp}, {@code tcp} or {@code local}
   * @param host name or address; for a local socket its path
   * @param port 1 to 65535; 0 for a local socket
   */
  record Syslog(String transport, String host, int port) implements LogTarget {
    boolean isLocal() {
      return transport.equals(LOCAL);
    }

    boolean isDatagram() {
      return !transport.equals(TCP);
    }

    @Override
    public String text() {
      String bracketed = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
      return "syslog+" + transport + (isLocal() ? ":" + host : "://" + bracketed + ":" + port);
    }
  }

  /** Name of the transport over a datagram socket of the local system. */
  String LOCAL = "local";

  /** Name of the transport over TCP. */
  String TCP = "tcp";

  /** Name of the transport over UDP. */
  String UDP = "udp";

  /**
   * Parses a destination: {@code stdout}, a path, {@code syslog+udp://HOST:PORT}, {@code
   * syslog+tcp://HOST:PORT} or {@code syslog+local:PATH}.
   *
   * @throws IllegalArgumentException with a message for users
   */
  static LogTarget parse(String text) {
    if (text.equals(STDOUT.text())) {
      return STDOUT;
    }
    String local = "syslog+" + LOCAL + ":";
    if (text.startsWith(local)) {
      return new Syslog(LOCAL, text.substring(local.length()), 0);
    }
    for (String transport : new String[] {UDP, TCP}) {
      String prefix = "syslog+" + transport + "://";
      if (text.startsWith(prefix)) {
        return remote(transport, text, text.substring(prefix.length()));
      }
    }
    try {
      return new LogFile(Path.of(text));
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException("'" + text + "' is not a valid path", e);
    }
  }

  private static LogTarget remote(String transport, String text, String authority) {
    int colon = authority.lastIndexOf(':');
    String host = colon < 0 ? "" : authority.substring(0, colon);
    int port = 0;
    try {
      port = Integer.parseInt(authority.substring(colon + 1));
    } catch (NumberFormatException e) {
      // reported below
    }
    if (host.isEmpty() || port < 1 || port > 65_535) {
      throw new IllegalArgumentException(
          "'" + text + "' must have the form syslog+" + transport + "://HOST:PORT");
    }
    return new Syslog(transport, host.replaceAll("^\\[(.*)]$", "$1"), port);
  }
}
