// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads configuration files. Thread-safe. */
public final class ConfigReader {
  private ConfigReader() {}

  /**
   * Reads a file.
   *
   * @throws ConfigException if it cannot be read or has mistakes; it names all of them
   */
  public static ServerConfig read(Path file) throws ConfigException {
    try {
      return parse(file.toString(), Files.readString(file));
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
   * Reads a text.
   *
   * @param name what messages call it
   * @throws ConfigException if it has mistakes; it names all of them
   */
  public static ServerConfig parse(String name, String text) throws ConfigException {
    List<Problem> problems = new ArrayList<>();
    ConfigTree tree = ConfigTree.of(text, problems);
    if (tree.unreadable()) {
      throw ConfigException.of(name, problems);
    }
    Optional<ServerConfig> config = assemble(new Settings(tree, problems), problems);
    if (!problems.isEmpty()) {
      throw ConfigException.of(name, problems);
    }
    return config.orElseThrow();
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
