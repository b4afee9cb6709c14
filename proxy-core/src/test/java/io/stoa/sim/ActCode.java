// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Acts as Java code, by which a test keeps a history that broke a promise. A history by seed and
 * numbers would be another one as soon as the simulator draws once more.
 *
 * <p>Threading: stateless.
 */
final class ActCode {
  private ActCode() {}

  /** Returns the code that makes the acts, one a line. */
  static String of(List<Act> acts) {
    return acts.stream().map(ActCode::value).collect(Collectors.joining(",\n"));
  }

  private static String value(Object value) {
    if (value instanceof String text) {
      return '"' + text + '"';
    }
    if (value instanceof Long number) {
      return number + "L";
    }
    if (value instanceof Enum<?> constant) {
      return name(constant.getDeclaringClass()) + "." + constant.name();
    }
    if (value instanceof List<?> list) {
      return list.stream().map(ActCode::value).collect(Collectors.joining(", ", "List.of(", ")"));
    }
    return value instanceof Record made ? record(made) : String.valueOf(value);
  }

  private static String record(Record made) {
    List<String> parts = new ArrayList<>();
    try {
      for (RecordComponent part : made.getClass().getRecordComponents()) {
        parts.add(value(part.getAccessor().invoke(made)));
      }
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("a record cannot be read", e);
    }
    return "new " + name(made.getClass()) + "(" + String.join(", ", parts) + ")";
  }

  private static String name(Class<?> type) {
    return type.getName().replace(type.getPackageName() + ".", "").replace('$', '.');
  }
}
