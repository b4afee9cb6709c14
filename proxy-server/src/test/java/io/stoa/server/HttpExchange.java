// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/**
 * One request over a connection of its own, sent octet for octet, and its answer. Immutable.
 *
 * @param status the status code
 * @param head status line and headers, in lower case
 * @param body what followed
 */
record HttpExchange(int status, List<String> head, String body) {
  private static final int PATIENCE_MILLIS = 30_000;

  static HttpExchange get(InetSocketAddress server, String path) {
    return request(server, "GET", path, "Host: 127.0.0.1:" + server.getPort());
  }

  static HttpExchange post(InetSocketAddress server, String path, String... headers) {
    return request(server, "POST", path, headers);
  }

  static HttpExchange request(
      InetSocketAddress server, String method, String path, String... headers) {
    String head = method + " " + path + " HTTP/1.1\r\n" + String.join("\r\n", headers);
    return send(server, head + (headers.length == 0 ? "\r\n" : "\r\n\r\n"));
  }

  static HttpExchange send(InetSocketAddress server, String octets) {
    try (Socket socket = new Socket()) {
      socket.setSoTimeout(PATIENCE_MILLIS);
      socket.connect(server, PATIENCE_MILLIS);
      socket.getOutputStream().write(octets.getBytes(StandardCharsets.ISO_8859_1));
      return parse(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static HttpExchange parse(String answer) {
    String[] parts = answer.split("\r\n\r\n", 2);
    List<String> head = parts[0].toLowerCase(Locale.ROOT).lines().toList();
    return new HttpExchange(Integer.parseInt(head.get(0).split(" ")[1]), head, parts[1]);
  }
}
