// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

import org.jspecify.annotations.Nullable;

/**
 * Reads a Stoa repeatedly, and reconnects after a lost connection.
 *
 * <p>Threading: confined to one thread, except {@link #close}.
 */
public final class Watch implements AutoCloseable {
  private final AdminConnector connector;
  private final AdminCredentials credentials;
  private final boolean wasProtected;
  private volatile @Nullable StoaClient client;
  private volatile @Nullable Thread connecting;
  private volatile boolean closed;
  private volatile boolean withClients;
  private volatile @Nullable ClientRates clients;
  private long clientsRead;
  private @Nullable Monitor previous;

  /**
   * Creates the watch.
   *
   * @param client a bound connection
   * @param credentials credentials that can be used repeatedly
   */
  public Watch(StoaClient client, AdminConnector connector, AdminCredentials credentials) {
    this.client = client;
    this.wasProtected = client.isProtected();
    this.connector = connector;
    this.credentials = credentials;
  }

  /**
   * Reads now.
   *
   * @return the differences from the previous reading; null for the first one, and after a failure
   * @throws StoaException if it cannot be read; the next call reconnects
   */
  public @Nullable Rates read() throws StoaException {
    try {
      Monitor last = previous;
      Monitor now = Monitor.read(connected());
      previous = now;
      readClients();
      return last == null ? null : new Rates(last, now);
    } catch (StoaException e) {
      previous = null;
      clients = null;
      disconnect();
      throw e;
    }
  }

  /** Reads the clients, too, from the next reading on, or not. Threading: thread-safe. */
  public void setWithClients(boolean wanted) {
    withClients = wanted;
  }

  /** Returns the clients of the last reading; null if they were not read. */
  public @Nullable ClientRates clients() {
    return clients;
  }

  private void readClients() throws StoaException {
    if (!withClients) {
      clients = null;
      return;
    }
    long now = System.nanoTime();
    clients = ClientRates.read(connected(), clients, now - clientsRead);
    clientsRead = now;
  }

  private StoaClient connected() throws StoaException {
    StoaClient present = client;
    if (present == null) {
      present = reconnect();
      client = present;
      bind(present);
    }
    if (closed) {
      disconnect();
    }
    return present;
  }

  private StoaClient reconnect() throws StoaException {
    connecting = Thread.currentThread();
    try {
      return connector.connect();
    } finally {
      connecting = null;
    }
  }

  /**
   * Binds, unless the first connection was protected and this one is not. An attacker in between
   * could have refused the protection.
   */
  private void bind(StoaClient present) throws StoaException {
    if (wasProtected && !present.isProtected()) {
      throw new StoaException(
          StoactlExitCode.CREDENTIALS,
          endpoint() + " no longer offers TLS: the password is not sent");
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

  /** Returns the address. */
  public Endpoint endpoint() {
    return connector.endpoint();
  }

  /** Closes the connection. A pending connect or read fails. Threading: thread-safe. */
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
