// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.net.tls.TlsConfig;
import io.stoa.net.tls.TlsContexts;
import io.stoa.net.transport.FailureText;
import io.stoa.net.transport.InvalidConfigException;
import io.stoa.operation.TokenFile;
import io.stoa.server.accesslog.AccessLogConfig;
import io.stoa.server.accesslog.LogFormat;
import io.stoa.server.accesslog.LogTarget;
import io.stoa.server.accesslog.LogTarget.LogFile;
import io.stoa.server.config.ConfigException.Problem;
import io.stoa.server.config.ConfigException.TextPosition;
import io.stoa.server.config.value.ValueType;
import io.stoa.upstream.connect.UpstreamTransport;
import io.stoa.write.WindowConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/** Reads configuration files. Threading: thread-safe. */
public final class ConfigReader {
  private ConfigReader() {}

  /**
   * A key with its values, each as text.
   *
   * <p>Threading: immutable.
   *
   * @param form type of its values, for users
   * @param list true if it takes a list of values, false if it takes one
   * @param live true if it can change while Stoa runs
   */
  public record KeyValue(
      String name, String form, boolean list, boolean live, List<String> values) {
    /** Names of keys that are neither shown nor changed outside of the file. */
    public static final List<String> OF_FILE_ONLY =
        ConfigKeys.ALL.stream().filter(key -> !isShown(key)).map(ConfigKey::name).toList();

    private static boolean isShown(ConfigKey<?> key) {
      return !(key.type() instanceof ValueType.Items) && !key.equals(AdminKeys.PASSWORD_HASH);
    }

    /** Returns all keys with their defaults, except secrets and structures. */
    public static List<KeyValue> defaults() {
      return ConfigKeys.ALL.stream()
          .filter(KeyValue::isShown)
          .<KeyValue>map(KeyValue::ofDefault)
          .toList();
    }

    private static <T> KeyValue ofDefault(ConfigKey<T> key) {
      return of(key, key.type().print(key.value()));
    }

    private static <T> KeyValue of(ConfigKey<T> key, Settings settings) {
      return of(key, key.type().print(settings.get(key)));
    }

    private static KeyValue of(ConfigKey<?> key, List<String> lines) {
      return new KeyValue(
          key.name(),
          key.type().form(),
          key.type() instanceof ValueType.Sequence,
          key.live(),
          lines.stream().map(KeyValue::unquoted).toList());
    }

    private static String unquoted(String line) {
      boolean quoted = line.length() > 1 && line.startsWith("'") && line.endsWith("'");
      return quoted ? line.substring(1, line.length() - 1).replace("''", "'") : line;
    }

    /**
     * Returns the key with other values, in their canonical form.
     *
     * @throws IllegalArgumentException if a value is invalid; the message says why
     */
    public KeyValue with(List<String> others) {
      ConfigKey<?> key = key(name);
      return of(key, others.stream().map(text -> line(key.type(), text)).toList());
    }

    private static <T> String line(ValueType<T> type, String text) {
      return type instanceof ValueType.Sequence<?> sequence
          ? canonical(sequence.element(), text)
          : canonical((ValueType.Scalar<T>) type, text);
    }

    private static <T> String canonical(ValueType.Scalar<T> type, String text) {
      return type.printer().apply(type.parser().apply(text));
    }

    private static ConfigKey<?> key(String name) {
      return ConfigKeys.ALL.stream()
          .filter(key -> key.name().equals(name))
          .findFirst()
          .orElseThrow();
    }

    /** Returns a file that contains these keys and no others. */
    public static String print(String header, Collection<KeyValue> values) {
      Map<ConfigKey<?>, List<String>> lines = new HashMap<>();
      for (KeyValue value : values) {
        ConfigKey<?> key = key(value.name);
        lines.put(key, value.values.stream().map(text -> line(key.type(), text)).toList());
      }
      return lines.isEmpty() ? "" : DefaultsPrinter.print(header, lines);
    }

    /**
     * Parses the output of {@link #print}.
     *
     * @param name file name for messages
     * @throws ConfigException if the text has mistakes; it contains all of them
     */
    public static List<KeyValue> read(String name, String text) throws ConfigException {
      List<Problem> problems = new ArrayList<>();
      ConfigTree tree = ConfigTree.of(text, problems);
      Settings settings = Settings.partial(tree, problems);
      List<ConfigKey<?>> setKeys = ConfigKeys.ALL.stream().filter(settings::hasValue).toList();
      for (ConfigKey<?> key : setKeys) {
        if (!key.live()) {
          String message = key.name() + " can only be changed in the file, with a restart";
          problems.add(new Problem(tree.position(key), message));
        }
      }
      if (!problems.isEmpty()) {
        throw ConfigException.of(name, problems);
      }
      return setKeys.stream().<KeyValue>map(key -> of(key, settings)).toList();
    }
  }

  /** The content of a file as it was read. Threading: immutable. */
  public static final class LoadedConfig {
    private final String text;
    private final ServerConfig config;
    private final Settings settings;

    private LoadedConfig(String text, ServerConfig config, Settings settings) {
      this.text = text;
      this.config = config;
      this.settings = settings;
    }

    /** Returns all keys with a value or a list of values, except secrets. */
    public List<KeyValue> keys() {
      return ConfigKeys.ALL.stream()
          .filter(KeyValue::isShown)
          .map(key -> KeyValue.of(key, settings))
          .toList();
    }

    /**
     * Returns this file's configuration with some values replaced.
     *
     * @param name name of the changes in messages
     * @param changes output of {@link KeyValue#print}
     * @throws ConfigException if the result has mistakes; it contains all of them
     */
    public LoadedConfig with(String name, String changes) throws ConfigException {
      return changes.isEmpty() ? this : parse(name, text, changes, ConfigReader::checkLogs);
    }

    /** Returns the configuration. */
    public ServerConfig config() {
      return config;
    }

    /** Returns the file for changes at run time; empty if the configuration does not name one. */
    public Optional<Path> changes() {
      return settings.get(AdminKeys.CHANGES);
    }

    /** Returns the names of secrets that differ from another reading and need no restart. */
    public List<String> changedSecrets(LoadedConfig other) {
      return ConfigKeys.ALL.stream()
          .filter(key -> key.live() && !KeyValue.isShown(key))
          .filter(key -> !settings.get(key).equals(other.settings.get(key)))
          .map(ConfigKey::name)
          .toList();
    }

    /** Returns the names of structured keys that differ from another reading. */
    public List<String> changedStructures(LoadedConfig other) {
      return ConfigKeys.ALL.stream()
          .filter(key -> key.type() instanceof ValueType.Items)
          .filter(key -> !settings.get(key).equals(other.settings.get(key)))
          .map(ConfigKey::name)
          .toList();
    }

    /** Returns the keys that differ from another reading and need a restart. */
    public List<String> keysForRestart(LoadedConfig other) {
      return ConfigKeys.ALL.stream()
          .filter(key -> !key.live())
          .filter(
              key -> !restartPart(settings.get(key)).equals(restartPart(other.settings.get(key))))
          .map(ConfigKey::name)
          .toList();
    }

    private static Object restartPart(Object value) {
      return value instanceof List<?> list
          ? list.stream().map(LoadedConfig::restartPart).toList()
          : one(value);
    }

    private static Object one(Object value) {
      if (value instanceof WindowConfig window) {
        return WindowItem.restartPart(window);
      }
      return value instanceof ServerItem server ? server.restartPart() : value;
    }
  }

  /**
   * Reads a file so that it can be compared with another reading.
   *
   * @throws ConfigException if it cannot be read or has mistakes; it contains all of them
   */
  public static LoadedConfig reading(Path file) throws ConfigException {
    try {
      return parse(file.toString(), Files.readString(file), "", ConfigReader::checkFiles);
    } catch (IOException e) {
      throw ConfigException.unreadable(file.toString(), FailureText.of(e));
    }
  }

  /**
   * Parses a text. Files that it names are not opened.
   *
   * @param name file name for messages
   * @throws ConfigException if the text has mistakes; it contains all of them
   */
  public static ServerConfig parse(String name, String text) throws ConfigException {
    return parse(name, text, "", (config, settings) -> {}).config();
  }

  private static LoadedConfig parse(
      String name, String text, String changes, BiConsumer<ServerConfig, Settings> trial)
      throws ConfigException {
    List<Problem> problems = new ArrayList<>();
    ConfigTree tree = ConfigTree.of(text, problems);
    ConfigTree overrides = ConfigTree.of(changes, problems);
    if (tree.isUnreadable() || overrides.isUnreadable()) {
      throw ConfigException.of(name, problems);
    }
    tree.overlay(overrides);
    Settings settings = new Settings(tree, problems);
    Optional<ServerConfig> config = assemble(settings, problems);
    config.ifPresent(whole -> trial.accept(whole, settings));
    if (!problems.isEmpty()) {
      throw ConfigException.of(name, problems);
    }
    return new LoadedConfig(text, config.orElseThrow(), settings);
  }

  /**
   * Loads the certificates that the configuration names. A mistake in one is a mistake of the
   * configuration.
   */
  private static void checkFiles(ServerConfig config, Settings settings) {
    TlsConfig tls = config.proxy().access().tls();
    UpstreamTransport upstream = config.proxy().upstream().transport();
    try (TlsContexts contexts = new TlsContexts()) {
      if (tls != null && readable(settings, TlsKeys.FILES)) {
        checkFile(settings, TlsKeys.CERTIFICATE, () -> contexts.server(tls));
      }
      TlsConfig management = config.management().tls();
      if (management != null && readable(settings, ManagementKeys.FILES)) {
        checkFile(settings, ManagementKeys.CERTIFICATE, () -> contexts.server(management));
      }
      Path token = config.management().tokenFile();
      if (token != null && !settings.isReplaced(ManagementKeys.TOKEN_FILE)) {
        checkFile(settings, ManagementKeys.TOKEN_FILE, () -> new TokenFile(token).read());
      }
      ConfigKey<?> key =
          Stream.<ConfigKey<?>>of(UpstreamTlsKeys.CERTIFICATE, UpstreamTlsKeys.CRL)
              .filter(settings::hasValue)
              .findFirst()
              .orElse(UpstreamTlsKeys.CA);
      if (settings.hasValue(key) && readable(settings, UpstreamTlsKeys.FILES)) {
        checkFile(settings, key, () -> contexts.client(upstream.tls(), upstream.verifyHost()));
      }
    }
    checkLogs(config, settings);
  }

  /** Reports log files that this process could not open. */
  private static void checkLogs(ServerConfig config, Settings settings) {
    AccessLogConfig logs = config.logs();
    if (logs.format() != LogFormat.NONE) {
      checkLog(settings, LogKeys.DESTINATION, logs.target());
    }
    logs.audit().ifPresent(target -> checkLog(settings, LogKeys.AUDIT, target));
  }

  private static void checkLog(Settings settings, ConfigKey<?> key, LogTarget target) {
    if (target instanceof LogFile file) {
      Path path = file.path().toAbsolutePath();
      Path parent = path.getParent();
      boolean exists = Files.exists(path);
      if (parent == null || !Files.isDirectory(parent)) {
        settings.report(key, key.name() + ": " + path + ": no such directory");
      } else if (!Files.isWritable(exists ? path : parent) || Files.isDirectory(path)) {
        settings.report(key, key.name() + ": " + path + ": this process may not write it");
      }
    }
  }

  /**
   * True if no key of these files was refused. Otherwise the refused one may be why the others do
   * not fit.
   */
  private static boolean readable(Settings settings, List<ConfigKey<?>> files) {
    return files.stream().noneMatch(settings::isReplaced);
  }

  private interface FileCheck {
    void run() throws IOException;
  }

  private static void checkFile(Settings settings, ConfigKey<?> key, FileCheck trial) {
    try {
      trial.run();
    } catch (IOException e) {
      settings.report(key, key.name() + " cannot be used: " + e.getMessage());
    }
  }

  /** Builds the configuration. A broken rule without a key is reported at the start of the file. */
  private static Optional<ServerConfig> assemble(Settings settings, List<Problem> problems) {
    try {
      return Optional.of(new ConfigAssembly(settings).assemble());
    } catch (InvalidConfigException broken) {
      if (problems.isEmpty()) {
        problems.add(new Problem(TextPosition.START, String.valueOf(broken.getMessage())));
      }
      return Optional.empty();
    }
  }
}
