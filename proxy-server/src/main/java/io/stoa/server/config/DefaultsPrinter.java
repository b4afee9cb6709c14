// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.server.config.value.ValueType;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * Prints every key with its default and its meaning, as a valid configuration file. Threading:
 * immutable.
 */
public final class DefaultsPrinter {
  private static final String STEP = "  ";
  private static final String HEADER =
      """
      # All keys of Stoa with their defaults. Lists are followed by an example, commented out.
      # To use an example in place of the default, remove the first '# ' of its lines.
      """;

  private DefaultsPrinter() {}

  /** Returns the whole file. */
  public static String print() {
    return print(HEADER, key -> true, DefaultsPrinter::printKey);
  }

  /** Returns a valid configuration file with the given keys, each with the lines of its value. */
  static String print(String header, Map<ConfigKey<?>, List<String>> values) {
    return print(
        header,
        values::containsKey,
        (out, key) -> {
          out.append(indent(key)).append(key.leaf()).append(':');
          printValue(out, key, values.getOrDefault(key, List.of()));
        });
  }

  private static String print(
      String header,
      Predicate<ConfigKey<?>> wanted,
      BiConsumer<StringBuilder, ConfigKey<?>> printer) {
    StringBuilder out = new StringBuilder(header);
    String section = "";
    for (ConfigKey<?> key : ConfigKeys.ALL) {
      if (wanted.test(key)) {
        openSection(out, section, key.section());
        section = key.section();
        printer.accept(out, key);
      }
    }
    return out.toString();
  }

  /** Prints those parts of a section's path that differ from the previous section. */
  private static void openSection(StringBuilder out, String previous, String section) {
    int depth = 0;
    String path = "";
    for (String part : section.split("\\.")) {
      path = path.isEmpty() ? part : path + "." + part;
      if (!previous.equals(path) && !previous.startsWith(path + ".")) {
        out.append('\n').append(STEP.repeat(depth)).append(part).append(":\n");
      }
      depth++;
    }
  }

  private static <T> void printKey(StringBuilder out, ConfigKey<T> key) {
    String indent = indent(key);
    String remark = key.required() ? " Required; the value is an example." : "";
    out.append('\n').append(indent).append("# ").append(key.meaning()).append(remark).append('\n');
    out.append(indent).append(key.leaf()).append(':');
    printValue(out, key, key.type().print(key.value()));
    printExample(out, key);
  }

  /** Prints an example of a list as a comment. Uncommented, it replaces the default. */
  private static void printExample(StringBuilder out, ConfigKey<?> key) {
    String comment = indent(key) + "# ";
    if (key.type() instanceof ValueType.Items<?> items) {
      out.append(comment).append(key.leaf()).append(":\n");
      printItem(out, comment, items);
    } else if (key.type() instanceof ValueType.Sequence<?> list && !list.example().isEmpty()) {
      out.append(comment).append(key.leaf()).append(":\n");
      out.append(comment).append(STEP + "- ").append(list.example()).append('\n');
    }
  }

  /** Prints an item with all of its fields. */
  private static void printItem(StringBuilder out, String comment, ValueType.Items<?> items) {
    String dash = STEP + "- ";
    for (int i = 0; i < items.fields().size(); i++) {
      ValueType.ElementField<?> field = items.fields().get(i);
      out.append(comment).append(STEP.repeat(2)).append("# ").append(field.meaning()).append('\n');
      out.append(comment).append(dash).append(field.name());
      out.append(": ").append(items.examples().get(i)).append('\n');
      dash = STEP.repeat(2);
    }
  }

  private static String indent(ConfigKey<?> key) {
    return STEP.repeat(key.section().isEmpty() ? 0 : key.section().split("\\.").length);
  }

  private static void printValue(StringBuilder out, ConfigKey<?> key, List<String> lines) {
    String indent = indent(key);
    if (key.type() instanceof ValueType.Scalar) {
      out.append(' ').append(lines.get(0)).append('\n');
    } else if (lines.isEmpty()) {
      out.append(" []\n");
    } else {
      out.append('\n');
      lines.forEach(line -> out.append(indent).append(STEP + "- ").append(line).append('\n'));
    }
  }
}
