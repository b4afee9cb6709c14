// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.server.config.value.JsonSchema;
import io.stoa.server.config.value.ValueType;
import io.stoa.server.config.value.ValueType.ElementField;
import io.stoa.server.config.value.ValueType.Items;
import io.stoa.server.config.value.ValueType.Scalar;
import io.stoa.server.config.value.ValueType.Sequence;
import io.stoa.server.config.value.ValueTypes;
import io.stoa.server.config.value.WindowOverride;
import io.stoa.write.WindowConfig;
import io.stoa.write.WindowConfig.Batch;
import java.time.Duration;
import java.util.List;

/** A write window as it is written in the file. Threading: immutable. */
final class WindowItem {
  private static final ElementField<String> NAME =
      new ElementField<>("name", ValueTypes.TEXT, "Name of the window, for administrators.")
          .asRequired();
  private static final ElementField<String> SUBTREE =
      new ElementField<>(
          "subtree",
          ValueTypes.DN,
          "DN of an entry: the window is for writes of it and of entries below it. Default: all"
              + " entries.");
  private static final ElementField<String> IDENTITY =
      new ElementField<>(
          "identity",
          ValueTypes.DN,
          "Bind DN: the window is for writes of clients bound as it. Default: all clients.");
  private static final ElementField<Duration> EVERY =
      new ElementField<>(
          "every",
          ValueTypes.DURATION,
          "Time from the first waiting write until the window closes: 20ms to 10s.",
          true,
          true);
  private static final ElementField<Integer> MAX_OPERATIONS =
      new ElementField<>(
          "maxOperations",
          ValueTypes.NUMBER,
          "Number of waiting writes, from 1 on, at which the window closes at once. Default: "
              + WindowConfig.DEFAULT_OPERATIONS
              + ".",
          true);
  private static final ElementField<Batch> BATCH =
      new ElementField<>(
          "batch",
          ValueTypes.choice(Batch.class),
          "single (writes are sent one by one) or transactions (those of one identity are sent in a"
              + " transaction, RFC 5805). Default: single.");
  private static final ElementField<Boolean> PASSWORDS =
      new ElementField<>(
          "passwords", ValueTypes.BOOLEAN, "True if password changes wait too. Default: false.");

  /** Type of an item of the list of windows. */
  static final Items<WindowConfig> TYPE =
      new Items<>(
          "windows",
          List.of(NAME, SUBTREE, IDENTITY, EVERY, MAX_OPERATIONS, BATCH, PASSWORDS),
          List.of(
              "people",
              "'ou=people,dc=example,dc=com'",
              "'cn=sync,ou=apps,dc=example,dc=com'",
              "200ms",
              String.valueOf(WindowConfig.DEFAULT_OPERATIONS),
              "single",
              "false"),
          WindowItem::of,
          WindowConfig::name,
          true);

  /** Type of the list of settings that override when windows close. */
  static final Sequence<WindowOverride> CLOSING =
      new Sequence<>(
          new Scalar<>(
              "NAME [every TIME] [maxOperations NUMBER]",
              JsonSchema.string("[\\s\\S]*\\S +(?:every|maxOperations) +\\S+\\s*"),
              text -> WindowOverride.parse(text, ValueTypes.DURATION.parser()),
              one -> ValueTypes.quote(one.print(ValueTypes.DURATION.printer()))),
          true,
          "people every 500ms maxOperations 100");

  private WindowItem() {}

  /** Returns the parts of a window that only a restart changes. The others are set to constants. */
  static WindowConfig restartPart(WindowConfig window) {
    return window.closing(Duration.ofSeconds(1), WindowConfig.DEFAULT_OPERATIONS);
  }

  private static WindowConfig of(ValueType.ItemValues values) {
    return new WindowConfig(
        values.require(NAME),
        values.get(SUBTREE).orElse(null),
        values.get(IDENTITY).orElse(null),
        values.require(EVERY),
        values.get(MAX_OPERATIONS).orElse(WindowConfig.DEFAULT_OPERATIONS),
        values.get(BATCH).orElse(Batch.SINGLE),
        values.get(PASSWORDS).orElse(false));
  }
}
