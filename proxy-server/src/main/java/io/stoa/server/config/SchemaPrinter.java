// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.server.config.value.JsonSchema;
import io.stoa.server.config.value.ValueType;
import io.stoa.server.config.value.ValueType.Scalar;
import io.stoa.server.config.value.ValueTypes;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * Prints the JSON Schema (draft-07) of the configuration file, for editors.
 *
 * <ol>
 *   <li>The schema admits each file that {@link ConfigReader} accepts.
 *   <li>The schema knows no rules between keys, and looks into no value whose key is a path with
 *       dots.
 * </ol>
 *
 * <p>Threading: immutable.
 */
public final class SchemaPrinter {
  private static final String PROPERTIES = "properties";
  private static final String REQUIRED = "required";
  private static final LoadSettings YAML = LoadSettings.builder().build();

  private SchemaPrinter() {}

  /** Returns the schema as JSON. */
  public static String print() {
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put("$schema", "http://json-schema.org/draft-07/schema#");
    schema.putAll(section("object", ""));
    schema.put(
        "allOf",
        ConfigKeys.ALL.stream().filter(ConfigKey::required).map(SchemaPrinter::presence).toList());
    return JsonText.of(schema);
  }

  /** Returns the schema of a section with its keys and sections. The path of the file is empty. */
  private static Map<String, Object> section(Object type, String path) {
    String prefix = path.isEmpty() ? "" : path + ".";
    Map<String, Object> properties = new LinkedHashMap<>();
    Set<String> sections = new LinkedHashSet<>();
    for (ConfigKey<?> key : ConfigKeys.ALL) {
      if (key.section().equals(path)) {
        properties.put(key.leaf(), value(key));
      } else if (key.name().startsWith(prefix)) {
        sections.add(key.name().substring(prefix.length()).split("\\.", 2)[0]);
      }
    }
    sections.forEach(
        name -> properties.put(name, section(List.of("object", "null"), prefix + name)));
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put("type", type);
    schema.put(PROPERTIES, properties);
    if (!sections.isEmpty()) {
      String dotted = "^(?:" + String.join("|", sections) + ")\\.";
      schema.put("patternProperties", Map.of(dotted, Map.of()));
    }
    schema.put("additionalProperties", false);
    return schema;
  }

  private static <T> Map<String, Object> value(ConfigKey<T> key) {
    Map<String, Object> schema = new LinkedHashMap<>();
    String use = key.required() ? "Required." : "Default: " + defaults(key) + ".";
    schema.put(
        "description", JsonSchema.description(key.meaning(), key.type(), " " + use, key.live()));
    schema.putAll(key.type().schema());
    if (key.type().equals(ValueTypes.NUMBER)) {
      @SuppressWarnings("unchecked") // the type is that of numbers
      NumberBounds bounds = NumberBounds.of((ConfigKey<Integer>) key);
      schema.put("minimum", bounds.minimum());
      schema.put("maximum", bounds.maximum());
    }
    Object value = value(key.type(), key.value());
    schema.put(key.required() ? "examples" : "default", key.required() ? List.of(value) : value);
    return schema;
  }

  private static <T> String defaults(ConfigKey<T> key) {
    String value = String.join(", ", key.type().print(key.value()));
    return value.isEmpty() ? "none" : value;
  }

  private static <T> Object value(ValueType<T> type, T value) {
    Load yaml = new Load(YAML);
    List<Object> values = type.print(value).stream().map(yaml::loadFromString).toList();
    return type instanceof Scalar ? values.get(0) : values;
  }

  /** Returns the rule that a key is present, in its section or as a path with dots. */
  private static Map<String, Object> presence(ConfigKey<?> key) {
    Map<String, Object> rule = new LinkedHashMap<>();
    rule.put("type", "object");
    rule.put(REQUIRED, List.of(key.leaf()));
    String[] parts = key.section().split("\\.");
    for (int i = parts.length - 1; i >= 0; i--) {
      Map<String, Object> outer = new LinkedHashMap<>();
      outer.put(REQUIRED, List.of(parts[i]));
      outer.put(PROPERTIES, Map.of(parts[i], rule));
      rule = outer;
    }
    Map<String, Object> presence = new LinkedHashMap<>();
    presence.put("if", Map.of(REQUIRED, List.of(key.name())));
    presence.put("else", rule);
    return presence;
  }
}
