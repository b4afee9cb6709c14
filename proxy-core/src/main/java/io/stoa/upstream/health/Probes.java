// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.health;

import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.upstream.auth.ServiceAccount;
import io.stoa.upstream.connection.ProbeConfig;
import io.stoa.upstream.pool.UpstreamConfig;
import io.stoa.upstream.pool.UpstreamLoop;
import io.stoa.upstream.server.Backend;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The probes of all servers, and as whom they ask. Thread-safe. */
public final class Probes implements AutoCloseable {
  private final Supplier<UpstreamConfig> current;
  private final RequestDecoder decoder;
  private final @Nullable ServiceAccount account;
  private final List<HealthProbe> all = new CopyOnWriteArrayList<>();

  /** Those of servers that have gone, as long as anything is left there. */
  private final Set<HealthProbe> parted = Collections.newSetFromMap(new WeakHashMap<>());

  private boolean asking;

  /**
   * Makes none yet.
   *
   * @param current what holds now
   * @throws IOException if the password of the probes cannot be read
   */
  public Probes(Supplier<UpstreamConfig> current, RequestDecoder decoder) throws IOException {
    ProbeConfig probe = current.get().probe();
    this.current = current;
    this.decoder = decoder;
    this.account =
        probe.bindDn().isEmpty()
            ? null
            : ServiceAccount.ofProbe(probe.bindDn(), Path.of(probe.passwordFile()));
  }

  /**
   * What the probes of one loop share. Immutable.
   *
   * @param current what holds now
   * @param account as whom they bind; null if they do not
   * @param peers the servers that must hold the same directory
   */
  record Terms(
      UpstreamLoop loop,
      Supplier<UpstreamConfig> current,
      RequestDecoder decoder,
      @Nullable ServiceAccount account,
      Peers peers) {
    /** What holds now. */
    UpstreamConfig config() {
      return current.get();
    }
  }

  /**
   * Adds the probe of a server, on one loop; once others have begun to ask it does, too.
   *
   * @param peers the servers that must hold the same directory
   */
  public synchronized void add(Backend backend, UpstreamLoop loop, Peers peers) {
    Terms terms = new Terms(loop, current, decoder, account, peers);
    HealthProbe probe = new HealthProbe(backend, terms);
    all.add(probe);
    if (asking) {
      probe.start();
    }
  }

  /** Asks a server no more, but while something under way there is silent. */
  public synchronized void remove(Backend backend) {
    List<HealthProbe> own = all.stream().filter(probe -> probe.backend() == backend).toList();
    own.forEach(HealthProbe::part);
    parted.addAll(own);
    all.removeAll(own);
  }

  /** In the order in which they were added. */
  public List<HealthProbe> all() {
    return List.copyOf(all);
  }

  /** Whether there is none. */
  public boolean isEmpty() {
    return all.isEmpty();
  }

  /** Begins to ask. */
  public synchronized void start() {
    asking = true;
    all.forEach(HealthProbe::start);
  }

  /** Asks no more. */
  public synchronized void stop() {
    all.forEach(HealthProbe::stop);
    parted.forEach(HealthProbe::stop);
  }

  /** Forgets the password, once nothing is asked any more. */
  @Override
  public void close() {
    if (account != null) {
      account.close();
    }
  }
}
