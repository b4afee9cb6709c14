// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.ChangeListener;
import io.stoa.operation.Operation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The write windows, in the order in which they are searched.
 *
 * <p>Threading: thread-safe.
 */
public final class Windows {
  private final List<WriteWindow> windows;
  private final Supplier<ServerProfile> profile;

  /**
   * Creates the windows.
   *
   * @param listener receives changes
   * @param profile schema by which names are compared
   */
  public Windows(
      List<WindowConfig> configs, ChangeListener listener, Supplier<ServerProfile> profile) {
    TransactionLock transactionLock = new TransactionLock();
    this.windows =
        configs.stream().map(config -> new WriteWindow(config, listener, transactionLock)).toList();
    this.profile = profile;
  }

  /** True if no write ever waits. */
  public boolean isEmpty() {
    return windows.isEmpty();
  }

  List<WriteWindow> all() {
    return windows;
  }

  /** Returns the window for a write; null if there is none. */
  @Nullable WriteWindow of(Operation operation, byte[] target) {
    if (windows.isEmpty()) {
      return null;
    }
    ServerProfile present = profile.get();
    NormalDn entry = NormalDn.of(target, present);
    byte[] dn = operation.session().identity().dn();
    return windows.stream()
        .filter(window -> window.covers(entry, dn, present))
        .findFirst()
        .orElse(null);
  }

  ServerProfile profile() {
    return profile.get();
  }

  /** Returns a snapshot of all windows. */
  public List<WindowStatus> status() {
    return windows.stream().map(WriteWindow::status).toList();
  }

  /**
   * Applies new limits for closing to windows of the same name; others stay as they are.
   *
   * @return one message for each changed window
   */
  public List<String> reconfigure(List<WindowConfig> configs) {
    List<String> changes = new ArrayList<>();
    for (WindowConfig config : configs) {
      String line =
          "window %s: every=%d ms, maxOperations=%d"
              .formatted(config.name(), config.every().toMillis(), config.maxOperations());
      windows.stream()
          .filter(
              window -> window.config().name().equals(config.name()) && window.reconfigure(config))
          .forEach(window -> changes.add(line));
    }
    return changes;
  }

  /**
   * The result of a flush. Immutable.
   *
   * @param writes number of writes that waited
   * @param answered true if the directory has answered all of them
   */
  public record Flushed(int writes, boolean answered) {}

  /**
   * Closes a window now, or as soon as it can.
   *
   * @return the result, when the waiting writes are over; empty if no window has that name
   */
  public Optional<CompletableFuture<Flushed>> flush(String name) {
    return named(name).map(WriteWindow::flush);
  }

  /**
   * Lets writes pass a window at once, or wait again.
   *
   * @return the result, when the waiting writes are over; empty if no window has that name
   */
  public Optional<CompletableFuture<Flushed>> pause(String name, boolean pass) {
    return named(name).map(window -> window.setPaused(pass));
  }

  private Optional<WriteWindow> named(String name) {
    return windows.stream().filter(window -> window.config().name().equals(name)).findFirst();
  }

  /** Drains all windows: waiting writes are sent, and further ones pass at once. */
  public void drain() {
    windows.forEach(window -> window.setPaused(true));
  }
}
