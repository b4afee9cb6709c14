// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.reconfigure;

import io.stoa.proxy.ProxyConfig;
import io.stoa.server.admin.action.ActionException;
import io.stoa.server.admin.action.Modification;
import io.stoa.server.config.ConfigException;
import io.stoa.server.config.ConfigReader;
import io.stoa.server.config.ConfigReader.KeyValue;
import io.stoa.server.config.ConfigReader.Reading;
import io.stoa.server.config.ServerConfig;
import io.stoa.server.config.value.Closing;
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
public final class Tuning implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Tuning.class);

  private static final String OPERATED = "upstream.operated";
  private static final String CLOSING = "writes.closing";
  private static final int MOST_WAITING = 16;
  private static final int IDLE_SECONDS = 10;
  private static final String HEADER =
      "# Changed through cn=configuration; what stands here wins over the configuration file.\n";

  private final Path file;
  private final ChangesFile changesFile;
  private final Reading started;
  private final ThreadPoolExecutor thread;
  private volatile Reading base;
  private volatile Map<String, KeyValue> changes = new LinkedHashMap<>();
  private volatile Reading current;
  private Function<ServerConfig, List<String>> target = config -> List.of();

  private Tuning(Path file) throws ConfigException {
    this.file = file;
    this.base = ConfigReader.reading(file);
    this.changesFile = ChangesFile.of(file, base.changes());
    if (changesFile.overwrites(file)) {
      throw ConfigException.unreadable(file.toString(), "admin.changes would overwrite this file");
    }
    readChanges();
    this.changes = without(changes, base);
    this.current = base.with(changesFile.toString(), text(changes));
    this.started = current;
    this.thread =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MOST_WAITING),
            Tuning::thread);
    thread.allowCoreThreadTimeOut(true);
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "stoa-tuning");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Reads a configuration file and its file of changes.
   *
   * @throws ConfigException if one of them cannot be read or has mistakes; it contains all of them
   */
  public static Tuning of(Path file) throws ConfigException {
    return new Tuning(file);
  }

  private void readChanges() throws ConfigException {
    try {
      for (KeyValue value : KeyValue.read(changesFile.toString(), changesFile.read())) {
        changes.put(value.name(), value);
      }
    } catch (IOException e) {
      throw ConfigException.unreadable(changesFile.toString(), e.getClass().getSimpleName());
    }
  }

  /** Returns the changes without overrides of servers and windows that the file no longer has. */
  private Map<String, KeyValue> without(Map<String, KeyValue> all, Reading ofFile) {
    Map<String, KeyValue> kept = new LinkedHashMap<>(all);
    ProxyConfig proxy = ofFile.config().proxy();
    keep(kept, OPERATED, value -> ServerOverride.parse(value).isOf(proxy.upstream().servers()));
    keep(kept, CLOSING, value -> Closing.parse(value, text -> Duration.ZERO).isOf(proxy.windows()));
    return kept;
  }

  private void keep(Map<String, KeyValue> changes, String key, Predicate<String> known) {
    KeyValue said = changes.remove(key);
    if (said != null) {
      List<String> values = said.values().stream().filter(known).toList();
      if (values.size() < said.values().size()) {
        LOG.warn("{}: {} names what is not in {} any more", changesFile, key, file);
      }
      if (!values.isEmpty() || said.values().isEmpty()) {
        changes.put(key, said.with(values));
      }
    }
  }

  /** Returns the present configuration. */
  public ServerConfig config() {
    return current.config();
  }

  /** Returns the file in which feeds keep their state for the next start. */
  public Path feedState() {
    return changesFile.ofFeeds();
  }

  /** Returns warnings about changes that cannot be written and about files that are not used. */
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    if (!changesFile.seemsWritable()) {
      warnings.add(
          "nothing can be changed through cn=configuration, since "
              + changesFile
              + " cannot be written; admin.changes names another file");
    }
    ChangesFile usual = ChangesFile.of(file, Optional.empty());
    if (base.changes().isPresent() && !usual.isSame(changesFile) && usual.exists()) {
      warnings.add(
          usual + " is not used, since admin.changes names " + changesFile + ": move it there");
    }
    return warnings;
  }

  /**
   * Sets the receiver of configurations.
   *
   * @param applies applies a configuration; returns one line for users for each change
   */
  public synchronized void attach(Function<ServerConfig, List<String>> applies) {
    target = applies;
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
  public record Report(List<String> changes, List<String> unused, List<String> restart) {}

  /**
   * Reloads the file.
   *
   * @throws ConfigException if it has mistakes; nothing has changed then
   */
  public synchronized Report reload() throws ConfigException {
    Reading now = ConfigReader.reading(file);
    Map<String, KeyValue> kept = without(changes, now);
    Reading whole = now.with(changesFile.toString(), text(kept));
    List<String> unused = unused(base, now, kept);
    base = now;
    changes = kept;
    return new Report(apply(whole), unused, whole.keysForRestart(started));
  }

  private static List<String> unused(Reading before, Reading now, Map<String, KeyValue> changes) {
    List<KeyValue> known = before.keys();
    return now.keys().stream()
        .filter(value -> changes.containsKey(value.name()) && !known.contains(value))
        .filter(value -> !value.equals(changes.get(value.name())))
        .map(
            value ->
                value.name() + " of the file is not used: it was changed through cn=configuration")
        .toList();
  }

  private List<String> apply(Reading next) {
    List<String> lines = new ArrayList<>(differences(current.keys(), next.keys()));
    next.secretsOtherThan(current).forEach(name -> lines.add(name + " was changed"));
    lines.addAll(target.apply(next.config()));
    current = next;
    return lines;
  }

  private static List<String> differences(List<KeyValue> before, List<KeyValue> after) {
    return after.stream()
        .filter(value -> value.live() && !before.contains(value))
        .map(value -> value.name() + " is " + String.join(", ", value.values()))
        .toList();
  }

  private static String text(Map<String, KeyValue> changes) {
    return KeyValue.print(HEADER, changes.values());
  }

  /** Returns the values to show in {@code cn=configuration}. */
  ConfigurationTree.Values values() {
    Reading ofFile = base;
    return new ConfigurationTree.Values(
        current.keys(),
        ofFile.keys(),
        List.copyOf(changes.keySet()),
        ofFile.keysForRestart(started));
  }

  /** Runs a task on the thread for changes. Returns false if too many tasks wait. */
  boolean submit(Runnable work) {
    try {
      thread.execute(work);
      return true;
    } catch (RejectedExecutionException full) {
      return false;
    }
  }

  /** Makes all changes of an entry, or none. */
  synchronized List<String> modify(String entry, List<Modification> modifications)
      throws TuningException {
    Draft draft = new Draft(entry, base.keys(), current.keys(), changes);
    for (Modification modification : modifications) {
      draft.modify(modification);
    }
    Reading next = whole(draft);
    try {
      changesFile.write(text(draft.changes()));
    } catch (IOException e) {
      LOG.error("a change of the configuration cannot be written: {}", e.toString());
      throw new TuningException(
          TuningException.UNAVAILABLE, "the change cannot be written, and has no effect");
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
  public synchronized List<String> operate(
      BiFunction<List<ServerOverride>, Predicate<ServerAddress>, List<ServerOverride>> change)
      throws ActionException {
    List<ServerSpec> ofFile = base.config().proxy().upstream().servers();
    List<ServerOverride> next =
        change.apply(operated(current), ServerOverride.said(operated(base), ofFile));
    boolean asInFile = next.equals(operated(base));
    List<String> values =
        asInFile ? List.of() : next.stream().map(ServerOverride::toString).toList();
    String attribute = Attribute.of(OPERATED).name();
    try {
      List<String> lines =
          modify(
              Attribute.ALL_KEYS,
              List.of(new Modification(Modification.REPLACE, attribute, values)));
      lines.forEach(line -> LOG.info("configuration: {}", line));
      return lines;
    } catch (TuningException e) {
      boolean rule = e.code() == TuningException.CONSTRAINT_VIOLATION;
      int code = rule ? TuningException.UNWILLING_TO_PERFORM : e.code();
      throw new ActionException(code, String.valueOf(e.getMessage()));
    }
  }

  private static List<ServerOverride> operated(Reading reading) {
    return reading.keys().stream()
        .filter(key -> key.name().equals(OPERATED))
        .flatMap(key -> key.values().stream())
        .map(ServerOverride::parse)
        .toList();
  }

  private Reading whole(Draft draft) throws TuningException {
    try {
      return base.with("cn=configuration", text(draft.changes()));
    } catch (ConfigException e) {
      String problem = e.problems().isEmpty() ? "" : e.problems().get(0).message();
      throw new TuningException(
          TuningException.CONSTRAINT_VIOLATION, draft.nameFor(problem) + ": " + problem);
    }
  }

  /** Refuses new changes. Changes in the queue are still made. */
  @Override
  public void close() {
    thread.shutdown();
  }
}
