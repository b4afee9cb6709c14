// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.testing.Requests;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The bind requests that are kept for rebinds. */
class CredentialsTest {
  private static Credentials credentials(String password) throws LdapProtocolException {
    byte[] octets = Requests.bind("cn=anna,dc=x", password).encode(1);
    LdapMessage request = LdapMessage.parse(Unpooled.wrappedBuffer(octets));
    try {
      return Credentials.of(request, false);
    } finally {
      request.release();
    }
  }

  private static ByteBuf request(Credentials credentials) {
    return Objects.requireNonNull(credentials.bindRequest(false));
  }

  @Test
  void theOctetsAreOutsideTheHeap() throws LdapProtocolException {
    Credentials kept = credentials("secret");
    assertThat(request(kept).isDirect()).isTrue();
    assertThat(request(kept).hasArray()).isFalse();
    kept.release();
  }

  @Test
  void theOctetsAreZeroedBeforeTheBufferReturnsToItsPool() throws LdapProtocolException {
    Credentials kept = credentials("secret");
    ByteBuf octets = request(kept);
    assertThat(octets.toString(StandardCharsets.UTF_8)).contains("secret");
    octets.retain(); // so that the test may read it afterwards
    kept.release();
    assertThat(kept.isHeld()).isFalse();
    assertThat(ByteBufUtil.getBytes(octets, 0, octets.capacity())).containsOnly(0);
    octets.release();
  }

  @Test
  void theBufferReturnsToItsPoolOnce() throws LdapProtocolException {
    Credentials kept = credentials("secret");
    ByteBuf octets = request(kept);
    kept.release();
    kept.release();
    assertThat(octets.refCnt()).isZero();
  }

  @Test
  void aCopyOutlivesItsOrigin() throws LdapProtocolException {
    Credentials kept = credentials("secret");
    Credentials copy = kept.copy();
    assertThat(copy.samePassword(kept)).isTrue();
    kept.release();
    assertThat(request(copy).toString(StandardCharsets.UTF_8)).contains("secret");
    copy.release();
  }

  @Test
  void differentPasswordsAreNotTheSame() throws LdapProtocolException {
    Credentials one = credentials("secret");
    Credentials other = credentials("secrex");
    assertThat(one.samePassword(other)).isFalse();
    one.release();
    other.release();
  }
}
