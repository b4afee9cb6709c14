// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.server.GeneratedSection;
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
import org.junit.jupiter.api.Test;

/** What docs/promises.md says is what the tests prove: each one that it names is there. */
class PromisesDocsTest {
  private static final Pattern TEST_METHOD =
      Pattern.compile("@(?:Test|ParameterizedTest|RepeatedTest)\\b[^{;]*?\\bvoid (\\w+)\\(");

  @Test
  void everyTestThatIsNamedExists() throws IOException {
    Set<String> named = new TreeSet<>();
    everything().forEach(promise -> named.addAll(promise.tests()));
    named.removeAll(tests());
    assertThat(named).as("tests that docs/promises.md names and that do not exist").isEmpty();
  }

  private static Stream<Promise> everything() {
    return Stream.concat(UserComplaints.ALL.stream(), HostileInput.ALL.stream());
  }

  /** All tests of all modules, as {@code Class.method}; not all of them are on the class path. */
  private static Set<String> tests() throws IOException {
    Set<String> tests = new TreeSet<>();
    for (String module : List.of("proxy-core", "proxy-server")) {
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

  @Test
  void promisesAreDocumentedAsTheyAreTested() throws IOException {
    GeneratedSection.check("docs/promises.md", "users", table("complaint", UserComplaints.ALL));
    GeneratedSection.check("docs/promises.md", "hostile", table("input", HostileInput.ALL));
  }

  private static List<String> table(String first, List<Promise> promises) {
    List<String> lines = new ArrayList<>();
    lines.add("| " + first + " | what Stoa does | tests |");
    lines.add("|---|---|---|");
    promises.forEach(promise -> lines.add(promise.row()));
    return lines;
  }
}
