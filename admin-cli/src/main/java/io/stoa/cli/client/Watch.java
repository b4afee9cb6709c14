// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

import org.jspecify.annotations.Nullable;

/**
 * Reads a Stoa again and again, and connects anew if that was lost. Confined to one thread, but for
 * {@link #close}.
 */
public final class Watch implements AutoCloseable {
  private final Connector connector;
  private final Credentials credentials;
  private volatile @Nullable StoaClient client;
  private volatile boolean closed;
  private @Nullable Monitor before;

  /**
   * Makes it.
   *
   * @param first a connection that is bound
   * @param credentials those that can be had again
   */
  public Watch(StoaClient first, Connector connector, Credentials credentials) {
    this.client = first;
    this.connector = connector;
    this.credentials = credentials;
  }

  /**
   * Reads it now.
   *
   * @return what there is to compare it with is what was read before; null if that was nothing
   * @throws StoaException if it cannot be read; the next time it is connected to anew
   */
  public @Nullable Rates read() throws StoaException {
    try {
      Monitor last = before;
      Monitor now = Monitor.read(connected());
      before = now;
      return last == null ? null : new Rates(last, now);
    } catch (StoaException e) {
      before = null;
      disconnect();
      throw e;
    }
  }

  private StoaClient connected() throws StoaException {
    StoaClient present = client;
    if (present == null) {
      present = connector.connect();
      client = present;
      present.bind(credentials);
    }
    if (closed) {
      disconnect();
    }
    return present;
  }

  private void disconnect() {
    StoaClient present = client;
    client = null;
    if (present != null) {
      present.close();
    }
  }

  /** Where it is read. */
  public Endpoint endpoint() {
    return connector.endpoint();
  }

  /** What waits for an answer fails. Thread-safe. */
  @Override
  public void close() {
    closed = true;
    disconnect();
  }
}
