// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The directory in which one {@link Slapd} lives: its configuration, its databases loaded by
 * slapadd, its log. Not thread-safe.
 */
final class SlapdFiles {
  private static final int MINUTES_TO_LOAD = 2;

  private final SlapdConfig config;
  private final Path directory;

  private SlapdFiles(SlapdConfig config, Path directory) {
    this.config = config;
    this.directory = directory;
  }

  /** Writes the configuration and loads every database. */
  static SlapdFiles create(SlapdConfig config) {
    SlapdFiles files = new SlapdFiles(config, Leftovers.directory("stoa-slapd"));
    try {
      files.write();
      return files;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void write() throws IOException {
    boolean loaded = false;
    try {
      writeConfiguration();
      for (int i = 0; i < config.databases().size(); i++) {
        load(i, config.databases().get(i));
      }
      loaded = true;
    } finally {
      if (!loaded) {
        delete();
      }
    }
  }

  private void writeConfiguration() throws IOException {
    StringBuilder text = new StringBuilder();
    config.schemas().forEach(name -> line(text, "include " + SlapdInstallation.schema(name)));
    line(text, "modulepath " + SlapdInstallation.modules());
    config.modules().forEach(name -> line(text, "moduleload " + name));
    line(text, "loglevel 0");
    text.append(config.settings());
    for (int i = 0; i < config.databases().size(); i++) {
      database(text, i, config.databases().get(i));
    }
    line(text, "database monitor");
    line(text, "access to * by * read");
    Files.writeString(configuration(), text);
  }

  private void database(StringBuilder text, int index, SlapdConfig.Database database)
      throws IOException {
    Path data = Files.createDirectory(directory.resolve("db" + index));
    line(text, "database mdb");
    line(text, "suffix \"" + database.suffix() + "\"");
    line(text, "rootdn \"" + database.rootDn() + "\"");
    line(text, "rootpw " + SlapdConfig.ROOT_PASSWORD);
    line(text, "directory " + data);
    line(text, "maxsize 1073741824");
    line(text, "dbnosync");
    line(text, database.settings().replace(SlapdConfig.DIRECTORY, directory.toString()));
  }

  private static void line(StringBuilder text, String line) {
    text.append(line).append('\n');
  }

  private void load(int index, SlapdConfig.Database database) throws IOException {
    Path ldif = directory.resolve("db" + index + ".ldif");
    Files.writeString(ldif, database.ldif());
    run("slapadd", List.of("-q", "-b", database.suffix(), "-l", ldif.toString()));
  }

  /** Runs a program over the first database, which no slapd has open. */
  void edit(String program, String text, List<String> options) {
    try {
      Path ldif = Files.writeString(directory.resolve("edit.ldif"), text);
      List<String> arguments = new ArrayList<>(options);
      arguments.addAll(List.of("-b", config.databases().get(0).suffix(), "-l", ldif.toString()));
      run(program, arguments);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Makes the indexes of the first database anew. */
  void reindex() {
    try {
      run("slapindex", List.of("-b", config.databases().get(0).suffix()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void run(String program, List<String> arguments) throws IOException {
    Process process = launch(program, arguments);
    try {
      if (!process.waitFor(MINUTES_TO_LOAD, TimeUnit.MINUTES) || process.exitValue() != 0) {
        throw new AssertionError(program + " failed: " + log());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    } finally {
      process.destroyForcibly();
    }
  }

  /** Starts one of slapd's programs with this configuration; its output goes to the log. */
  Process launch(String program, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Installation.program(program).toString());
    command.addAll(List.of("-f", configuration().toString()));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(config.environment());
    builder.redirectOutput(ProcessBuilder.Redirect.appendTo(logFile().toFile()));
    return Leftovers.start(builder);
  }

  String log() {
    try {
      return Files.exists(logFile()) ? Files.readString(logFile()) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Path socket() {
    return directory.resolve("ldapi");
  }

  private Path configuration() {
    return directory.resolve("slapd.conf");
  }

  private Path logFile() {
    return directory.resolve("slapd.log");
  }

  void delete() {
    Leftovers.delete(directory);
  }
}
