// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * A deliberate bug: one part taken out of the key under which results are stored. A test that does
 * not fail on it proves nothing. The product knows nothing of this: the changed source is compiled
 * apart, and put in front of the class path of a Stoa that runs as a process of its own. Immutable.
 */
public enum Mutant {
  /** Results are shared by everybody. */
  IDENTITY(
      "cache/CacheStage.java",
      "Octets partition = operation.session().identity().name();",
      "Octets partition = Octets.EMPTY;"),
  /** ManageDsaIT and Subentries make no difference. */
  CONTROLS(
      "match/QueryNormalizer.java",
      "key.octet(op.typesOnly() ? 1 : 0).string(controlsKey.array());",
      "key.octet(op.typesOnly() ? 1 : 0);"),
  /** Base, one-level and subtree are the same. */
  SCOPE("match/QueryNormalizer.java", ".number(op.scope())", ".number(0)"),
  /** Aliases are dereferenced or not, as it happened the first time. */
  DEREF("match/QueryNormalizer.java", ".number(op.derefAliases())", ".number(0)");

  private static final String SOURCES = "proxy-core/src/main/java/io/stoa/";

  private final String file;
  private final String original;
  private final String mutation;

  Mutant(String file, String original, String mutation) {
    this.file = file;
    this.original = original;
    this.mutation = mutation;
  }

  /**
   * Compiles the changed class.
   *
   * @param directory an empty directory
   * @return the directory, to be put in front of the class path
   */
  public Path compileInto(Path directory) {
    try {
      Path source = directory.resolve("source").resolve(Path.of(file).getFileName());
      Files.createDirectories(source.getParent());
      Files.writeString(source, mutated());
      compile(source, directory);
      return directory;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String mutated() throws IOException {
    String text = Files.readString(Repository.root().resolve(SOURCES + file));
    if (!text.contains(original)) {
      throw new IllegalStateException(file + " has changed: adapt the mutant " + this);
    }
    return text.replace(original, mutation);
  }

  private static void compile(Path source, Path directory) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      List<String> options =
          List.of(
              "-d", directory.toString(), "-cp", System.getProperty("java.class.path"), "-nowarn",
              "-proc:none");
      boolean compiled =
          compiler
              .getTask(null, files, null, options, null, files.getJavaFileObjects(source))
              .call();
      if (!compiled) {
        throw new IllegalStateException("the mutant does not compile");
      }
    }
  }
}
