// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.server.config.ConfigException.Problem;
import io.stoa.server.config.ConfigException.TextPosition;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.schema.CoreSchema;

/**
 * The known keys of a file with their YAML nodes. Unknown keys, repeated keys and sections that are
 * not mappings become problems. Threading: confined to one call.
 */
final class ConfigTree {
  /**
   * Reads null as the core schema of YAML 1.2 does, as editors also do. Permits keys that are not
   * scalars, so that they are reported here with their position.
   */
  private static final LoadSettings SETTINGS =
      LoadSettings.builder().setSchema(new CoreSchema()).setAllowNonScalarKeys(true).build();

  private final Map<String, Node> values = new HashMap<>();
  private final Set<String> seen = new HashSet<>();
  private final List<Problem> problems;
  private boolean unreadable;

  private ConfigTree(List<Problem> problems) {
    this.problems = problems;
  }

  /** Parses a text, and adds its mistakes to {@code problems}. */
  static ConfigTree of(String text, List<Problem> problems) {
    ConfigTree tree = new ConfigTree(problems);
    try {
      Optional<Node> root = new Compose(SETTINGS).composeString(text);
      root.ifPresent(node -> tree.addSection("", node));
    } catch (MarkedYamlEngineException e) {
      tree.reject(e.getProblemMark().map(TextPosition::of).orElse(TextPosition.START), reason(e));
    } catch (ReaderException e) {
      int at = Math.max(0, text.indexOf(Character.toString(e.getCodePoint())));
      int line = 1 + (int) text.chars().limit(at).filter(c -> c == '\n').count();
      tree.reject(
          new TextPosition(line, at - text.lastIndexOf('\n', at)),
          String.format("the character U+%04X is not permitted", e.getCodePoint()));
    } catch (YamlEngineException e) {
      tree.reject(TextPosition.START, Objects.requireNonNullElse(e.getMessage(), "unreadable"));
    }
    return tree;
  }

  /** Replaces values by those of another tree. */
  void overlay(ConfigTree other) {
    values.putAll(other.values);
  }

  /** Returns the node of a key; null if the file does not contain it. */
  @Nullable Node value(ConfigKey<?> key) {
    return values.get(key.name());
  }

  /** Returns the position of the value of a key. */
  TextPosition position(ConfigKey<?> key) {
    Node node = values.get(key.name());
    return node == null ? TextPosition.START : TextPosition.of(node);
  }

  /** True if the text is not valid YAML, so that missing keys mean nothing. */
  boolean isUnreadable() {
    return unreadable;
  }

  private void addSection(String path, Node node) {
    if (isEmpty(node)) {
      return;
    }
    if (!(node instanceof MappingNode mapping)) {
      String label = path.isEmpty() ? "the configuration" : path;
      report(node, label + " must be a mapping");
      return;
    }
    for (NodeTuple entry : mapping.getValue()) {
      addEntry(path, entry.getKeyNode(), entry.getValueNode());
    }
  }

  private void addEntry(String section, Node keyNode, Node value) {
    if (!(keyNode instanceof ScalarNode scalar)) {
      report(keyNode, "a key must be a scalar");
      return;
    }
    String path = section.isEmpty() ? scalar.getValue() : section + "." + scalar.getValue();
    if (!seen.add(path)) {
      report(keyNode, path + " is a duplicate key");
    } else if (KeyNames.isSection(path)) {
      addSection(path, value);
    } else if (KeyNames.isKey(path)) {
      values.put(path, value);
    } else {
      report(keyNode, KeyNames.correction(path));
    }
  }

  private void reject(TextPosition position, String reason) {
    unreadable = true;
    problems.add(new Problem(position, "not YAML: " + reason));
  }

  /** Returns the parser's text, with words for people in place of the names of its tokens. */
  private static String reason(MarkedYamlEngineException e) {
    String context = Objects.requireNonNullElse(e.getContext(), "");
    String text = context.isEmpty() ? e.getProblem() : context + ", " + e.getProblem();
    return text.replace("while scanning for the next token, ", "")
        .replaceAll("\\. \\(Do not use .*", "; indent with spaces, and quote such a value")
        .replace("'\\t(TAB)'", "TAB")
        .replace("any token", "a value")
        .replace("but got :", "but found ':'")
        .replace("found '?'", "found a key")
        .replaceAll("'?<stream end>'?|end of stream", "end of the file")
        .replace("<block end>", "the end of the section")
        .replace("'<block mapping start>'", "a key with another indentation")
        .replace("'<scalar>'", "a further value")
        .replaceAll("(undefined alias .*)", "$1; quote a value that begins with *")
        .replaceAll(
            "^mapping values .*",
            "key and value not expected here; check the indentation, "
                + "and quote a value that contains ': '");
  }

  private void report(Node node, String message) {
    problems.add(new Problem(TextPosition.of(node), message));
  }

  /** True for a section without any key, such as one whose lines are all commented out. */
  private static boolean isEmpty(Node node) {
    return node instanceof ScalarNode && node.getTag().equals(Tag.NULL);
  }
}
