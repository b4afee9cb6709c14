// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.ResultCode;
import io.stoa.ldap.protocol.LdapResultCode;
import io.stoa.ldap.protocol.OpType;
import org.junit.jupiter.api.Test;

class ResultCountersTest {
  private final OperationCounters counters = new OperationCounters();

  @Test
  void resultsAreCountedByOperationAndCode() {
    end(OpType.SEARCH_REQUEST, 0);
    end(OpType.SEARCH_REQUEST, 0);
    end(OpType.SEARCH_REQUEST, 32);
    end(OpType.SEARCH_REQUEST, 999);
    end(OpType.BIND_REQUEST, 49);
    assertThat(sent(OpType.SEARCH_REQUEST, LdapResultCode.SUCCESS)).isEqualTo(2);
    assertThat(sent(OpType.SEARCH_REQUEST, LdapResultCode.NO_SUCH_OBJECT)).isOne();
    assertThat(sent(OpType.SEARCH_REQUEST, LdapResultCode.UNLISTED)).isOne();
    assertThat(sent(OpType.SEARCH_REQUEST, LdapResultCode.INVALID_CREDENTIALS)).isZero();
    assertThat(sent(OpType.BIND_REQUEST, LdapResultCode.INVALID_CREDENTIALS)).isOne();
    assertThat(sent(OpType.BIND_REQUEST, LdapResultCode.SUCCESS)).isZero();
  }

  @Test
  void anAbandonedOperationHasNoResult() {
    counters.results().countUnanswered(OpType.SEARCH_REQUEST);
    counters.completed().increment(OpType.SEARCH_REQUEST);
    assertThat(sent(OpType.SEARCH_REQUEST, LdapResultCode.SUCCESS)).isZero();
  }

  /** The result of an operation is counted before its end. */
  @Test
  void successesNeverDecrease() {
    end(OpType.ADD_REQUEST, 0);
    assertThat(sent(OpType.ADD_REQUEST, LdapResultCode.SUCCESS)).isOne();
    counters.countFailure(OpType.ADD_REQUEST, 68);
    assertThat(sent(OpType.ADD_REQUEST, LdapResultCode.SUCCESS)).isOne();
    counters.completed().increment(OpType.ADD_REQUEST);
    assertThat(sent(OpType.ADD_REQUEST, LdapResultCode.SUCCESS)).isOne();
    end(OpType.ADD_REQUEST, 0);
    assertThat(sent(OpType.ADD_REQUEST, LdapResultCode.SUCCESS)).isEqualTo(2);
  }

  @Test
  void codesAreThoseOfTheSpecifications() {
    assertThat(LdapResultCode.values()).extracting(LdapResultCode::label).doesNotHaveDuplicates();
    for (LdapResultCode one : LdapResultCode.values()) {
      assertThat(LdapResultCode.of(one.code())).isEqualTo(one);
      if (one != LdapResultCode.UNLISTED) {
        assertThat(ResultCode.valueOf(one.code(), null, false)).as("%s", one).isNotNull();
      }
    }
  }

  private void end(OpType type, int code) {
    if (code != 0) {
      counters.countFailure(type, code);
    }
    counters.completed().increment(type);
  }

  private long sent(OpType type, LdapResultCode code) {
    return counters.resultsSent(type, code);
  }
}
