// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.protocol.SearchResultDoneProtocolOp;
import com.unboundid.ldap.protocol.UnbindRequestProtocolOp;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.controls.AssertionRequestControl;
import com.unboundid.ldap.sdk.controls.MatchedValuesFilter;
import com.unboundid.ldap.sdk.controls.MatchedValuesRequestControl;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ControlTest {
  private static final RequestDecoder DECODER = new RequestDecoder(() -> DecodeLimits.DEFAULTS);

  @Test
  void anAbsentValueDiffersFromAnEmptyOne() throws LdapProtocolException {
    assertThat(decode("a0 00").controls()).isEmpty();
    assertThat(decode("a0 05 30 03 04 01 31").controls())
        .containsExactly(new Control("1", false, null));
    assertThat(decode("a0 07 30 05 04 01 31 04 00").controls())
        .containsExactly(new Control("1", false, new byte[0]));
    assertThat(new Control("1", false, null)).isNotEqualTo(new Control("1", false, new byte[0]));
  }

  @Test
  void criticalityHasADefault() throws LdapProtocolException {
    assertThat(decode("a0 0a 30 08 04 01 31 01 01 00 04 00").controls())
        .containsExactly(new Control("1", false, new byte[0]));
    assertThat(decode("a0 08 30 06 04 01 31 01 01 01").controls())
        .containsExactly(new Control("1", true, null));
  }

  @Test
  void orderAndDuplicatesAreKept() throws LdapProtocolException {
    assertThat(decode("a0 0f 30 03 04 01 32 30 03 04 01 31 30 03 04 01 32").controls())
        .extracting(Control::oid)
        .containsExactly("2", "1", "2");
  }

  /** Octets that are no text stay apart. */
  @Test
  void everyOctetOfAnOidCounts() throws LdapProtocolException {
    Control one = decode("a0 05 30 03 04 01 fe").controls().get(0);
    Control other = decode("a0 05 30 03 04 01 ff").controls().get(0);
    assertThat(one).isNotEqualTo(other);
    assertThat(decode("a0 04 30 02 04 00").controls().get(0).oid()).isEmpty();
  }

  @Test
  void equalityIsByContent() {
    Control control = new Control("1", true, Hex.octets("01"));
    assertThat(control)
        .isEqualTo(new Control("1", true, Hex.octets("01")))
        .hasSameHashCodeAs(new Control("1", true, Hex.octets("01")))
        .isNotEqualTo(new Control("1", true, Hex.octets("02")))
        .isNotEqualTo(new Control("1", false, Hex.octets("01")))
        .isNotEqualTo(new Control("2", true, Hex.octets("01")))
        .hasToString("Control[1 critical]");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a0 02 04 00",
        "a0 02 31 00",
        "a0 02 30 00",
        "a0 04 30 02 01 00",
        "a0 06 30 04 04 00 01 00",
        "a0 08 30 06 04 00 01 02 00 00",
        "a0 05 30 03 04 00 04",
        "a0 03 30 03 04",
        "a0 05 30 02 04 00 00",
        "a3 00",
        "a0 00 a0 00"
      })
  void refuses(String controls) {
    assertThatExceptionOfType(LdapProtocolException.class)
        .isThrownBy(() -> decode(controls))
        .extracting(LdapProtocolException::reason)
        .isEqualTo(ProtocolError.MALFORMED_REQUEST);
  }

  @Test
  void unknownComponentsMakeTheRequestIrregular() throws LdapProtocolException {
    assertThat(decode("a0 06 30 04 04 00 0a 00").irregular()).isTrue();
    assertThat(decode("a0 08 30 06 04 00 04 00 04 00").irregular()).isTrue();
  }

  @Test
  void theNumberOfControlsIsLimited() throws LdapProtocolException {
    com.unboundid.ldap.sdk.Control[] thousand =
        IntStream.range(0, 1000)
            .mapToObj(number -> new com.unboundid.ldap.sdk.Control("1." + number))
            .toArray(com.unboundid.ldap.sdk.Control[]::new);
    byte[] frame = SampleMessages.encode(1, new UnbindRequestProtocolOp(), thousand);
    LdapMessage message = LdapMessage.parse(Unpooled.wrappedBuffer(frame));
    assertThat(DECODER.decode(message).controls()).hasSize(1000);
    RequestDecoder fewer = new RequestDecoder(() -> new DecodeLimits(1, 1, 1, 999));
    assertThatExceptionOfType(LdapProtocolException.class)
        .isThrownBy(() -> fewer.decode(message))
        .extracting(LdapProtocolException::reason)
        .isEqualTo(ProtocolError.TOO_MANY_ELEMENTS);
  }

  /** slapd ends the connection if it cannot read the filter in a control. */
  @Test
  void malformedFiltersInControlsAreIrregular() throws Exception {
    Filter filter = Filter.create("(&(cn=a)(!(sn=b*c)))");
    MatchedValuesFilter item = MatchedValuesFilter.createEqualityFilter("cn", "a");
    assertThat(irregular(new AssertionRequestControl(filter))).isFalse();
    assertThat(irregular(new MatchedValuesRequestControl(item, item))).isFalse();
    for (String oid : List.of(Oids.ASSERTION, Oids.MATCHED_VALUES)) {
      assertThat(irregular(control(oid, ""))).isFalse();
      assertThat(irregular(new com.unboundid.ldap.sdk.Control(oid, true))).isFalse();
      assertThat(irregular(control(oid, "a3"))).isTrue();
      assertThat(irregular(control(oid, "a3 02 04 00"))).isTrue();
      assertThat(irregular(control(oid, "ff"))).isTrue();
    }
    assertThat(irregular(control(Oids.ASSERTION, "87 00 00"))).isTrue();
    assertThat(irregular(control(Oids.ASSERTION, "8a 00"))).isTrue();
    assertThat(irregular(control(Oids.MATCHED_VALUES, "30 02 87 00 04 00"))).isTrue();
    assertThat(irregular(control(Oids.MATCHED_VALUES, "30 02 87 01"))).isTrue();
    assertThat(irregular(control("1.2.3", "ff"))).isFalse();
  }

  @Test
  void responseControls() throws LdapProtocolException {
    SearchResultDoneProtocolOp done = new SearchResultDoneProtocolOp(0, null, null, null);
    SimplePagedResultsControl paged =
        new SimplePagedResultsControl(0, new ASN1OctetString("next"), false);
    byte[] frame = SampleMessages.encode(1, done, paged);
    LdapMessage response = LdapMessage.parse(Unpooled.wrappedBuffer(frame));
    assertThat(ResponseControls.decode(response))
        .containsExactly(new Control(Oids.PAGED, false, paged.getValue().getValue()));
    byte[] without = SampleMessages.encode(1, done);
    assertThat(ResponseControls.decode(LdapMessage.parse(Unpooled.wrappedBuffer(without))))
        .isEmpty();
  }

  @Test
  void malformedResponseControlsAreRefused() throws LdapProtocolException {
    LdapMessage response =
        LdapMessage.parse(Hex.buffer("30 10 02 01 01 65 07 0a 01 00 04 00 04 00 a0 02 04 00"));
    assertThatExceptionOfType(LdapProtocolException.class)
        .isThrownBy(() -> ResponseControls.decode(response))
        .extracting(LdapProtocolException::reason)
        .isEqualTo(ProtocolError.MALFORMED_RESPONSE);
  }

  private static Request decode(String controls) throws LdapProtocolException {
    return DECODER.decode(OpType.UNBIND_REQUEST, Hex.buffer("42 00" + controls));
  }

  private static com.unboundid.ldap.sdk.Control control(String oid, String value) {
    return new com.unboundid.ldap.sdk.Control(oid, true, new ASN1OctetString(Hex.octets(value)));
  }

  private static boolean irregular(com.unboundid.ldap.sdk.Control control)
      throws LdapProtocolException {
    byte[] frame = SampleMessages.encode(1, new UnbindRequestProtocolOp(), control);
    return DECODER.decode(LdapMessage.parse(Unpooled.wrappedBuffer(frame))).irregular();
  }
}
