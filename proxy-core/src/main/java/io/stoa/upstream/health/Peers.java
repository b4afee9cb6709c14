// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.health;

import io.stoa.net.transport.DescribedException;
import io.stoa.upstream.connection.ProbeConfig.Mismatch;
import io.stoa.upstream.server.Backend;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Compares the contents of the servers of one directory. The reference is the first server, in the
 * order of the configuration, whose contents are known. A server that differs is logged once, and
 * is not used if the configuration refuses it.
 *
 * <p>Threading: thread-safe.
 */
public final class Peers {
  private final Supplier<List<Backend>> servers;
  private final Supplier<Mismatch> mismatch;
  private final Map<Backend, Contents> contentsByServer = new HashMap<>();

  /**
   * Creates the comparison, without any contents yet.
   *
   * @param servers the servers in the order of the configuration
   * @param mismatch current treatment of a server that differs
   */
  public Peers(Supplier<List<Backend>> servers, Supplier<Mismatch> mismatch) {
    this.servers = servers;
    this.mismatch = mismatch;
  }

  /** True if there is more than one server to compare. */
  boolean hasSeveral() {
    return servers.get().size() > 1;
  }

  /** True if a server is compared before it is used. */
  boolean refusesDifferent() {
    return mismatch.get() == Mismatch.REFUSE;
  }

  /**
   * Called when a server's contents have been read: compares all servers anew. Contents without a
   * naming context are ignored, and the earlier ones stay.
   *
   * @return the server's own difference; empty if there is none
   */
  String onContents(Backend server, Contents contents) {
    Map<Backend, String> differences;
    synchronized (contentsByServer) {
      if (!contents.contexts().isEmpty() && servers.get().contains(server)) {
        contentsByServer.put(server, contents);
      }
      differences = differences();
    }
    differences.forEach((one, difference) -> setDifference(one, difference, one == server));
    return differences.getOrDefault(server, "");
  }

  /** Forgets a removed server. */
  public void forget(Backend server) {
    synchronized (contentsByServer) {
      contentsByServer.remove(server);
    }
  }

  private Map<Backend, String> differences() {
    Map<Backend, String> differences = new HashMap<>();
    List<Backend> read = servers.get().stream().filter(contentsByServer::containsKey).toList();
    for (Backend server : read) {
      Backend reference = read.get(0);
      Contents referenceContents = contentsByServer.get(reference);
      Contents contents = contentsByServer.get(server);
      if (referenceContents != null && contents != null) {
        differences.put(
            server, contents.differenceFrom(referenceContents, reference.address().toString()));
      }
    }
    return differences;
  }

  /** Sets a server's difference. The server just read is taken down by its own health check. */
  private void setDifference(Backend server, String difference, boolean justRead) {
    server.health().setDifference(difference);
    if (!difference.isEmpty() && refusesDifferent() && !justRead && !server.health().isDown()) {
      server.health().onDown(new DescribedException(difference));
    }
  }
}
