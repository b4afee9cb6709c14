// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Passes octets to a port of 127.0.0.1 and back, and can lose or hold up those of one account: it
 * looks for its name in what comes first, the bind. And it can end the connection of whoever asks
 * for something, which comes to the server still. Two threads per connection; thread-safe.
 */
public final class FeedRelay implements AutoCloseable {
  private static final int BUFFER = 1 << 16;

  /** The control of a sync search (RFC 4533). */
  private static final String SYNC = "1.3.6.1.4.1.4203.1.9.1.1";

  /** The clock of slapd in an entry of its monitor. */
  private static final Pattern CURRENT =
      Pattern.compile("cn=Current,cn=Time,cn=Monitor.*?(\\d{14})Z", Pattern.DOTALL);

  private static final DateTimeFormatter TIMESTAMP = DateTimeFormatter.ofPattern("yyyyMMddHHmmss");

  private final ServerSocket listener;
  private final int port;
  private final String account;
  private final Set<Link> open = ConcurrentHashMap.newKeySet();
  private final Object turns = new Object();
  private volatile boolean lost;
  private volatile boolean held;
  private volatile int clock;
  private volatile @Nullable String unwanted;
  private final AtomicInteger swallowed = new AtomicInteger();
  private final AtomicReference<@Nullable DisconnectRule> disconnectRule = new AtomicReference<>();

  /** What ends a connection, once: at once, or instead of the answer. Immutable. */
  private record DisconnectRule(String text, boolean atOnce) {}

  public FeedRelay(int port, String account) {
    this.port = port;
    this.account = account;
    try {
      listener = new ServerSocket();
      listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    run(this::accept);
  }

  /** One connection. Thread-safe. */
  private final class Link {
    private final Socket here;
    private final Socket there;
    private volatile boolean theirs;
    private volatile boolean feed;
    private volatile boolean mute;
    private volatile boolean disconnects;

    Link(Socket here) throws IOException {
      this.here = here;
      this.there = new Socket(InetAddress.getLoopbackAddress(), port);
      here.setTcpNoDelay(true);
      there.setTcpNoDelay(true);
    }

    void up() {
      byte[] octets = new byte[BUFFER];
      boolean first = true;
      try {
        InputStream in = here.getInputStream();
        for (int n = in.read(octets); n >= 0; n = in.read(octets)) {
          String text = new String(octets, 0, n, StandardCharsets.ISO_8859_1);
          theirs |= first && text.contains(account);
          feed |= theirs && text.contains(SYNC);
          first = false;
          if (theirs && lost) {
            return;
          }
          boolean ends = isTheEnd(text);
          there.getOutputStream().write(octets, 0, n);
          if (ends) {
            return;
          }
        }
      } catch (IOException gone) {
        // The other direction is of no use either.
      } finally {
        end();
      }
    }

    /** Whether it is that of which no answer may come, and its connection ends at once. */
    private boolean isTheEnd(String text) {
      DisconnectRule next = disconnectRule.get();
      if (next == null
          || !text.contains(next.text())
          || !disconnectRule.compareAndSet(next, null)) {
        return false;
      }
      disconnects = true;
      return next.atOnce();
    }

    void down() {
      byte[] octets = new byte[BUFFER];
      try {
        InputStream in = there.getInputStream();
        for (int n = in.read(octets); n >= 0; n = in.read(octets)) {
          awaitTurn();
          if (disconnects) {
            return;
          }
          if (mute) {
            continue;
          }
          if (theirs && isUnwanted(octets, n)) {
            swallowed.incrementAndGet();
            continue;
          }
          setClock(octets, n);
          here.getOutputStream().write(octets, 0, n);
        }
      } catch (IOException gone) {
        // The other direction is of no use either.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        end();
      }
    }

    /** The clock of the server, as the account is shown it, differs by some seconds. */
    private void setClock(byte[] octets, int length) {
      int seconds = clock;
      if (theirs && seconds != 0) {
        String text = new String(octets, 0, length, StandardCharsets.ISO_8859_1);
        Matcher shown = CURRENT.matcher(text);
        while (shown.find()) {
          LocalDateTime time = LocalDateTime.parse(shown.group(1), TIMESTAMP).plusSeconds(seconds);
          byte[] next = TIMESTAMP.format(time).getBytes(StandardCharsets.ISO_8859_1);
          System.arraycopy(next, 0, octets, shown.start(1), next.length);
        }
      }
    }

    private void awaitTurn() throws InterruptedException {
      synchronized (turns) {
        while (theirs && held) {
          turns.wait();
        }
      }
    }

    void end() {
      open.remove(this);
      close(here);
      close(there);
    }

    private void close(Socket socket) {
      try {
        socket.close();
      } catch (IOException gone) {
        // There is nothing left to close.
        return;
      }
    }
  }

  private static void run(Runnable body) {
    Thread thread = new Thread(body, "feed-relay");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!listener.isClosed()) {
      acceptOne();
    }
  }

  private void acceptOne() {
    try {
      Socket here = listener.accept();
      try {
        Link link = new Link(here);
        open.add(link);
        run(link::up);
        run(link::down);
      } catch (IOException absent) {
        here.close();
      }
    } catch (IOException closed) {
      // Whoever asks comes again, or this relay was closed.
      return;
    }
  }

  public int port() {
    return listener.getLocalPort();
  }

  /** The account's connections end, and it gets no new ones. */
  public void lose() {
    lost = true;
    open.stream().filter(link -> link.theirs).forEach(Link::end);
  }

  /** The feed's connection ends; by the account's others nothing comes, of which nobody is told. */
  public void cut() {
    open.stream().filter(link -> link.theirs).forEach(link -> link.mute = true);
    open.stream().filter(link -> link.feed).forEach(Link::end);
  }

  /** What is sent to the account waits. */
  void hold() {
    held = true;
  }

  /**
   * What is sent to the account at once with this text is lost, and nothing else; null for none.
   */
  void swallow(@Nullable String text) {
    unwanted = text;
  }

  /**
   * The connection by which this text comes next ends: when it has been passed on, or when its
   * answer comes, which does not come through.
   */
  void endAt(String text, boolean atOnce) {
    disconnectRule.set(new DisconnectRule(text, atOnce));
  }

  /** Whether that has happened. */
  boolean hasEnded() {
    return disconnectRule.get() == null;
  }

  /** The account is shown a clock of the server that differs by so many seconds. */
  void setClock(int seconds) {
    clock = seconds;
  }

  /** How often something was. */
  int swallowed() {
    return swallowed.get();
  }

  private boolean isUnwanted(byte[] octets, int length) {
    String text = unwanted;
    return text != null
        && new String(octets, 0, length, StandardCharsets.ISO_8859_1).contains(text);
  }

  /** All goes on. */
  public void goOn() {
    lost = false;
    held = false;
    synchronized (turns) {
      turns.notifyAll();
    }
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    goOn();
    open.forEach(Link::end);
  }
}
