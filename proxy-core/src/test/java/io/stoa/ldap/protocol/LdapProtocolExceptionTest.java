// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LdapProtocolExceptionTest {

  @ParameterizedTest
  @EnumSource
  void eachReasonHasOneException(ProtocolError reason) {
    LdapProtocolException exception = LdapProtocolException.of(reason);
    assertThat(exception.reason()).isSameAs(reason);
    assertThat(exception).hasMessage(reason.text()).isSameAs(LdapProtocolException.of(reason));
  }

  @Test
  void exceptionsHaveNoStackTraceAndNoSuppressed() {
    LdapProtocolException exception = LdapProtocolException.of(ProtocolError.BAD_ENVELOPE);
    exception.addSuppressed(new IllegalStateException());
    assertThat(exception.getStackTrace()).isEmpty();
    assertThat(exception.getSuppressed()).isEmpty();
  }
}
