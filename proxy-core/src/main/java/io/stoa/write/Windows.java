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

/** All windows in which writes wait, in the order in which they are looked for. Thread-safe. */
public final class Windows {
  private final List<WriteWindow> windows;
  private final Supplier<ServerProfile> profile;

  /**
   * Makes them.
   *
   * @param listener hears of what has changed
   * @param profile by which names of entries are compared
   */
  public Windows(
      List<WindowConfig> configs, ChangeListener listener, Supplier<ServerProfile> profile) {
    TransactionLock baton = new TransactionLock();
    this.windows =
        configs.stream().map(config -> new WriteWindow(config, listener, baton)).toList();
    this.profile = profile;
  }

  /** Whether no write ever waits. */
  public boolean isEmpty() {
    return windows.isEmpty();
  }

  List<WriteWindow> all() {
    return windows;
  }

  /** The window for an operation, of which it is known that it writes; null if there is none. */
  @Nullable WriteWindow of(Operation operation, byte[] target) {
    if (windows.isEmpty()) {
      return null;
    }
    ServerProfile present = profile.get();
    NormalDn entry = NormalDn.of(target, present);
    byte[] who = operation.session().identity().dn();
    return windows.stream()
        .filter(window -> window.takes(entry, who, present))
        .findFirst()
        .orElse(null);
  }

  ServerProfile profile() {
    return profile.get();
  }

  /** All as they are now. */
  public List<WindowStatus> status() {
    return windows.stream().map(WriteWindow::status).toList();
  }

  /**
   * Makes each close as it is configured to now; those of other names are left alone.
   *
   * @return a line for people for each change
   */
  public List<String> closeAs(List<WindowConfig> configs) {
    List<String> changes = new ArrayList<>();
    for (WindowConfig config : configs) {
      String line =
          "window %s closes after %d ms, or with %d writes"
              .formatted(config.name(), config.every().toMillis(), config.maxOperations());
      windows.stream()
          .filter(window -> window.config().name().equals(config.name()) && window.closeAs(config))
          .forEach(window -> changes.add(line));
    }
    return changes;
  }

  /**
   * What has become of the writes that waited. Immutable.
   *
   * @param writes how many waited
   * @param answered whether the directory has answered all of them
   */
  public record Flushed(int writes, boolean answered) {}

  /**
   * One closes now, or as soon as its last writes have been answered.
   *
   * @return what has become of the writes that waited, when that is over; empty if there is none of
   *     that name
   */
  public Optional<CompletableFuture<Flushed>> flush(String name) {
    return named(name).map(WriteWindow::flush);
  }

  /**
   * From now on writes pass it at once, or wait again.
   *
   * @return what has become of the writes that waited, when that is over; empty if there is none of
   *     that name
   */
  public Optional<CompletableFuture<Flushed>> pause(String name, boolean pass) {
    return named(name).map(window -> window.paused(pass));
  }

  private Optional<WriteWindow> named(String name) {
    return windows.stream().filter(window -> window.config().name().equals(name)).findFirst();
  }

  /** Nothing waits any more: what does is sent at once. */
  public void drain() {
    windows.forEach(window -> window.paused(true));
  }
}
