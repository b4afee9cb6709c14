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
  private final boolean secret;
  private volatile @Nullable StoaClient client;
  private volatile @Nullable Thread connecting;
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
    this.secret = first.isProtected();
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
      present = again();
      client = present;
      bind(present);
    }
    if (closed) {
      disconnect();
    }
    return present;
  }

  private StoaClient again() throws StoaException {
    connecting = Thread.currentThread();
    try {
      return connector.connect();
    } finally {
      connecting = null;
    }
  }

  /** Who stands between could refuse the protection that the first connection had. */
  private void bind(StoaClient present) throws StoaException {
    if (secret && !present.isProtected()) {
      throw new StoaException(
          ExitCode.CREDENTIALS, endpoint() + " is not protected any more: no password is sent");
    }
    present.bind(credentials);
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

  /** What waits for a connection or an answer fails. Thread-safe. */
  @Override
  public void close() {
    closed = true;
    Thread waiting = connecting;
    if (waiting != null) {
      waiting.interrupt();
    }
    disconnect();
  }
}
