// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.unboundid.ldap.protocol.SearchResultEntryProtocolOp;
import com.unboundid.ldap.sdk.Attribute;
import io.netty.buffer.Unpooled;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SearchEntryTest {
  private static final String CN = "30 0b 04 02 636e 31 05 04 01 61 04 00";
  private static final String SN = "30 06 04 02 736e 31 00";

  @Test
  void parse() throws LdapProtocolException {
    SearchEntry entry = SearchEntry.parse(Hex.octets("64 1a 04 01 64 30 15" + CN + SN));
    assertThat(entry.dn()).asString().isEqualTo("d");
    List<AttributeOctets> attributes = entry.attributes();
    assertThat(attributes)
        .extracting(attribute -> new String(attribute.type(), StandardCharsets.UTF_8))
        .containsExactly("cn", "sn");
    assertThat(attributes.get(0).encoded()).isEqualTo(Hex.octets(CN));
    assertThat(attributes.get(0).values()).containsExactly(Hex.octets("61"), new byte[0]);
    assertThat(attributes.get(1).encoded()).isEqualTo(Hex.octets(SN));
    assertThat(attributes.get(1).values()).isEmpty();
  }

  @Test
  void encode() {
    assertThat(SearchEntry.encode(new byte[0], List.of()))
        .isEqualTo(Hex.octets("64 04 04 00 30 00"));
    assertThat(SearchEntry.encode(Hex.octets("64"), List.of(Hex.octets(SN), Hex.octets(CN))))
        .isEqualTo(Hex.octets("64 1a 04 01 64 30 15" + SN + CN));
  }

  /** Taken apart and put together again it is what the SDK wrote, whatever the sizes are. */
  @Test
  void theSdkSeesTheSameEntryAgain() throws LdapProtocolException {
    for (int size : new int[] {0, 1, 100, 121, 122, 127, 128, 250, 256, 65_500, 65_536, 70_000}) {
      for (int count : new int[] {0, 1, 2, 40}) {
        Attribute[] attributes = new Attribute[count];
        for (int index = 0; index < count; index++) {
          attributes[index] = new Attribute("a" + index, new byte[size], new byte[index]);
        }
        byte[] op =
            op(
                new SearchResultEntryProtocolOp(
                    "cn=" + "\u00e9".repeat(count), List.of(attributes)));
        SearchEntry entry = SearchEntry.parse(op);
        assertThat(entry.attributes()).hasSize(count);
        assertThat(SearchEntry.encode(entry.dn(), encoded(entry))).isEqualTo(op);
      }
    }
  }

  @Test
  void longFormLengthsOfAttributesAreKept() throws LdapProtocolException {
    byte[] attribute = LongFormLengths.fourOctets(Hex.octets(CN));
    byte[] op = SearchEntry.encode(new byte[0], List.of(attribute));
    AttributeOctets found = SearchEntry.parse(op).attributes().get(0);
    assertThat(found.encoded()).isEqualTo(attribute);
    assertThat(found.values()).hasSize(2);
  }

  /** Nothing that could not be put together again, or was not looked at, may be taken apart. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "64 00",
        "64 02 04 00",
        "65 04 04 00 30 00",
        "64 04 04 00 31 00",
        "64 04 04 00 30 00 00",
        "64 04 04 00 30 00 04 00",
        "64 06 04 00 30 00 04 00",
        "64 08 04 00 30 04 30 02 04 00",
        "64 0a 04 00 30 06 30 04 04 00 30 00",
        "64 0c 04 00 30 08 30 06 04 00 31 02 0c 00",
        "64 0c 04 00 30 08 30 06 04 00 31 02 04 01",
        "64 0c 04 00 30 08 30 06 04 00 31 00 04 00",
        "64 05 04 00 30 01 30"
      })
  void refuses(String op) {
    assertThatExceptionOfType(LdapProtocolException.class)
        .isThrownBy(() -> SearchEntry.parse(Hex.octets(op)))
        .extracting(LdapProtocolException::reason)
        .isEqualTo(ProtocolError.MALFORMED_RESPONSE);
  }

  @Test
  void everyTruncationIsRefused() {
    byte[] op = SearchEntry.encode(Hex.octets("64"), List.of(Hex.octets(SN), Hex.octets(CN)));
    for (int length = 0; length < op.length; length++) {
      byte[] truncated = Arrays.copyOf(op, length);
      assertThatExceptionOfType(LdapProtocolException.class)
          .isThrownBy(() -> SearchEntry.parse(truncated));
    }
  }

  private static List<byte[]> encoded(SearchEntry entry) {
    return entry.attributes().stream().map(AttributeOctets::encoded).toList();
  }

  private static byte[] op(SearchResultEntryProtocolOp op) throws LdapProtocolException {
    byte[] frame = SampleMessages.encode(1, op);
    return LdapMessage.parse(Unpooled.wrappedBuffer(frame)).copyOp();
  }
}
