// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.cache.result.Caches;
import io.stoa.cache.result.Caches.Dropped;
import io.stoa.net.transport.Plural;
import io.stoa.server.admin.action.Action;
import io.stoa.server.admin.action.Action.ActionResult;
import io.stoa.server.admin.action.ActionException;
import io.stoa.server.admin.monitor.MonitorSource.EntryActions;
import io.stoa.server.config.ConfigException;
import io.stoa.server.reconfigure.ReloadEffect;
import io.stoa.server.reconfigure.RuntimeConfiguration;
import io.stoa.upstream.server.ServerAddress;
import io.stoa.write.Windows.Flushed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Actions of the administrator on the entries of Stoa's own trees. Threading: thread-safe. */
final class AdministratorActions implements EntryActions {
  private static final long DISCONNECT_SECONDS = 5;
  private static final long FLUSH_SECONDS = 5;
  private static final String UNANSWERED = "the directory has not answered all its writes yet";
  private static final int MAX_LETTERS = 4000;

  /** Maximum number of characters of a dry run: 65,536, for a change of each key. */
  private static final int MAX_PREVIEW = 65_536;

  private static final String ANONYMOUS = "anonymous";

  private final ProxyHandle handle;
  private final ServerOverrides servers;
  private final @Nullable RuntimeConfiguration runtime;
  private volatile @Nullable Runnable shutdown;

  /**
   * Creates the actions.
   *
   * @param runtime null if there is no configuration file
   */
  AdministratorActions(
      ProxyHandle handle, ServerOverrides servers, @Nullable RuntimeConfiguration runtime) {
    this.handle = handle;
    this.servers = servers;
    this.runtime = runtime;
  }

  /** Sets the action that ends the process. */
  void onShutdown(Runnable end) {
    shutdown = end;
  }

  @Override
  public List<Action> server(ServerAddress server) {
    return List.of(
        Action.of("drain", none -> servers.drain(server)),
        Action.of("resume", none -> servers.resume(server)),
        Action.of("reconnect", none -> reconnect(server)),
        Action.of("weight", "N", number -> servers.weight(server, number)));
  }

  private ActionResult reconnect(ServerAddress server) throws ActionException {
    if (!handle.get().adminCommands().reconnect(server)) {
      throw ActionException.noSuchObject(server + " is no longer in use");
    }
    return new ActionResult(server + ": connections are being replaced, a few at a time");
  }

  @Override
  public List<Action> client(long number) {
    return List.of(Action.of(DISCONNECT, none -> disconnect(number)));
  }

  private ActionResult disconnect(long number) throws ActionException {
    return awaitClosed(number, handle.get().adminCommands()::disconnect, " closed");
  }

  @Override
  public List<Action> connection(long number) {
    return List.of(Action.of(CLOSE, none -> close(number)));
  }

  private ActionResult close(long number) throws ActionException {
    return awaitClosed(
        number,
        handle.get().adminCommands()::close,
        " is draining, and closes when nothing is in flight");
  }

  private static ActionResult awaitClosed(
      long number, LongFunction<CompletableFuture<Boolean>> end, String outcome)
      throws ActionException {
    try {
      if (!end.apply(number).get(DISCONNECT_SECONDS, TimeUnit.SECONDS)) {
        throw ActionException.noSuchObject("connection " + number + " no longer exists");
      }
      return new ActionResult("connection " + number + outcome);
    } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
      throw ActionException.unwilling("Stoa is busy or shutting down; retry");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ActionException.unwilling("Stoa is shutting down");
    }
  }

  @Override
  public List<Action> window(String name) {
    return List.of(
        Action.of("flush", none -> flush(name)),
        Action.of("pause", none -> pause(name, true, "paused, writes are sent at once")),
        Action.of("resume", none -> pause(name, false, "resumed, writes wait again")));
  }

  private ActionResult flush(String name) throws ActionException {
    Flushed flushed = awaitFlush(name, handle.get().windows().flush(name));
    if (!flushed.answered()) {
      throw ActionException.unwilling("window " + name + " was closed, but " + UNANSWERED);
    }
    return new ActionResult(
        "window " + name + " was closed: " + Plural.of(flushed.writes(), "write") + " sent");
  }

  /** Pauses or resumes a window. This has taken effect even if the directory does not answer. */
  private ActionResult pause(String name, boolean pass, String result) throws ActionException {
    Flushed flushed = awaitFlush(name, handle.get().windows().pause(name, pass));
    return new ActionResult(
        "window " + name + ": " + result + (flushed.answered() ? "" : "; " + UNANSWERED));
  }

  /** Waits for the directory's answers for at most 5 s, so that other actions are not delayed. */
  private static Flushed awaitFlush(String name, Optional<CompletableFuture<Flushed>> flush)
      throws ActionException {
    try {
      return flush
          .orElseThrow(() -> ActionException.noSuchObject("there is no window " + name))
          .get(FLUSH_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      return new Flushed(0, false);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw ActionException.unwilling("Stoa is shutting down");
    }
  }

  @Override
  public List<Action> caches() {
    return List.of(
        Action.of("flush", none -> flushCaches(Caches::flush)),
        Action.of("flush entry", "DN", dn -> flush(dn, false)),
        Action.of("flush subtree", "DN", dn -> flush(dn, true)),
        Action.of("flush identity", "DN", this::flushIdentity),
        Action.of("restore class", "NAME", this::restoreClass));
  }

  @Override
  public List<Action> digests() {
    return List.of(Action.of("reset", none -> resetDigests()));
  }

  private ActionResult resetDigests() throws ActionException {
    handle.get().adminCommands().caches().digests().reset();
    return new ActionResult("all search digests were reset");
  }

  @Override
  public List<Action> advice() {
    return List.of(Action.of("reset", none -> resetAdvice()));
  }

  private ActionResult resetAdvice() throws ActionException {
    Caches caches = handle.get().adminCommands().caches();
    caches.simulation().reset();
    caches.largeAnswers().reset();
    caches.equalAnswers().reset();
    caches.digests().reset();
    return new ActionResult(
        "the counts of searches behind the advice were reset, digests included");
  }

  @Override
  public List<Action> maintenance() {
    return List.of(Action.of("audit", none -> auditAll()));
  }

  /** Starts a full audit. The answer does not wait for its end, which takes too long. */
  private ActionResult auditAll() throws ActionException {
    long number = handle.get().adminCommands().maintenance().auditAll();
    return new ActionResult("audit " + number + " of all results held by a feed has begun");
  }

  private ActionResult flush(String dn, boolean subtree) throws ActionException {
    if (dn.isEmpty()) {
      throw ActionException.invalidArgument("flush: a DN is required");
    }
    return flushCaches(caches -> caches.flush(dn.getBytes(UTF_8), subtree));
  }

  private ActionResult flushIdentity(String name) throws ActionException {
    String dn = name.equalsIgnoreCase(ANONYMOUS) ? "" : name;
    return flushCaches(caches -> caches.flushIdentity(dn.getBytes(UTF_8)));
  }

  /** Ends the demotion of a sharing class. */
  private ActionResult restoreClass(String name) throws ActionException {
    if (!handle.get().adminCommands().caches().classes().restore(name)) {
      throw ActionException.invalidArgument("restore: no demoted sharing class has this name");
    }
    return new ActionResult(
        "sharing class " + name + " restored: its members share cached results again");
  }

  private ActionResult flushCaches(Function<Caches, Dropped> flush) throws ActionException {
    try {
      Dropped dropped = flush.apply(handle.get().adminCommands().caches());
      return new ActionResult(
          Plural.of(dropped.results(), "result")
              + " and "
              + Plural.of(dropped.entries(), "entry", "entries")
              + " dropped");
    } catch (IllegalArgumentException e) {
      throw ActionException.invalidArgument("flush: the argument is not a DN");
    }
  }

  /** Returns the actions of Stoa as a whole. */
  List<Action> processActions() {
    return List.of(
        Action.of("reload", none -> reload()),
        Action.of("reload dry-run", none -> preview()),
        Action.of("shutdown", none -> shutDown()));
  }

  private ActionResult reload() throws ActionException {
    if (runtime == null) {
      throw ActionException.unwilling("Stoa runs without a configuration file");
    }
    try {
      RuntimeConfiguration.ReloadReport report = new Reload(runtime).reload();
      String changes =
          report.changes().isEmpty() ? "no changes" : String.join("; ", report.changes());
      List<String> lines = new ArrayList<>(List.of(changes));
      lines.addAll(report.unused());
      if (!report.restart().isEmpty()) {
        lines.add("restart required for " + String.join(", ", report.restart()));
      }
      return new ActionResult(cut(String.join("; ", lines)));
    } catch (ConfigException e) {
      throw refused(runtime, e);
    }
  }

  /** Returns the effects of a reload, one on each line; nothing is changed. */
  private ActionResult preview() throws ActionException {
    if (runtime == null) {
      throw ActionException.unwilling("Stoa runs without a configuration file");
    }
    try {
      String lines =
          runtime.preview().stream().map(ReloadEffect::line).collect(Collectors.joining("\n"));
      return new ActionResult(lines.length() <= MAX_PREVIEW ? lines : cut(lines));
    } catch (ConfigException e) {
      throw refused(runtime, e);
    }
  }

  private static ActionException refused(RuntimeConfiguration runtime, ConfigException e) {
    return ActionException.unwilling(
        cut(e.problems().isEmpty() ? String.valueOf(e.getMessage()) : mistakes(runtime.file(), e)));
  }

  /** Returns all mistakes of the file on one line, as the log has no other kind. */
  private static String mistakes(Path file, ConfigException mistakes) {
    return mistakes.problems().stream()
        .map(mistake -> file + ":" + mistake.position() + ": " + mistake.message())
        .collect(Collectors.joining("; "));
  }

  private static String cut(String text) {
    return text.length() <= MAX_LETTERS ? text : text.substring(0, MAX_LETTERS) + "…";
  }

  private ActionResult shutDown() throws ActionException {
    Runnable end = shutdown;
    if (end == null) {
      throw ActionException.unwilling("Stoa is embedded in another process, which must end it");
    }
    return new ActionResult(
        "Stoa is draining, and ends when operations in flight are answered", end);
  }
}
