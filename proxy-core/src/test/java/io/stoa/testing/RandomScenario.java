// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The life of one client connection as octets tell it: what the client sends, whole, torn or
 * damaged, how the directory answers, and how it ends. Any octets are a life, so that a fuzzer can
 * look for new ones. Used by one thread, but for {@link #answer}.
 */
public final class RandomScenario implements AutoCloseable {
  private static final int MAX_STEPS = 64;
  private static final int SEGMENT = 3;
  private static final int IDS = 8;

  private final InetSocketAddress proxy;
  private final List<RawRequest> requests;
  private final List<Answer> answers;
  private final Queue<Answer> planned = new ConcurrentLinkedQueue<>();
  private final byte[] script;
  private int position;
  private Socket client;

  /**
   * Makes a life that is not lived yet.
   *
   * @param requests what the client may send
   * @param answers what the directory may do with a request
   */
  public RandomScenario(
      InetSocketAddress proxy, List<RawRequest> requests, List<Answer> answers, byte[] script) {
    this.proxy = proxy;
    this.requests = requests;
    this.answers = answers;
    this.script = script;
    this.client = connect();
  }

  /** What the directory does with the next request. Thread-safe. */
  public void answer(Received request, UpstreamLink link) {
    Answer next = takesPlanned(request) ? planned.poll() : null;
    (next == null ? Answers.ordinary() : next).to(request, link);
  }

  /**
   * What Stoa must know of a directory is not a client's affair, and some requests have no answer.
   */
  private static boolean takesPlanned(Received request) {
    return !request.is(Received.ABANDON)
        && !request.is(Received.UNBIND)
        && !request.isSearchFor("1.1")
        && !request.isSearchFor("subschema");
  }

  /** Lives it, to the end of the script. */
  public void live() {
    for (int step = 0; step < MAX_STEPS && position < script.length; step++) {
      try {
        step(next());
      } catch (IOException gone) {
        reopen();
      }
    }
  }

  private void step(int kind) throws IOException {
    switch (kind % 10) {
      case 0 -> send(raw());
      case 1, 2 -> send(request());
      case 3 -> send(damaged(request()));
      case 4 -> sendTorn(request());
      case 5, 6 -> planned.add(answers.get(next() % answers.size()));
      case 7 -> readWhatIsThere();
      case 8 -> client.shutdownOutput();
      default -> reopen();
    }
  }

  private int next() {
    return position < script.length ? script[position++] & 0xff : 0;
  }

  private byte[] raw() {
    byte[] octets = new byte[1 + next() % 64];
    for (int i = 0; i < octets.length; i++) {
      octets[i] = (byte) next();
    }
    return octets;
  }

  private byte[] request() {
    int which = next() % requests.size();
    return requests.get(which).encode(1 + next() % IDS);
  }

  private byte[] damaged(byte[] octets) {
    octets[next() % octets.length] = (byte) next();
    return octets;
  }

  private void send(byte[] octets) throws IOException {
    client.getOutputStream().write(octets);
  }

  private void sendTorn(byte[] octets) throws IOException {
    for (int start = 0; start < octets.length; start += SEGMENT) {
      client.getOutputStream().write(octets, start, Math.min(SEGMENT, octets.length - start));
    }
  }

  private void readWhatIsThere() throws IOException {
    InputStream in = client.getInputStream();
    int there = in.available();
    if (there > 0) {
      in.readNBytes(there);
    }
  }

  private Socket connect() {
    try {
      Socket socket = new Socket();
      socket.setTcpNoDelay(true);
      socket.connect(proxy);
      return socket;
    } catch (IOException e) {
      throw new AssertionError("the proxy does not accept clients any more", e);
    }
  }

  private void reopen() {
    close();
    client = connect();
  }

  /** Ends the connection with a reset: millions of lives must not use up the ports. */
  @Override
  public void close() {
    try (Socket ended = client) {
      ended.setSoLinger(true, 0);
    } catch (IOException gone) {
      return;
    }
  }
}
