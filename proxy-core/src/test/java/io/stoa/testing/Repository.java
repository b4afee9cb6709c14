// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files of this repository, for tests that read sources and documents. Stateless. */
public final class Repository {
  private Repository() {}

  /** The directory that holds the parent pom, wherever in the tree the test was started. */
  public static Path root() {
    Path start = Path.of("").toAbsolutePath();
    for (Path path = start; path != null; path = path.getParent()) {
      if (Files.isDirectory(path.resolve("proxy-core")) && Files.exists(path.resolve("mvnw"))) {
        return path;
      }
    }
    throw new IllegalStateException("no Stoa source tree above " + start);
  }

  /** All Java files of main code, of every module. */
  public static List<Path> mainSources() {
    return sources("src/main/java").stream().flatMap(List::stream).sorted().toList();
  }

  /** The Java files of test code, of each module. */
  public static List<List<Path>> testSources() {
    return sources("src/test/java");
  }

  /** All Java files of every module, those of tests included. */
  public static List<Path> sources() {
    return Stream.concat(mainSources().stream(), testSources().stream().flatMap(List::stream))
        .toList();
  }

  private static List<List<Path>> sources(String directory) {
    try (Stream<Path> modules = Files.list(root())) {
      return modules
          .map(module -> module.resolve(directory))
          .filter(Files::isDirectory)
          .map(sources -> javaFiles(sources).toList())
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All Markdown pages of the root and of docs, without evidence. */
  public static List<Path> documents() {
    try (Stream<Path> top = Files.list(root());
        Stream<Path> docs = Files.walk(root().resolve("docs"))) {
      return Stream.concat(top, docs)
          .filter(file -> file.toString().endsWith(".md"))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<Path> javaFiles(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(file -> file.toString().endsWith(".java")).toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The lines between {@code <!-- name:begin -->} and {@code <!-- name:end -->} of a document. */
  public static List<String> section(String document, String name) throws IOException {
    List<String> lines = Files.readAllLines(root().resolve(document));
    int begin = lines.indexOf("<!-- " + name + ":begin -->");
    int end = lines.indexOf("<!-- " + name + ":end -->");
    if (begin < 0 || end < begin) {
      throw new IllegalStateException(document + " has no section " + name);
    }
    return lines.subList(begin + 1, end).stream().filter(line -> !line.isBlank()).toList();
  }
}
