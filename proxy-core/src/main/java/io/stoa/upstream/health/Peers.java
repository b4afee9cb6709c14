// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.health;

import io.stoa.upstream.connection.ProbeConfig.Mismatch;
import io.stoa.upstream.server.Backend;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The servers of one directory, compared by their contents. The measure is the first server, in the
 * order of the configuration, whose contents are known. Each other server that differs from it is
 * warned of once, and is not used if the configuration refuses it. Thread-safe.
 */
public final class Peers {
  private final Supplier<List<Backend>> servers;
  private final Supplier<Mismatch> mismatch;
  private final Map<Backend, Contents> known = new HashMap<>();

  /**
   * Makes it; nothing is known yet.
   *
   * @param servers in the order of the configuration
   * @param mismatch what becomes of a server that differs, as it holds now
   */
  public Peers(Supplier<List<Backend>> servers, Supplier<Mismatch> mismatch) {
    this.servers = servers;
    this.mismatch = mismatch;
  }

  /** True if there is more than one server to compare. */
  boolean any() {
    return servers.get().size() > 1;
  }

  /** True if a server is compared before it is used. */
  boolean refuse() {
    return mismatch.get() == Mismatch.REFUSE;
  }

  /**
   * A server's contents were read: all servers are judged anew. Contents without a naming context
   * say nothing, and leave those that were read before.
   *
   * @return the server's own difference; empty if there is none
   */
  String read(Backend server, Contents contents) {
    Map<Backend, String> differences;
    synchronized (known) {
      if (!contents.contexts().isEmpty() && servers.get().contains(server)) {
        known.put(server, contents);
      }
      differences = differences();
    }
    differences.forEach((one, difference) -> judged(one, difference, one == server));
    return differences.getOrDefault(server, "");
  }

  /** Forgets a server that has gone. */
  public void forget(Backend server) {
    synchronized (known) {
      known.remove(server);
    }
  }

  private Map<Backend, String> differences() {
    Map<Backend, String> differences = new HashMap<>();
    List<Backend> read = servers.get().stream().filter(known::containsKey).toList();
    for (Backend one : read) {
      Backend measure = read.get(0);
      Contents right = known.get(measure);
      Contents contents = known.get(one);
      if (right != null && contents != null) {
        differences.put(one, contents.differenceFrom(right, measure.address().toString()));
      }
    }
    return differences;
  }

  /** The probe of the server that was read takes it down by itself. */
  private void judged(Backend server, String difference, boolean own) {
    server.health().setDifference(difference);
    if (!difference.isEmpty() && refuse() && !own && !server.health().gone()) {
      server.health().unreachable(new IOException(difference));
    }
  }
}
