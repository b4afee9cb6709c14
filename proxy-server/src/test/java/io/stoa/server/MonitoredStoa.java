// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.testing.Await;
import io.stoa.testing.Certificates;
import io.stoa.testing.FreePort;
import io.stoa.testing.Leftovers;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Requests;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A Stoa with a feed, a sharing class, a write window and TLS in front of slapd, under load. All
 * metrics that depend on the configuration exist. Not thread-safe.
 */
final class MonitoredStoa implements AutoCloseable {
  private static final int PEOPLE = 30;
  private static final long PAUSE_NANOS = 5_000_000;
  private static final Duration LIFE = Duration.ofHours(20);

  private static final String SYNCPROV =
      """
      overlay syncprov
      syncprov-sessionlog 1000
      """;

  private static final String CONFIG =
      """
      upstream: {servers: ['%s']}
      management: {listen: '127.0.0.1:%d'}
      tls: {certificate: '%s', key: '%s'}
      feed: {bindDn: '%s', passwordFile: '%s', assumeCoverage: true}
      cache:
        maxAge: 1h
        classes: [{name: apps, members: ['%s', '%s'], base: '%s'}]
      writes:
        windows:
          - {name: people, subtree: '%s', every: 50ms}
      """;

  private final Path directory = Leftovers.directory("monitored");
  private final Certificates certificates = Certificates.create();
  private final int management = FreePort.next();
  private final Slapd slapd =
      Slapd.start(
          SlapdConfig.stock()
              .module("syncprov")
              .database(People.SUFFIX, People.ACCESS + SYNCPROV, People.tree(PEOPLE)));
  private final StoaProcess stoa;
  private final AtomicLong answered = new AtomicLong();
  private volatile boolean ended;

  private MonitoredStoa() throws IOException {
    Path password = Files.writeString(directory.resolve("pw"), SlapdConfig.ROOT_PASSWORD + "\n");
    Certificates.Pair pair = certificates.serverFor(LIFE);
    stoa =
        StoaProcess.configured(
            CONFIG.formatted(
                slapd.url(),
                management,
                pair.certificate(),
                pair.key(),
                People.ROOT,
                password,
                People.dn(1),
                People.dn(2),
                People.PEOPLE,
                People.PEOPLE),
            "ldaps://127.0.0.1:" + FreePort.next());
    for (int person = 0; person < 4; person++) {
      work(person);
    }
    Await.until("clients are answered", () -> answered.get() > 200);
    Await.until("the feed has metrics", () -> metrics().contains("stoa_feed_live{context="));
  }

  static MonitoredStoa start() {
    try {
      return new MonitoredStoa();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts a client that searches, writes, and binds with a wrong password. */
  private void work(int person) {
    Thread thread =
        new Thread(
            () -> {
              while (!ended) {
                send(person);
              }
            },
            "load-" + person);
    thread.setDaemon(true);
    thread.start();
  }

  private void send(int person) {
    try (RawLdapClient client = stoa.client().bind(People.dn(person), People.PASSWORD)) {
      for (int i = 0; i < 50 && !ended; i++) {
        client.call(People.find(ThreadLocalRandom.current().nextInt(PEOPLE)));
        answered.incrementAndGet();
        LockSupport.parkNanos(PAUSE_NANOS);
      }
      client.call(Requests.replace(People.dn(person), "sn", "x" + answered.get()));
      client.call(Requests.bind(People.dn(person), "wrong"));
    } catch (RuntimeException | AssertionError disconnected) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  /** The port of its management listener. */
  int management() {
    return management;
  }

  private String metrics() {
    InetSocketAddress listener =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), management);
    return HttpExchange.get(listener, "/metrics").body();
  }

  @Override
  public void close() {
    ended = true;
    stoa.close();
    slapd.close();
    certificates.close();
    Leftovers.delete(directory);
  }
}
