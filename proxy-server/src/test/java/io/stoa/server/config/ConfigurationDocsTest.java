// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cache.result.CacheConfig;
import io.stoa.server.GeneratedSection;
import io.stoa.server.config.value.ValueType.ElementField;
import io.stoa.server.config.value.ValueType.Items;
import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The documentation of the keys follows from them, and every example is accepted. */
class ConfigurationDocsTest {
  private static final Pattern YAML_BLOCK = Pattern.compile("(?ms)^```yaml\\n(.*?)^```$");

  @TempDir private Path directory;

  @Test
  void keysAreDocumentedAsTheyAre() throws IOException {
    GeneratedSection.check("docs/reference/configuration.md", "keys", keys());
  }

  @Test
  void schemaIsAsPrinted() throws IOException {
    GeneratedSection.checkFile("docs/reference/stoa.schema.json", SchemaPrinter.print());
  }

  @Test
  void secretsAreDocumentedAsTheyAre() throws IOException {
    List<String> names =
        CacheConfig.DEFAULT_SECRETS.stream().map(name -> "`" + name + "`").toList();
    GeneratedSection.check(
        "docs/reference/configuration.md", "secrets", List.of(String.join(" ", names)));
  }

  @TestFactory
  Stream<DynamicTest> everyExampleIsAccepted() throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    tests.add(example("print-defaults", DefaultsPrinter.print()));
    for (Path document : documents()) {
      Matcher block = YAML_BLOCK.matcher(Files.readString(document));
      while (block.find()) {
        String name = document.getFileName() + " at " + block.start();
        tests.add(example(name, withPassword(block.group(1))));
      }
    }
    assertThat(tests).hasSizeGreaterThan(2);
    return tests.stream();
  }

  /** Replaces the password files of an example, which do not exist, by a file of the test. */
  private String withPassword(String example) throws IOException {
    Path file = Files.writeString(directory.resolve("password"), "secret\n");
    return example.replaceAll("(asswordFile: )\\S+", "$1" + file);
  }

  private static DynamicTest example(String name, String text) {
    return DynamicTest.dynamicTest(
        name,
        () -> {
          assertThat(ConfigReader.parse(name, text)).isNotNull();
          assertThat(SchemaVerdict.mistakes(text)).isEmpty();
        });
  }

  private static List<Path> documents() throws IOException {
    Path root = Repository.root();
    try (Stream<Path> docs = Files.walk(root.resolve("docs"));
        Stream<Path> top = Files.list(root)) {
      return Stream.concat(docs, top)
          .filter(path -> path.toString().endsWith(".md"))
          .sorted()
          .toList();
    }
  }

  private static List<String> keys() {
    List<String> lines = new ArrayList<>();
    String section = null;
    for (ConfigKey<?> key : ConfigKeys.ALL) {
      if (!key.section().equals(section)) {
        section = key.section();
        lines.add("");
        lines.add(section.isEmpty() ? "### At the top" : "### `" + section + "`");
        lines.add("");
        lines.add("| key | type | default | meaning |");
        lines.add("|---|---|---|---|");
      }
      lines.add(row(key));
    }
    ConfigKeys.ALL.forEach(key -> lines.addAll(fields(key)));
    lines.add("");
    return lines;
  }

  /** Returns the table of the fields of each value in a list. */
  private static List<String> fields(ConfigKey<?> key) {
    if (!(key.type() instanceof Items<?> items)) {
      return List.of();
    }
    List<String> lines = new ArrayList<>();
    lines.add("");
    lines.add("### Each of `" + key.name() + "`");
    lines.add("");
    lines.add("| field | type | meaning |");
    lines.add("|---|---|---|");
    for (ElementField<?> field : items.fields()) {
      String form = cell(field.type().form());
      String live = field.live() ? " *SIGHUP suffices.*" : "";
      lines.add("| `%s` | %s | %s%s |".formatted(field.name(), form, field.meaning(), live));
    }
    return lines;
  }

  private static <T> String row(ConfigKey<T> key) {
    String value =
        key.type().print(key.value()).stream()
            .map(line -> "`" + line + "`")
            .collect(Collectors.joining(" "));
    String shown = key.required() ? "required" : value.isEmpty() ? "none" : value;
    String live = key.live() ? " *SIGHUP suffices.*" : "";
    return "| `%s` | %s | %s | %s%s |"
        .formatted(key.leaf(), cell(key.type().form()), shown, key.meaning(), live);
  }

  /** Escapes the character that separates the cells of a table. */
  private static String cell(String text) {
    return text.replace("|", "\\|");
  }
}
