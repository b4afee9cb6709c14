// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.transport;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Thrown by configuration records for values that break a rule. Names the settings of the rule, so
 * that a reader of files can replace each name by its key. Threading: immutable.
 */
public final class InvalidConfigException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> parts;

  /**
   * Creates the exception.
   *
   * @param parts the message: the name of a setting, a text, a further name, a further text …
   */
  public InvalidConfigException(String... parts) {
    super(String.join("", parts));
    this.parts = List.of(parts);
  }

  /** Throws the exception if a rule is broken. */
  public static void refuse(boolean broken, String... parts) {
    if (broken) {
      throw new InvalidConfigException(parts);
    }
  }

  /** Requires a minimum. */
  public static void requireAtLeast(String setting, long value, long least) {
    refuse(value < least, setting, " " + value + " is below " + least);
  }

  /** Requires a duration longer than 0. */
  public static void requirePositive(String setting, Duration value) {
    refuse(value.isZero() || value.isNegative(), setting, " must be longer than 0");
  }

  /** Requires a duration of at least 0. */
  public static void requireNotNegative(String setting, Duration value) {
    refuse(value.isNegative(), setting, " must not be negative");
  }

  /** Returns the names of the settings, in the order of the message. */
  public List<String> settings() {
    return IntStream.range(0, parts.size()).filter(i -> i % 2 == 0).mapToObj(parts::get).toList();
  }

  /** Returns the message with other names for the settings. */
  public String message(UnaryOperator<String> nameOf) {
    return IntStream.range(0, parts.size())
        .mapToObj(i -> i % 2 == 0 ? nameOf.apply(parts.get(i)) : parts.get(i))
        .collect(Collectors.joining());
  }
}
