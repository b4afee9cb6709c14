// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.server.config.value.ValueType;
import io.stoa.upstream.server.ServerAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class DefaultsPrinterTest {
  /** But for the management listener: once given, it is meant. */
  @Test
  void thePrintedDefaultsParseAsTheDefaults() throws Exception {
    ServerConfig defaults =
        ServerConfig.of(
            List.of(ServerConfig.DEFAULT_LISTENER), List.of(new ServerAddress("127.0.0.1", 389)));
    ManagementConfig given = ManagementConfig.parse(ManagementConfig.DEFAULT.toString());
    assertThat(ConfigReader.parse("defaults", DefaultsPrinter.print()))
        .isEqualTo(defaults.withManagement(given));
  }

  @Test
  void everyKeyIsPrintedWithItsMeaning() {
    String text = DefaultsPrinter.print();
    for (ConfigKey<?> key : ConfigKeys.ALL) {
      assertThat(text).contains("# " + key.meaning()).containsPattern("(?m)^ *" + key.leaf() + ":");
    }
  }

  @Test
  void everyListWhoseDefaultIsEmptyHasAnExample() {
    String text = DefaultsPrinter.print();
    for (ConfigKey<?> key : ConfigKeys.ALL) {
      boolean empty = key.value() instanceof List<?> list && list.isEmpty();
      if (key.type() instanceof ValueType.Items<?> items) {
        assertThat(items.examples()).hasSameSizeAs(items.fields());
        assertThat(text)
            .contains(items.fields().stream().map(ValueType.ElementField::meaning).toList());
      }
      if (empty) {
        assertThat(text).containsPattern("(?m)^ *# " + key.leaf() + ":\n *#   (- |  # )");
      }
    }
  }

  @Test
  void meaningsAreOneLineAndKeysAreUnique() {
    assertThat(ConfigKeys.ALL).extracting(ConfigKey::name).doesNotHaveDuplicates();
    assertThat(ConfigKeys.ALL)
        .extracting(ConfigKey::meaning)
        .allSatisfy(meaning -> assertThat(meaning).doesNotContain("\n").endsWith("."));
  }
}
