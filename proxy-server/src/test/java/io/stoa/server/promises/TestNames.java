// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.promises;

import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The tests that there are. Stateless. */
final class TestNames {
  private static final Pattern TEST_METHOD =
      Pattern.compile("@(?:Test|ParameterizedTest|RepeatedTest)\\b[^{;]*?\\bvoid (\\w+)\\(");

  private TestNames() {}

  /** All tests of all modules, as {@code Class.method}; not all of them are on the class path. */
  static Set<String> all() throws IOException {
    Set<String> tests = new TreeSet<>();
    for (String module : List.of("proxy-core", "proxy-server", "load-tests")) {
      Path sources = Repository.root().resolve(module).resolve("src/test/java");
      try (Stream<Path> files = Files.walk(sources)) {
        for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
          tests.addAll(testsOf(file));
        }
      }
    }
    return tests;
  }

  private static List<String> testsOf(Path file) throws IOException {
    String type = file.getFileName().toString().replace(".java", "");
    List<String> tests = new ArrayList<>();
    Matcher methods = TEST_METHOD.matcher(withoutStrings(Files.readString(file)));
    while (methods.find()) {
      tests.add(type + "." + methods.group(1));
    }
    return tests;
  }

  /** The values of a parameterized test may hold braces and semicolons. */
  private static String withoutStrings(String source) {
    return source.replaceAll("\"(?:[^\"\\\\\\n]|\\\\.)*\"", "\"\"").replaceAll("\\{[^{}]*}", "");
  }
}
