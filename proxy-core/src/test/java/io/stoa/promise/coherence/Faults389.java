// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import io.stoa.testing.Ds389;
import io.stoa.testing.FaultInjectingProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What can happen to a 389-ds, and on the way from Stoa to it. Not thread-safe. */
final class Faults389 implements AutoCloseable {
  private static final Duration SLOW = Duration.ofMillis(100);

  private final FaultInjectingProxy.Observer observer;
  private Ds389 server;
  private FaultInjectingProxy way;
  private FeedRelay relay;

  /**
   * Begins.
   *
   * @param ear hears what the server is asked and answers
   */
  Faults389(FaultInjectingProxy.Observer ear) {
    this.observer = ear;
  }

  /**
   * What happens, and how it is mended.
   *
   * @param holdsUp whether a write through Stoa takes as long; then nothing rests on the feed for a
   *     minute
   */
  record Fault(String name, boolean holdsUp, Runnable begin, Runnable end) {}

  /** The port by which Stoa is to come to a server, so that something can happen. */
  int before(Ds389 one) {
    server = one;
    way = FaultInjectingProxy.to(server.address().getPort(), observer);
    relay = new FeedRelay(way.port(), Ds389WithFeed.FEED);
    return relay.port();
  }

  /** After which all goes on. */
  List<Fault> passing() {
    return List.of(
        new Fault("the server freezes", true, server::freeze, server::thaw),
        new Fault("the account of the feed is cut off", true, relay::lose, relay::goOn),
        new Fault("the way is cut", true, way::cut, way::mend),
        new Fault("the account of the feed hears nothing", true, relay::hold, relay::goOn),
        new Fault("the server answers slowly", false, () -> way.slow(SLOW), way::mend),
        new Fault("the server answers busy", false, way::busy, way::mend));
  }

  /** These, and those after which the server begins anew. */
  List<Fault> all() {
    List<Fault> all = new ArrayList<>(passing());
    all.add(new Fault("the server is killed", false, server::kill, server::restart));
    all.add(new Fault("nothing", false, () -> {}, () -> {}));
    all.add(new Fault("the server is ended", false, server::stop, server::restart));
    return List.copyOf(all);
  }

  @Override
  public void close() {
    if (relay != null) {
      relay.close();
      way.close();
    }
  }
}
