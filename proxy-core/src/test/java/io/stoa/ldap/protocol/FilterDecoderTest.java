// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.unboundid.asn1.ASN1Element;
import io.stoa.ldap.protocol.FilterNode.And;
import io.stoa.ldap.protocol.FilterNode.Approximate;
import io.stoa.ldap.protocol.FilterNode.Equality;
import io.stoa.ldap.protocol.FilterNode.Extensible;
import io.stoa.ldap.protocol.FilterNode.GreaterOrEqual;
import io.stoa.ldap.protocol.FilterNode.LessOrEqual;
import io.stoa.ldap.protocol.FilterNode.Not;
import io.stoa.ldap.protocol.FilterNode.Or;
import io.stoa.ldap.protocol.FilterNode.Present;
import io.stoa.ldap.protocol.FilterNode.Substrings;
import io.stoa.ldap.protocol.FilterNode.Unknown;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FilterDecoderTest {

  @Test
  void assertions() throws LdapProtocolException {
    Equality equality = (Equality) regular("a3 07 04 02 636e 04 01 76");
    assertThat(text(equality.attribute())).isEqualTo("cn");
    assertThat(text(equality.value())).isEqualTo("v");
    assertThat(regular("a5 04 04 00 04 00")).isInstanceOf(GreaterOrEqual.class);
    assertThat(regular("a6 04 04 00 04 00")).isInstanceOf(LessOrEqual.class);
    assertThat(regular("a8 04 04 00 04 00")).isInstanceOf(Approximate.class);
    assertThat(text(((Present) regular("87 02 636e")).attribute())).isEqualTo("cn");
  }

  @Test
  void absoluteFilters() throws LdapProtocolException {
    assertThat(((And) regular("a0 00")).members()).isEmpty();
    assertThat(((Or) regular("a1 00")).members()).isEmpty();
    assertThat(((Not) regular("a2 02 a1 00")).member()).isInstanceOf(Or.class);
  }

  @Test
  void membersKeepTheirOrder() throws LdapProtocolException {
    And and = (And) regular("a0 0f 87 01 61 a1 05 87 00 87 01 62 a2 03 87 01 63");
    assertThat(and.members()).hasSize(3);
    assertThat(and.members().get(0)).isInstanceOf(Present.class);
    assertThat(((Or) and.members().get(1)).members()).hasSize(2);
    assertThat(and.members().get(2)).isInstanceOf(Not.class);
  }

  @Test
  void substrings() throws LdapProtocolException {
    Substrings all =
        (Substrings) regular("a4 12 04 02 636e 30 0c 80 01 61 81 01 62 81 01 63 82 01 64");
    assertThat(text(all.attribute())).isEqualTo("cn");
    assertThat(all.initial()).asString().isEqualTo("a");
    assertThat(all.any()).extracting(FilterDecoderTest::text).containsExactly("b", "c");
    assertThat(all.last()).asString().isEqualTo("d");
    Substrings any = (Substrings) regular("a4 07 04 00 30 03 81 01 62");
    assertThat(any.initial()).isNull();
    assertThat(any.last()).isNull();
    Substrings ends = (Substrings) regular("a4 0a 04 00 30 06 80 01 61 82 01 62");
    assertThat(ends.any()).isEmpty();
    assertThat(((Substrings) regular("a4 09 04 00 30 05 80 01 61 82 00")).last()).isEmpty();
  }

  /** slapd stops at the empty part and reads the next one as something else. */
  @ParameterizedTest
  @ValueSource(
      strings = {"a4 09 04 00 30 05 80 00 81 01 61", "a4 0c 04 00 30 08 80 01 61 81 00 82 01 61"})
  void anEmptyPartBeforeAnotherIsIrregular(String filter) throws LdapProtocolException {
    Decoded decoded = decode(filter);
    assertThat(decoded.node).isInstanceOf(Substrings.class);
    assertThat(decoded.irregular).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a4 04 04 00 30 00",
        "a4 0a 04 00 30 06 82 01 61 80 01 62",
        "a4 0a 04 00 30 06 81 01 61 80 01 62",
        "a4 0a 04 00 30 06 80 01 61 80 01 62",
        "a4 0a 04 00 30 06 82 01 61 82 01 62",
        "a4 0a 04 00 30 06 82 01 61 81 01 62",
        "a4 07 04 00 30 03 83 01 61",
        "a4 0a 04 00 30 06 83 01 61 81 01 61",
        "a4 08 04 00 30 04 9f 81 01 00",
        "aa 00",
        "8a 01 61",
        "83 00",
        "a7 02 04 00",
        "bf 81 01 01 00"
      })
  void anUndefinedFilterIsKeptVerbatimAndIrregular(String filter) throws LdapProtocolException {
    Decoded decoded = decode(filter);
    assertThat(decoded.irregular).isTrue();
    assertThat(((Unknown) decoded.node).octets()).isEqualTo(Hex.octets(filter));
  }

  @Test
  void extensible() throws LdapProtocolException {
    Extensible all = (Extensible) regular("a9 0c 81 01 31 82 01 61 83 01 76 84 01 ff");
    assertThat(all.rule()).asString().isEqualTo("1");
    assertThat(all.attribute()).asString().isEqualTo("a");
    assertThat(text(all.value())).isEqualTo("v");
    assertThat(all.dnAttributes()).isTrue();
    Extensible least = (Extensible) regular("a9 02 83 00");
    assertThat(least.rule()).isNull();
    assertThat(least.attribute()).isNull();
    assertThat(least.dnAttributes()).isFalse();
    assertThat(((Extensible) regular("a9 05 83 00 84 01 00")).dnAttributes()).isFalse();
    assertThat(decode("a9 04 83 00 85 00").irregular).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "''",
        "a3 00",
        "a3 02 04 00",
        "a3 04 04 00 0c 00",
        "a3 05 04 00 04 00 04",
        "a4 02 04 00",
        "a4 04 04 00 31 00",
        "a4 06 04 00 30 02 81 01",
        "a4 05 04 00 30 01 81",
        "87 01",
        "a9 00",
        "a9 02 81 00",
        "a9 04 82 00 81 00",
        "a9 06 83 00 84 02 00 00",
        "a2 00",
        "a2 04 87 00 87 00",
        "a0 01 87",
        "a0 03 87 01",
        "30 00",
        "04 00",
        "63 00",
        "aa 01",
        "bf 81"
      })
  void refuses(String filter) {
    assertThat(refusal(filter.replace("'", ""), DecodeLimits.DEFAULTS))
        .isEqualTo(ProtocolError.MALFORMED_REQUEST);
  }

  @ParameterizedTest
  @CsvSource({"1, 2", "100, 101", "100, 50000", "1000, 1001"})
  void theNestingIsLimited(int limit, int depth) throws LdapProtocolException {
    DecodeLimits limits = new DecodeLimits(limit, 100_000, 1, 1);
    FilterNode node = decoder(nested(limit), limits).decode();
    int found = 0;
    for (; node instanceof Not not; found++) {
      node = not.member();
    }
    assertThat(found).isEqualTo(limit);
    assertThatExceptionOfType(LdapProtocolException.class)
        .isThrownBy(() -> decoder(nested(depth), limits).decode())
        .extracting(LdapProtocolException::reason)
        .isEqualTo(ProtocolError.FILTER_TOO_DEEP);
  }

  @Test
  void theNumberOfNodesIsLimited() throws LdapProtocolException {
    DecodeLimits limits = new DecodeLimits(1, 4, 1, 1);
    decoder(Hex.octets("a1 06 87 00 87 00 87 00"), limits).decode();
    assertThat(refusal("a1 08 87 00 87 00 87 00 87 00", limits))
        .isEqualTo(ProtocolError.TOO_MANY_ELEMENTS);
    assertThat(refusal("a4 10 04 00 30 0c 81 01 61 81 01 61 81 01 61 81 01 61", limits))
        .isEqualTo(ProtocolError.TOO_MANY_ELEMENTS);
  }

  @Test
  void aSetOfHundredThousandMembersIsDecoded() throws LdapProtocolException {
    byte[] members = new byte[99_999 * 2];
    for (int index = 0; index < members.length; index += 2) {
      members[index] = (byte) 0x87;
    }
    byte[] filter = new ASN1Element((byte) 0xA1, members).encode();
    Or or = (Or) decoder(filter, DecodeLimits.DEFAULTS).decode();
    assertThat(or.members()).hasSize(99_999);
  }

  private static FilterNode regular(String filter) throws LdapProtocolException {
    Decoded decoded = decode(filter);
    assertThat(decoded.irregular).isFalse();
    return decoded.node;
  }

  private record Decoded(FilterNode node, boolean irregular) {}

  private static Decoded decode(String filter) throws LdapProtocolException {
    BerReader reader = new BerReader(Hex.octets(filter), ProtocolError.MALFORMED_REQUEST);
    FilterDecoder decoder = new FilterDecoder(reader, DecodeLimits.DEFAULTS);
    FilterNode node = decoder.decode();
    assertThat(reader.hasMore()).isFalse();
    return new Decoded(node, decoder.isIrregular() || reader.sawUnknownElements());
  }

  private static FilterDecoder decoder(byte[] filter, DecodeLimits limits) {
    return new FilterDecoder(new BerReader(filter, ProtocolError.MALFORMED_REQUEST), limits);
  }

  private static ProtocolError refusal(String filter, DecodeLimits limits) {
    try {
      throw new AssertionError(decoder(Hex.octets(filter), limits).decode());
    } catch (LdapProtocolException e) {
      return e.reason();
    }
  }

  /** An item with so many negations around it. */
  private static byte[] nested(int depth) {
    byte[] octets = new byte[8 * depth + 2];
    int index = octets.length - 2;
    octets[index] = (byte) 0x87;
    for (int level = 0; level < depth; level++) {
      int length = octets.length - index;
      index -= 1 + BerWriter.lengthSize(length);
      octets[index] = (byte) 0xA2;
      BerWriter.writeLength(octets, index + 1, length);
    }
    return Arrays.copyOfRange(octets, index, octets.length);
  }

  private static String text(byte[] octets) {
    return new String(octets, StandardCharsets.UTF_8);
  }
}
