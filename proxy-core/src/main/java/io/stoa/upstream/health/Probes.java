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

/**
 * The health checks of all servers, with the account they bind as.
 *
 * <p>Threading: thread-safe.
 */
public final class Probes implements AutoCloseable {
  private final Supplier<UpstreamConfig> current;
  private final RequestDecoder decoder;
  private final @Nullable ServiceAccount account;
  private final List<HealthProbe> probes = new CopyOnWriteArrayList<>();

  /** Health checks of removed servers, while operations are left there. */
  private final Set<HealthProbe> removed = Collections.newSetFromMap(new WeakHashMap<>());

  private boolean started;

  /**
   * Creates the set without any health check.
   *
   * @param current source of the current configuration
   * @throws IOException if the password of the health checks cannot be read
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
   * Settings that the health checks of one loop share.
   *
   * <p>Threading: immutable.
   *
   * @param current source of the current configuration
   * @param account account of the health checks; null if they are anonymous
   * @param peers the servers that must hold the same directory
   */
  record ProbeSettings(
      UpstreamLoop loop,
      Supplier<UpstreamConfig> current,
      RequestDecoder decoder,
      @Nullable ServiceAccount account,
      Peers peers) {
    /** Returns the current configuration. */
    UpstreamConfig config() {
      return current.get();
    }
  }

  /**
   * Adds the health check of a server, on one loop. If checking has started, it starts too.
   *
   * @param peers the servers that must hold the same directory
   */
  public synchronized void add(Backend backend, UpstreamLoop loop, Peers peers) {
    ProbeSettings settings = new ProbeSettings(loop, current, decoder, account, peers);
    HealthProbe probe = new HealthProbe(backend, settings);
    probes.add(probe);
    if (started) {
      probe.start();
    }
  }

  /** Removes a server. From then on it is checked only if an operation there has no response. */
  public synchronized void remove(Backend backend) {
    List<HealthProbe> matching =
        probes.stream().filter(probe -> probe.backend() == backend).toList();
    matching.forEach(HealthProbe::markRemoved);
    removed.addAll(matching);
    probes.removeAll(matching);
  }

  /** Returns the health checks in the order in which they were added. */
  public List<HealthProbe> all() {
    return List.copyOf(probes);
  }

  /** True if there is no health check. */
  public boolean isEmpty() {
    return probes.isEmpty();
  }

  /** Starts all health checks. */
  public synchronized void start() {
    started = true;
    probes.forEach(HealthProbe::start);
  }

  /** Stops all health checks. */
  public synchronized void stop() {
    probes.forEach(HealthProbe::stop);
    removed.forEach(HealthProbe::stop);
  }

  /** Zeroes the password. Called after {@link #stop}. */
  @Override
  public void close() {
    if (account != null) {
      account.close();
    }
  }
}
