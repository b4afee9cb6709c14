// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * A blocking client that sends exactly the octets it is given and reads whole LDAPMessages as
 * octets. Many requests may be in flight: responses are kept by messageID, in their order, until
 * the test reads them. Every wait has a deadline.
 *
 * <p>Threading: one thread at a time.
 */
public final class RawLdapClient implements AutoCloseable {
  private static final String START_TLS = "1.3.6.1.4.1.1466.20037";
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private Socket socket;
  private InputStream in;
  private final Map<Integer, List<RawMessage>> arrived = new HashMap<>();
  private Duration patience = PATIENCE;
  private int lastId;

  private RawLdapClient(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
  }

  public static RawLdapClient connect(InetSocketAddress address) {
    return connect(address, new InetSocketAddress(0));
  }

  /** Connects from another local address, such as 127.0.0.2. */
  public static RawLdapClient from(String host, InetSocketAddress address) {
    return connect(address, new InetSocketAddress(host, 0));
  }

  private static RawLdapClient connect(InetSocketAddress address, InetSocketAddress from) {
    try {
      Socket socket = new Socket();
      socket.bind(from);
      socket.setTcpNoDelay(true);
      socket.connect(address, (int) PATIENCE.toMillis());
      return new RawLdapClient(socket);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the local port of the connection. */
  public int port() {
    return socket.getLocalPort();
  }

  /** Connects to a port with TLS from the beginning. */
  public static RawLdapClient connect(InetSocketAddress address, SSLContext tls) {
    RawLdapClient client = connect(address);
    return client.handshake(tls);
  }

  /** Sends StartTLS, and fails the test if the server refuses. */
  public RawLdapClient startTls(SSLContext tls) {
    int code = code(Requests.extended(START_TLS));
    if (code != 0) {
      throw new AssertionError("StartTLS answered " + code);
    }
    return handshake(tls);
  }

  /** Begins TLS on the connection. */
  public RawLdapClient handshake(SSLContext tls) {
    try {
      InetSocketAddress address = (InetSocketAddress) socket.getRemoteSocketAddress();
      socket.setSoTimeout((int) PATIENCE.toMillis());
      SSLSocket secured =
          (SSLSocket)
              tls.getSocketFactory()
                  .createSocket(socket, address.getHostString(), address.getPort(), true);
      secured.startHandshake();
      socket = secured;
      in = new BufferedInputStream(secured.getInputStream(), 1 << 16);
      return this;
    } catch (IOException e) {
      close();
      throw new UncheckedIOException(e);
    }
  }

  public RawLdapClient patience(Duration longest) {
    patience = longest;
    return this;
  }

  /** Sends a request, and returns its messageID, the next one. */
  public int send(RawRequest request) {
    send(++lastId, request);
    return lastId;
  }

  public void send(int messageId, RawRequest request) {
    sendOctets(request.encode(messageId));
  }

  /** Sends requests in one segment, and returns the messageID of the first. */
  public int sendTogether(RawRequest... requests) {
    int first = lastId + 1;
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (RawRequest request : requests) {
      all.writeBytes(request.encode(++lastId));
    }
    sendOctets(all.toByteArray());
    return first;
  }

  public void sendOctets(byte[] octets) {
    try {
      socket.getOutputStream().write(octets);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sends the octets in segments of the given size, each written and flushed alone. */
  public void sendTorn(byte[] octets, int segment) {
    for (int start = 0; start < octets.length; start += segment) {
      int end = Math.min(octets.length, start + segment);
      sendOctets(java.util.Arrays.copyOfRange(octets, start, end));
    }
  }

  /** Sends the request and waits for all of its responses. */
  public List<RawMessage> call(RawRequest request) {
    return await(send(request));
  }

  /** Sends the request and returns the result code of its answer. */
  public int code(RawRequest request) {
    return last(call(request)).resultCode();
  }

  /** Binds, and fails the test if the directory does not agree. */
  public RawLdapClient bind(String dn, String password) {
    int code = code(Requests.bind(dn, password));
    if (code != 0) {
      throw new AssertionError("bind as " + dn + " answered " + code);
    }
    return this;
  }

  /** All responses to one request, in order, the final one last; they are then forgotten. */
  public List<RawMessage> await(int messageId) {
    while (!isComplete(messageId)) {
      keep(required("the answer to " + messageId));
    }
    return take(messageId);
  }

  /** The next so many responses to one request, which may go on after them. */
  public List<RawMessage> await(int messageId, int count) {
    while (arrived.getOrDefault(messageId, List.of()).size() < count) {
      keep(required("message " + count + " for " + messageId));
    }
    List<RawMessage> all = arrived.get(messageId);
    List<RawMessage> first = List.copyOf(all.subList(0, count));
    all.subList(0, count).clear();
    return first;
  }

  /** What has arrived for a messageID until now. */
  public List<RawMessage> take(int messageId) {
    List<RawMessage> messages = arrived.remove(messageId);
    return messages == null ? List.of() : messages;
  }

  /** The next message of the connection, whatever its messageID; empty at the end. */
  public Optional<RawMessage> next() {
    try {
      byte[] octets = read(patience);
      return octets.length == 0 ? Optional.empty() : Optional.of(RawMessage.parse(octets));
    } catch (SocketTimeoutException e) {
      throw new AssertionError("nothing arrived within " + patience, e);
    } catch (SocketException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The next octets of the connection, whatever they are. */
  public byte[] octets(int count) {
    try {
      socket.setSoTimeout((int) patience.toMillis());
      return in.readNBytes(count);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether the server closes the connection within this time; what it sends is dropped. */
  public boolean closesWithin(Duration longest) {
    try {
      boolean open = true;
      while (open) {
        open = read(longest).length > 0;
      }
      return true;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  /** Reads until the server closes the connection; returns what it sent before. */
  public List<RawMessage> drain() {
    List<RawMessage> messages = new ArrayList<>();
    for (Optional<RawMessage> m = next(); m.isPresent(); m = next()) {
      messages.add(m.get());
    }
    return messages;
  }

  private boolean isComplete(int messageId) {
    List<RawMessage> messages = arrived.getOrDefault(messageId, List.of());
    return !messages.isEmpty() && last(messages).isFinal();
  }

  private RawMessage required(String what) {
    return next()
        .orElseThrow(
            () ->
                new AssertionError(
                    "connection closed before " + what + ", after the notices " + take(0)));
  }

  private void keep(RawMessage message) {
    arrived.computeIfAbsent(message.messageId(), id -> new ArrayList<>()).add(message);
  }

  private byte[] read(Duration longest) throws IOException {
    socket.setSoTimeout((int) longest.toMillis());
    return Tlv.read(in);
  }

  /** Ends the sending half only. */
  public void halfClose() {
    try {
      socket.shutdownOutput();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends the connection with a reset: nothing that is under way is waited for. */
  public void reset() {
    try {
      socket.setSoLinger(true, 0);
    } catch (SocketException e) {
      throw new UncheckedIOException(e);
    }
    close();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static RawMessage last(List<RawMessage> messages) {
    return messages.get(messages.size() - 1);
  }
}
