// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.codec.TlsConfig;
import io.stoa.codec.TlsContexts;
import io.stoa.codec.TlsException;
import io.stoa.dial.UpstreamTransport;
import io.stoa.server.config.ConfigException.Position;
import io.stoa.server.config.ConfigException.Problem;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;

/** Reads configuration files. Thread-safe. */
public final class ConfigReader {
  private ConfigReader() {}

  /** What a file says, as it was read. Immutable. */
  public static final class Reading {
    private final ServerConfig config;
    private final Settings settings;

    private Reading(ServerConfig config, Settings settings) {
      this.config = config;
      this.settings = settings;
    }

    /** What it comes to. */
    public ServerConfig config() {
      return config;
    }

    /** The keys whose values differ from those of another reading, and need a restart. */
    public List<String> keysForRestart(Reading other) {
      return ConfigKeys.ALL.stream()
          .filter(key -> !fixed(settings.get(key)).equals(fixed(other.settings.get(key))))
          .map(ConfigKey::name)
          .toList();
    }

    private static Object fixed(Object value) {
      return value instanceof List<?> list
          ? list.stream().map(Reading::fixed).toList()
          : one(value);
    }

    private static Object one(Object value) {
      return value instanceof ServerItem server ? server.fixed() : value;
    }
  }

  /**
   * Reads a file.
   *
   * @throws ConfigException if it cannot be read or has mistakes; it names all of them
   */
  public static ServerConfig read(Path file) throws ConfigException {
    return reading(file).config();
  }

  /**
   * The same, to be compared with another reading.
   *
   * @throws ConfigException if it cannot be read or has mistakes; it names all of them
   */
  public static Reading reading(Path file) throws ConfigException {
    try {
      return parse(file.toString(), Files.readString(file), ConfigReader::tryFiles);
    } catch (NoSuchFileException e) {
      throw ConfigException.unreadable(file.toString(), "no such file");
    } catch (AccessDeniedException e) {
      throw ConfigException.unreadable(file.toString(), "permission denied");
    } catch (CharacterCodingException e) {
      throw ConfigException.unreadable(file.toString(), "not a text in UTF-8");
    } catch (IOException e) {
      throw ConfigException.unreadable(file.toString(), "cannot be read: " + e.getMessage());
    }
  }

  /**
   * Reads a text; files that it names are not looked at.
   *
   * @param name what messages call it
   * @throws ConfigException if it has mistakes; it names all of them
   */
  public static ServerConfig parse(String name, String text) throws ConfigException {
    return parse(name, text, (config, settings) -> {}).config();
  }

  private static Reading parse(String name, String text, BiConsumer<ServerConfig, Settings> trial)
      throws ConfigException {
    List<Problem> problems = new ArrayList<>();
    ConfigTree tree = ConfigTree.of(text, problems);
    if (tree.unreadable()) {
      throw ConfigException.of(name, problems);
    }
    Settings settings = new Settings(tree, problems);
    Optional<ServerConfig> config = assemble(settings, problems);
    config.ifPresent(whole -> trial.accept(whole, settings));
    if (!problems.isEmpty()) {
      throw ConfigException.of(name, problems);
    }
    return new Reading(config.orElseThrow(), settings);
  }

  /** A mistake in a file that is named is one of the configuration. */
  private static void tryFiles(ServerConfig config, Settings settings) {
    TlsConfig own = config.proxy().access().tls();
    UpstreamTransport upstream = config.proxy().upstream().transport();
    try (TlsContexts contexts = new TlsContexts()) {
      if (own != null && readable(settings, AccessKeys.FILES)) {
        tryFile(settings, AccessKeys.CERTIFICATE, () -> contexts.server(own));
      }
      ConfigKey<?> key =
          settings.given(TransportKeys.CERTIFICATE) ? TransportKeys.CERTIFICATE : TransportKeys.CA;
      if (settings.given(key) && readable(settings, TransportKeys.FILES)) {
        tryFile(settings, key, () -> contexts.client(upstream.tls(), upstream.verifyHost()));
      }
    }
  }

  /** Whether files can be tried: one that was refused already may be why others do not fit. */
  private static boolean readable(Settings settings, List<ConfigKey<?>> files) {
    return files.stream().noneMatch(settings::replaced);
  }

  private interface Trial {
    void run() throws TlsException;
  }

  private static void tryFile(Settings settings, ConfigKey<?> key, Trial trial) {
    try {
      trial.run();
    } catch (TlsException e) {
      settings.report(key, key.name() + " cannot be used: " + e.getMessage());
    }
  }

  /** A rule that names no key has no place in the file. */
  private static Optional<ServerConfig> assemble(Settings settings, List<Problem> problems) {
    try {
      return Optional.of(new ConfigAssembly(settings).assemble());
    } catch (IllegalArgumentException broken) {
      if (problems.isEmpty()) {
        problems.add(new Problem(Position.START, String.valueOf(broken.getMessage())));
      }
      return Optional.empty();
    }
  }
}
