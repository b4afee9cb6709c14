// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Filter;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.net.peer.Peer;
import io.stoa.operation.CompletedOperation;
import io.stoa.operation.CompletedOperation.Times;
import io.stoa.operation.OperationTrace;
import io.stoa.server.accesslog.RequestTexts.Text;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests that assert secret values are not kept with their texts. */
class RequestTextsTest {
  private int written;

  @ParameterizedTest
  @CsvSource({
    "(uid=user.1),1",
    "(cn=*),1",
    "(userPassword=*),1",
    "(userPassword=x),3",
    "(userPassword;x-a=x),3",
    "(|(uid=a)(!(sambaNTPassword=x))),3",
    "(&(uid=a)(token>=x)),3",
    "(token<=x),3",
    "(token~=x),3",
    "(token=a*b),3",
    "(2.5.4.35=x),3",
    "(:caseExactMatch:=x),3",
  })
  void aTextIsWrittenOnceUnlessItsRequestIsSecret(String filter, int times) throws Exception {
    ValueText values = new ValueText(ValueMode.FULL, Set.of("userpassword", "token"));
    RequestTexts texts =
        new RequestTexts(request -> text(), values::hasSecret, RequestTexts.LOG_MEMORY);
    byte[] octets =
        SearchOp.encode(
            "dc=example".getBytes(US_ASCII), 2, Filter.create(filter).encode().encode(), List.of());
    for (int i = 0; i < 3; i++) {
      assertThat(texts.of(search(octets)).first()).hasSize(1);
    }
    assertThat(written).isEqualTo(times);
  }

  private Text text() {
    written++;
    return new Text(new byte[1], new byte[0]);
  }

  private static CompletedOperation search(byte[] octets) {
    return new CompletedOperation(
        1,
        Peer.UNKNOWN,
        Octets.EMPTY,
        OpType.SEARCH_REQUEST,
        1,
        octets.length,
        octets.clone(),
        null,
        null,
        0,
        new Times(0, 0, 0),
        new OperationTrace(),
        0);
  }
}
