// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.auth;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.netty.buffer.Unpooled;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.junit.jupiter.api.Test;

class PasswordHashTest {
  private static final byte[] PASSWORD = "pässword".getBytes(UTF_8);

  @Test
  void aPrintedHashMatchesOnlyItsPassword() {
    PasswordHash hash = PasswordHash.parse(PasswordHash.of(PASSWORD).print());
    assertThat(hash.matches(Unpooled.wrappedBuffer(PASSWORD))).isTrue();
    assertThat(hash.matches(Unpooled.wrappedBuffer("password".getBytes(UTF_8)))).isFalse();
    assertThat(hash.print()).startsWith("{PBKDF2-SHA512}210000$");
  }

  @Test
  void saltsDiffer() {
    assertThat(PasswordHash.of(PASSWORD)).isNotEqualTo(PasswordHash.of(PASSWORD));
  }

  @Test
  void theKeyDerivationEqualsTheJdks() throws GeneralSecurityException {
    byte[] salt = "salt".getBytes(UTF_8);
    byte[] theirs =
        SecretKeyFactory.getInstance("PBKDF2WithHmacSHA512")
            .generateSecret(new PBEKeySpec("pässword".toCharArray(), salt, 1_000, 512))
            .getEncoded();
    assertThat(HexFormat.of().formatHex(Pbkdf2.derive(Pbkdf2.keyed(PASSWORD), salt, 1_000)))
        .isEqualTo(HexFormat.of().formatHex(theirs));
  }

  @Test
  void anInvalidHashIsRefusedWithoutItsValue() {
    String good = PasswordHash.of(PASSWORD).print();
    for (String wrong :
        List.of(
            "",
            "secret",
            good + "x",
            good.replace("210000", "209999"),
            good.replace("210000", "99999999"),
            good.replace("SHA512", "SHA256"))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> PasswordHash.parse(wrong))
          .satisfies(e -> assertThat(e.getMessage()).doesNotContain(good.substring(30, 40)))
          .satisfies(e -> assertThat(e.getMessage()).doesNotContain("secret"));
    }
  }

  @Test
  void emptyAndOverlongPasswordsAreRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> PasswordHash.of(new byte[0]));
    assertThatIllegalArgumentException().isThrownBy(() -> PasswordHash.of(new byte[1025]));
  }

  @Test
  void theHashIsNotInToString() {
    assertThat(PasswordHash.of(PASSWORD)).hasToString("PasswordHash");
  }
}
