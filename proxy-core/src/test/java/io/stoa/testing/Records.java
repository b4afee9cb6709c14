// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;

/** Copies of records in which one component differs: configurations have many components. */
public final class Records {
  private Records() {}

  /** The same record with another value of the named component. */
  public static <R extends Record> R with(R record, String component, Object value) {
    RecordComponent[] components = record.getClass().getRecordComponents();
    if (Arrays.stream(components).noneMatch(c -> c.getName().equals(component))) {
      throw new IllegalArgumentException(record.getClass() + " has no " + component);
    }
    try {
      Object[] values = new Object[components.length];
      Class<?>[] types = new Class<?>[components.length];
      for (int i = 0; i < components.length; i++) {
        boolean changed = components[i].getName().equals(component);
        values[i] = changed ? value : components[i].getAccessor().invoke(record);
        types[i] = components[i].getType();
      }
      @SuppressWarnings("unchecked")
      Class<R> type = (Class<R>) record.getClass();
      return type.getConstructor(types).newInstance(values);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("cannot copy " + record.getClass(), e);
    }
  }
}
