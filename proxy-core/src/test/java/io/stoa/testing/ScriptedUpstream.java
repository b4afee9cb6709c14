// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A directory whose behaviour a test writes: rules answer requests (the newest rule first), single
 * requests can be held back, and everything that arrives is recorded octet for octet. What no rule
 * takes is answered as {@link Answers#ordinary()} says. One thread per connection; thread-safe.
 */
public final class ScriptedUpstream implements AutoCloseable, AfterEachCallback {
  private static final int BACKLOG = 1000;

  private record Rule(Predicate<Received> condition, Answer answer) {}

  private final int port;
  private final boolean recording;
  private final List<Rule> rules = new CopyOnWriteArrayList<>();
  private final List<Held> held = new CopyOnWriteArrayList<>();
  private final List<Received> received = new CopyOnWriteArrayList<>();
  private final List<String> malformed = new CopyOnWriteArrayList<>();
  private final Set<UpstreamLink> open = ConcurrentHashMap.newKeySet();
  private final Set<String> refused = ConcurrentHashMap.newKeySet();
  private final AtomicInteger accepted = new AtomicInteger();
  private volatile ServerSocket listener;
  private volatile Thread accepting;

  private ScriptedUpstream(ServerSocket listener, boolean recording) {
    this.listener = listener;
    this.recording = recording;
    this.port = listener.getLocalPort();
    startAccepting(listener);
  }

  public static ScriptedUpstream start() {
    return new ScriptedUpstream(listen(FreePort.next()), true);
  }

  /** One that records nothing, for tests that send more than memory holds. */
  public static ScriptedUpstream forgetful() {
    return new ScriptedUpstream(listen(FreePort.next()), false);
  }

  private static ServerSocket listen(int port) {
    try {
      ServerSocket socket = new ServerSocket();
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
      return socket;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return port;
  }

  /** From now on requests that meet the condition are answered so; newer rules come first. */
  public ScriptedUpstream when(Predicate<Received> condition, Answer answer) {
    rules.add(0, new Rule(condition, answer));
    return this;
  }

  public ScriptedUpstream always(Answer answer) {
    return when(request -> true, answer);
  }

  /** The next request that meets the condition waits until the test answers it. */
  public Held hold(Predicate<Received> condition) {
    Held next = new Held(condition);
    held.add(next);
    return next;
  }

  /** Everything received until now, in the order of arrival. */
  public List<Received> received() {
    return List.copyOf(received);
  }

  public List<Received> received(Predicate<Received> condition) {
    return received.stream().filter(condition).toList();
  }

  /** Waits until at least so many requests that meet the condition have arrived. */
  public void awaitReceived(int count, Predicate<Received> condition) {
    Await.until(
        count + " requests at the upstream",
        () -> received.stream().filter(condition).count() >= count);
  }

  /** Connections that are open now. */
  public int openConnections() {
    return open.size();
  }

  /** Connections accepted since the start. */
  public int acceptedConnections() {
    return accepted.get();
  }

  /** Closes every connection that is open now; none that is made meanwhile. */
  public void dropConnections() {
    Set.copyOf(open).forEach(UpstreamLink::close);
  }

  /** Stops listening (connections are refused from now on) and closes every connection. */
  public void goDown() {
    refuseConnections();
    dropConnections();
  }

  /** Stops listening; connections that are there go on. */
  public void refuseConnections() {
    try {
      listener.close();
      accepting.join(); // until it has left accept(), the system goes on to let connections in
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  /** Listens again after {@link #goDown()} or {@link #refuseConnections()}, on the same port. */
  public void comeBack() {
    listener = listen(port);
    startAccepting(listener);
  }

  /** Ends with the test of which it is an extension. */
  @Override
  public void afterEach(ExtensionContext test) {
    close();
  }

  @Override
  public void close() {
    goDown();
  }

  private void startAccepting(ServerSocket socket) {
    accepting = start("scripted-upstream-accept", () -> accept(socket));
  }

  private static Thread start(String name, Runnable body) {
    Thread thread = new Thread(body, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void accept(ServerSocket socket) {
    try {
      while (!socket.isClosed()) {
        Socket client = socket.accept();
        client.setTcpNoDelay(true);
        UpstreamLink link = new UpstreamLink(accepted.incrementAndGet(), client);
        open.add(link);
        start("scripted-upstream-" + link.number(), () -> serve(link, client));
      }
    } catch (IOException closed) {
      // goDown() closes the socket under accept().
      return;
    }
  }

  private void serve(UpstreamLink link, Socket socket) {
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      for (byte[] octets = Tlv.read(in); octets.length > 0; octets = Tlv.read(in)) {
        RawMessage message = parse(octets, link);
        handle(new Received(link.number(), link.identity(), message), link);
      }
    } catch (IOException gone) {
      link.close();
    } finally {
      open.remove(link);
    }
  }

  private RawMessage parse(byte[] octets, UpstreamLink link) throws IOException {
    try {
      return RawMessage.parse(octets);
    } catch (IndexOutOfBoundsException e) {
      if (!link.sasl()) { // behind a security layer anything may come
        malformed.add(HexFormat.of().formatHex(octets));
      }
      throw new IOException("no LDAPMessage", e);
    }
  }

  /** What came and was no LDAPMessage, in hexadecimal; the connection was closed. */
  public List<String> malformed() {
    return List.copyOf(malformed);
  }

  private void handle(Received request, UpstreamLink link) {
    if (recording) {
      received.add(request);
    }
    if (request.is(Received.UNBIND)) {
      link.close();
    } else if (held.stream().noneMatch(hold -> hold.takes(request, link))) {
      rememberIdentity(request, link);
      answerFor(request).to(request, link);
    }
  }

  private Answer answerFor(Received request) {
    return rules.stream()
        .filter(rule -> rule.condition().test(request))
        .findFirst()
        .map(Rule::answer)
        .orElseGet(Answers::ordinary);
  }

  /** Only {@link #refusingBindsOf} makes binds fail as far as the link's identity is concerned. */
  private void rememberIdentity(Received request, UpstreamLink link) {
    if (request.is(Received.BIND)) {
      link.bound(request, refused.stream().noneMatch(request.message()::mentions));
    }
  }

  /** Binds of this name are answered invalidCredentials from now on. */
  public ScriptedUpstream refusingBindsOf(String dn) {
    refused.add(dn);
    return when(
        request -> request.is(Received.BIND) && request.message().mentions(dn), Answers.result(49));
  }
}
