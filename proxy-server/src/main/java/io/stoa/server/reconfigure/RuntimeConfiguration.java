// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.reconfigure;

import io.stoa.net.transport.FailureText;
import io.stoa.proxy.ProxyConfig;
import io.stoa.server.admin.action.ActionException;
import io.stoa.server.admin.action.Modification;
import io.stoa.server.config.ConfigException;
import io.stoa.server.config.ConfigReader;
import io.stoa.server.config.ConfigReader.KeyValue;
import io.stoa.server.config.ConfigReader.LoadedConfig;
import io.stoa.server.config.ServerConfig;
import io.stoa.server.config.value.WindowOverride;
import io.stoa.upstream.balancing.ServerOverride;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.server.ServerAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The present configuration: the file as last read, overridden by changes made through {@code
 * cn=configuration}.
 *
 * <p>Each change is atomic and durable: it is checked like a file, then written to disk, and only
 * then takes effect.
 *
 * <p>Threading: thread-safe.
 */
public final class RuntimeConfiguration implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RuntimeConfiguration.class);

  private static final String SERVER_OVERRIDES = "upstream.overrides";
  private static final String WINDOW_OVERRIDES = "writes.windowOverrides";
  private static final int MAX_WAITING = 16;
  private static final int IDLE_SECONDS = 10;
  private static final String HEADER =
      "# Changes made through cn=configuration. They override the configuration file.\n";

  private final Path file;
  private final ChangesFile changesFile;
  private final LoadedConfig started;
  private final ThreadPoolExecutor thread;
  private volatile LoadedConfig base;
  private volatile Map<String, KeyValue> changes = new LinkedHashMap<>();
  private volatile LoadedConfig current;
  private Function<ServerConfig, List<String>> applier = config -> List.of();
  private Runnable beforeReload = () -> {};
  private Runnable afterReload = () -> {};

  private RuntimeConfiguration(Path file) throws ConfigException {
    this.file = file;
    this.base = ConfigReader.reading(file);
    this.changesFile = ChangesFile.of(file, base.changes());
    if (changesFile.overwrites(file)) {
      throw ConfigException.unreadable(
          file.toString(), "admin.changes must not name the configuration file itself");
    }
    readChanges();
    this.changes = withoutUnknown(changes, base);
    this.current = base.with(changesFile.toString(), text(changes));
    this.started = current;
    this.thread =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_WAITING),
            RuntimeConfiguration::thread);
    thread.allowCoreThreadTimeOut(true);
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "stoa-configuration");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Reads a configuration file and its file of changes.
   *
   * @throws ConfigException if one of them cannot be read or has mistakes; it contains all of them
   */
  public static RuntimeConfiguration of(Path file) throws ConfigException {
    return new RuntimeConfiguration(file);
  }

  private void readChanges() throws ConfigException {
    try {
      for (KeyValue value : KeyValue.read(changesFile.toString(), changesFile.read())) {
        changes.put(value.name(), value);
      }
    } catch (IOException e) {
      throw ConfigException.unreadable(changesFile.toString(), FailureText.of(e));
    }
  }

  /** Returns the changes without overrides of servers and windows that the file no longer has. */
  private Map<String, KeyValue> withoutUnknown(Map<String, KeyValue> all, LoadedConfig ofFile) {
    Map<String, KeyValue> known = new LinkedHashMap<>(all);
    ProxyConfig proxy = ofFile.config().proxy();
    keep(
        known,
        SERVER_OVERRIDES,
        value -> ServerOverride.parse(value).appliesTo(proxy.upstream().servers()));
    keep(
        known,
        WINDOW_OVERRIDES,
        value -> WindowOverride.parse(value, text -> Duration.ZERO).appliesToAny(proxy.windows()));
    return known;
  }

  private void keep(Map<String, KeyValue> changes, String key, Predicate<String> isKnown) {
    KeyValue change = changes.remove(key);
    if (change != null) {
      List<String> values = change.values().stream().filter(isKnown).toList();
      if (values.size() < change.values().size()) {
        LOG.warn(
            "{}: {} contains servers or windows that {} no longer has; they are ignored",
            changesFile,
            key,
            file);
      }
      if (!values.isEmpty() || change.values().isEmpty()) {
        changes.put(key, change.with(values));
      }
    }
  }

  /** Returns the present configuration. */
  public ServerConfig config() {
    return current.config();
  }

  /** Returns the file in which feeds keep their state for the next start. */
  public Path feedState() {
    return changesFile.feedStateFile();
  }

  /** Returns warnings about changes that cannot be written and about files that are not used. */
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    if (!changesFile.seemsWritable()) {
      warnings.add(
          "cn=configuration is read-only: "
              + changesFile
              + " cannot be written; set admin.changes to another file");
    }
    ChangesFile defaultFile = ChangesFile.of(file, Optional.empty());
    if (base.changes().isPresent() && !defaultFile.isSame(changesFile) && defaultFile.exists()) {
      warnings.add(
          defaultFile
              + " is ignored, as admin.changes names "
              + changesFile
              + "; move its contents there");
    }
    return warnings;
  }

  /**
   * Sets the receiver of configurations.
   *
   * @param applies applies a configuration; returns one line for users for each change
   */
  public synchronized void attach(Function<ServerConfig, List<String>> applies) {
    applier = applies;
  }

  /** Sets what runs before and after each reload, also after one that fails. */
  public synchronized void onReload(Runnable before, Runnable after) {
    this.beforeReload = before;
    this.afterReload = after;
  }

  /**
   * Result of a reload.
   *
   * <p>Threading: immutable.
   *
   * @param changes lines for users
   * @param unused lines for users about new values of the file that earlier changes override
   * @param restart names of keys that need a restart
   */
  public record ReloadReport(List<String> changes, List<String> unused, List<String> restart) {}

  /**
   * Reloads the file.
   *
   * @throws ConfigException if it has mistakes; nothing has changed then
   */
  public synchronized ReloadReport reload() throws ConfigException {
    beforeReload.run();
    try {
      return readAgain();
    } finally {
      afterReload.run();
    }
  }

  private ReloadReport readAgain() throws ConfigException {
    LoadedConfig now = ConfigReader.reading(file);
    Map<String, KeyValue> changed = withoutUnknown(changes, now);
    LoadedConfig reloaded = now.with(changesFile.toString(), text(changed));
    List<String> unused = unused(base, now, changed);
    base = now;
    changes = changed;
    return new ReloadReport(apply(reloaded), unused, reloaded.keysForRestart(started));
  }

  /**
   * Returns the effects of a reload on the file as it is now. Nothing is changed.
   *
   * @throws ConfigException if the file has mistakes: a reload would refuse it
   */
  public synchronized List<ReloadEffect> preview() throws ConfigException {
    LoadedConfig now = ConfigReader.reading(file);
    Map<String, KeyValue> changed = withoutUnknown(changes, now);
    LoadedConfig reloaded = now.with(changesFile.toString(), text(changed));
    return new ReloadPreview(started, current, base, now, reloaded).effects(changed.keySet());
  }

  private static List<String> unused(
      LoadedConfig previous, LoadedConfig now, Map<String, KeyValue> changes) {
    List<KeyValue> previousKeys = previous.keys();
    return now.keys().stream()
        .filter(value -> changes.containsKey(value.name()) && !previousKeys.contains(value))
        .filter(value -> !value.equals(changes.get(value.name())))
        .map(
            value ->
                value.name()
                    + " of the file is overridden by a change made through cn=configuration")
        .toList();
  }

  private List<String> apply(LoadedConfig next) {
    List<String> lines = new ArrayList<>(differences(current.keys(), next.keys()));
    next.changedSecrets(current).forEach(name -> lines.add(name + " changed"));
    lines.addAll(applier.apply(next.config()));
    current = next;
    return lines;
  }

  private static List<String> differences(List<KeyValue> before, List<KeyValue> after) {
    return after.stream()
        .filter(value -> value.live() && !before.contains(value))
        .map(value -> value.name() + " is " + text(value.values()))
        .toList();
  }

  private static String text(List<String> values) {
    return values.isEmpty() ? "empty" : String.join(", ", values);
  }

  private static String text(Map<String, KeyValue> changes) {
    return KeyValue.print(HEADER, changes.values());
  }

  /** Returns the values to show in {@code cn=configuration}. */
  ConfigurationTree.Values values() {
    LoadedConfig ofFile = base;
    return new ConfigurationTree.Values(
        current.keys(),
        ofFile.keys(),
        List.copyOf(changes.keySet()),
        ofFile.keysForRestart(started));
  }

  /** A change in the queue. Threading: immutable. */
  private record Queued(Runnable work, Runnable dropped) implements Runnable {
    @Override
    public void run() {
      work.run();
    }
  }

  /**
   * Runs a change on the thread for changes. Returns false if too many changes wait.
   *
   * @param onDropped runs instead if Stoa closes before the change's turn
   */
  boolean submit(Runnable work, Runnable onDropped) {
    try {
      thread.execute(new Queued(work, onDropped));
      return true;
    } catch (RejectedExecutionException full) {
      return false;
    }
  }

  /** Makes all changes of an entry, or none. */
  synchronized List<String> modify(String entry, List<Modification> modifications)
      throws ConfigurationChangeException {
    ConfigurationDraft draft = new ConfigurationDraft(entry, base.keys(), current.keys(), changes);
    for (Modification modification : modifications) {
      draft.modify(modification);
    }
    LoadedConfig next = whole(draft);
    try {
      changesFile.write(text(draft.changes()));
    } catch (IOException e) {
      LOG.error("configuration change not written, nothing was changed: {}", FailureText.of(e));
      throw new ConfigurationChangeException(
          ConfigurationChangeException.UNAVAILABLE,
          "the change could not be written to disk, nothing was changed");
    }
    changes = draft.changes();
    return apply(next);
  }

  /** Returns the configuration file. */
  public Path file() {
    return file;
  }

  /**
   * Changes the overrides of servers.
   *
   * @param change computes the new overrides, from the present ones and from a test whether the
   *     file drains or overrides a server
   * @return one line for each change
   */
  public synchronized List<String> changeOverrides(
      BiFunction<List<ServerOverride>, Predicate<ServerAddress>, List<ServerOverride>> change)
      throws ActionException {
    List<ServerSpec> ofFile = base.config().proxy().upstream().servers();
    List<ServerOverride> next =
        change.apply(operated(current), ServerOverride.isConfigured(operated(base), ofFile));
    boolean asInFile = next.equals(operated(base));
    List<String> values =
        asInFile ? List.of() : next.stream().map(ServerOverride::toString).toList();
    String attribute = Attribute.of(SERVER_OVERRIDES).name();
    try {
      return modify(
          Attribute.ALL_KEYS, List.of(new Modification(Modification.REPLACE, attribute, values)));
    } catch (ConfigurationChangeException e) {
      boolean rule = e.code() == ConfigurationChangeException.CONSTRAINT_VIOLATION;
      int code = rule ? ConfigurationChangeException.UNWILLING_TO_PERFORM : e.code();
      throw new ActionException(code, String.valueOf(e.getMessage()));
    }
  }

  private static List<ServerOverride> operated(LoadedConfig reading) {
    return reading.keys().stream()
        .filter(key -> key.name().equals(SERVER_OVERRIDES))
        .flatMap(key -> key.values().stream())
        .map(ServerOverride::parse)
        .toList();
  }

  private LoadedConfig whole(ConfigurationDraft draft) throws ConfigurationChangeException {
    try {
      return base.with("cn=configuration", text(draft.changes()));
    } catch (ConfigException e) {
      String problem = e.problems().isEmpty() ? "" : e.problems().get(0).message();
      throw new ConfigurationChangeException(
          ConfigurationChangeException.CONSTRAINT_VIOLATION,
          draft.nameFor(problem) + ": " + problem);
    }
  }

  /** Refuses new changes, and those in the queue. A change in progress is completed. */
  @Override
  public void close() {
    thread.shutdown();
    List<Runnable> waiting = new ArrayList<>();
    thread.getQueue().drainTo(waiting);
    waiting.forEach(change -> ((Queued) change).dropped().run());
  }
}
