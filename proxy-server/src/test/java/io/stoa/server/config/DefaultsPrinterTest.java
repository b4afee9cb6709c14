// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.backend.ServerAddress;
import io.stoa.server.config.value.ValueType;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class DefaultsPrinterTest {
  /** But for the management listener: once given, it is meant. */
  @Test
  void whatIsPrintedCanBeReadAndIsTheDefault() throws Exception {
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

  /** The example of each list of items, put in the place of its default. */
  @TestFactory
  Stream<DynamicTest> theExampleOfEachListOfItemsCanBeRead() {
    return ConfigKeys.ALL.stream()
        .filter(key -> key.type() instanceof ValueType.Items<?>)
        .map(key -> DynamicTest.dynamicTest(key.name(), () -> exampleCanBeRead(key)));
  }

  private static void exampleCanBeRead(ConfigKey<?> key) throws ConfigException {
    String text = DefaultsPrinter.print();
    int from = text.indexOf("# " + key.leaf() + ":\n");
    String example = text.substring(from, text.indexOf("\n\n", from));
    ValueType.Items<?> items = (ValueType.Items<?>) key.type();
    for (ValueType.Field<?> field : items.fields()) {
      assertThat(example).contains("# " + field.meaning(), " " + field.name() + ": ");
    }
    String bare = "  " + example.replaceAll("(?m)^ *# ", "  ").strip();
    String servers =
        key.section().isEmpty()
            ? ""
            : "upstreams: [{url: 'ldap://127.0.0.1', suffix: ['dc=example,dc=com']}]\n";
    String file = key.section().isEmpty() ? bare.indent(-2) : key.section() + ":\n" + bare;
    ConfigReader.parse("example", servers + file);
  }

  @Test
  void meaningsAreOneLineAndKeysAreUnique() {
    assertThat(ConfigKeys.ALL).extracting(ConfigKey::name).doesNotHaveDuplicates();
    assertThat(ConfigKeys.ALL)
        .extracting(ConfigKey::meaning)
        .allSatisfy(meaning -> assertThat(meaning).doesNotContain("\n").endsWith("."));
  }
}
