// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Iterator;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Passwords that are typed in. */
class HashPasswordCommandTest {
  private final HashPasswordCommand command = new HashPasswordCommand();

  HashPasswordCommandTest() {
    new CommandLine(command);
  }

  @Test
  void endOfInputIsAUsageError() {
    assertRefused("end of input", (char[]) null);
    assertRefused("end of input", "secret".toCharArray(), null);
    assertRefused("the passwords differ", "secret".toCharArray(), "other".toCharArray());
  }

  @Test
  void aPasswordThatIsRepeatedIsTaken() {
    Iterator<char[]> lines =
        Arrays.asList("secret".toCharArray(), "secret".toCharArray()).iterator();
    assertThat(
            new String(
                command.typed(prompt -> lines.next()), java.nio.charset.StandardCharsets.UTF_8))
        .isEqualTo("secret");
  }

  private void assertRefused(String reason, char[]... typed) {
    Iterator<char[]> lines = Arrays.asList(typed).iterator();
    assertThatThrownBy(() -> command.typed(prompt -> lines.next()))
        .isInstanceOf(ParameterException.class)
        .hasMessageContaining(reason);
    for (char[] line : typed) {
      assertThat(line == null || line[0] == 0).isTrue();
    }
  }
}
