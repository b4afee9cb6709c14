// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.schema.CoreSchema;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.NullNode;

/**
 * The verdict of the printed schema on a file, as an editor reads the file: by the core schema of
 * YAML 1.2. Stateless.
 */
final class SchemaVerdict {
  private static final Schema SCHEMA =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_7)
          .getSchema(SchemaPrinter.print());
  private static final LoadSettings EDITOR =
      LoadSettings.builder().setSchema(new CoreSchema()).build();
  private static final JsonMapper JSON = new JsonMapper();

  private SchemaVerdict() {}

  /**
   * Returns the mistakes that the schema finds in a file of valid YAML; empty if there are none.
   */
  static List<String> mistakes(String yaml) {
    Object file = named(new Load(EDITOR).loadFromString(yaml));
    JsonNode json = file == null ? NullNode.instance : JSON.valueToTree(file);
    return SCHEMA.validate(json).stream().map(Error::toString).toList();
  }

  /** True if the reader of configurations accepts the file, whatever the schema says. */
  static boolean isAccepted(String yaml) {
    try {
      ConfigReader.parse("file", yaml);
      return true;
    } catch (ConfigException e) {
      return false;
    }
  }

  /** Returns a value whose keys are strings. JSON has no .nan and .inf; editors take numbers. */
  private static @Nullable Object named(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      Map<String, @Nullable Object> copy = new LinkedHashMap<>();
      map.forEach((key, one) -> copy.put(String.valueOf(key), named(one)));
      return copy;
    }
    if (value instanceof List<?> list) {
      List<@Nullable Object> copy = new ArrayList<>();
      list.forEach(one -> copy.add(named(one)));
      return copy;
    }
    return value instanceof Double number && !Double.isFinite(number) ? 0.5 : value;
  }
}
