// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResponseContentsTest {
  private static final byte[] ANNA = entry("uid=anna", "cn: Anna|A.", "mail: a@x");
  private static final byte[] BERT = entry("uid=bert", "cn: Bert");

  @Test
  void orderAndCaseOfDescriptionsAreIgnored() throws LdapProtocolException {
    ResponseContents one = ResponseContents.of(0, List.of(ANNA, BERT));
    ResponseContents other =
        ResponseContents.of(0, List.of(BERT, entry("uid=anna", "Mail: a@x", "CN: A.|Anna")));
    assertThat(one).isEqualTo(other).hasSameHashCodeAs(other);
    assertThat(one.differing(other)).isEmpty();
  }

  @Test
  void anyOtherDifferenceCounts() throws LdapProtocolException {
    ResponseContents one = ResponseContents.of(0, List.of(ANNA, BERT));
    assertThat(ResponseContents.of(0, List.of(ANNA))).isNotEqualTo(one);
    assertThat(ResponseContents.of(0, List.of(ANNA, BERT, BERT))).isNotEqualTo(one);
    assertThat(ResponseContents.of(4, List.of(ANNA, BERT))).isNotEqualTo(one);
    for (byte[] bert :
        List.of(
            entry("uid=Bert", "cn: Bert"),
            entry("uid=bert", "cn: bert"),
            entry("uid=bert", "cn: Bert|B."),
            entry("uid=bert", "cn;lang-de: Bert"),
            entry("uid=bert", "cn: Bert", "sn: "),
            entry("uid=bert"))) {
      assertThat(ResponseContents.of(0, List.of(ANNA, bert))).isNotEqualTo(one);
    }
  }

  @Test
  void reportsTheDifferingEntries() throws LdapProtocolException {
    ResponseContents one = ResponseContents.of(0, List.of(ANNA, BERT));
    ResponseContents other =
        ResponseContents.of(0, List.of(entry("uid=anna", "cn: Anna"), entry("uid=carl")));
    assertThat(one.differing(other))
        .containsExactly(
            Octets.ofUtf8("uid=anna"), Octets.ofUtf8("uid=bert"), Octets.ofUtf8("uid=carl"))
        .isEqualTo(other.differing(one));
  }

  @Test
  void rejectsAMalformedEntry() {
    assertThatExceptionOfType(LdapProtocolException.class)
        .isThrownBy(() -> ResponseContents.of(0, List.of(new byte[] {0x64, 0x01})));
  }

  /** An entry of attributes written as {@code description: value|value}. */
  private static byte[] entry(String dn, String... attributes) {
    List<byte[]> encoded =
        Arrays.stream(attributes)
            .map(line -> line.split(": ?", 2))
            .map(
                pair ->
                    SearchEntry.encodeAttribute(
                        pair[0].getBytes(UTF_8),
                        Arrays.stream(pair[1].split("\\|"))
                            .map(value -> value.getBytes(UTF_8))
                            .toList()))
            .toList();
    return SearchEntry.encode(dn.getBytes(UTF_8), encoded);
  }
}
