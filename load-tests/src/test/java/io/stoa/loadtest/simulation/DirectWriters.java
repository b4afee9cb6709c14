// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import io.stoa.loadtest.run.Directory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes the updates of a mix that bypass Stoa, on connections to the directory itself.
 *
 * <p>Threading: not thread-safe; writes on threads of its own, which end at close.
 */
final class DirectWriters implements AutoCloseable {
  private static final int THREADS = 4;
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Directory directory;
  private final ZipfMix mix;
  private final List<Thread> threads = new ArrayList<>();
  private volatile LDAPException failure;
  private volatile boolean ending;

  DirectWriters(Directory directory, ZipfMix mix) {
    this.directory = directory;
    this.mix = mix;
    for (int i = 0; i < THREADS; i++) {
      threads.add(new Thread(this::run, "around-" + i));
    }
    threads.forEach(Thread::start);
  }

  private void run() {
    try (LDAPConnection connection =
        new LDAPConnection(
            directory.target().address().getHostString(),
            directory.target().address().getPort(),
            Directory.ROOT,
            Directory.ROOT_PASSWORD)) {
      while (!ending) {
        if (mix.nextDirectUpdate()) {
          String text = "changed around, " + mix.directUpdates();
          connection.modify(
              Directory.dn(mix.updated()),
              new Modification(ModificationType.REPLACE, "description", text));
        } else {
          LockSupport.parkNanos(PAUSE_NANOS);
        }
      }
    } catch (LDAPException e) {
      failure = e;
    }
  }

  /** Ends the writers. Returns when all threads have ended. */
  @Override
  public void close() {
    ending = true;
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
    if (failure != null) {
      throw new IllegalStateException("the directory could not be updated", failure);
    }
  }
}
