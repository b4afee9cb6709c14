// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.stoa.ldap.protocol.RequestOp.AbandonOp;
import io.stoa.ldap.protocol.RequestOp.AddOp;
import io.stoa.ldap.protocol.RequestOp.BindAuthentication;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.ldap.protocol.RequestOp.CompareOp;
import io.stoa.ldap.protocol.RequestOp.DeleteOp;
import io.stoa.ldap.protocol.RequestOp.ExtendedOp;
import io.stoa.ldap.protocol.RequestOp.ModifyDnOp;
import io.stoa.ldap.protocol.RequestOp.ModifyOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.protocol.RequestOp.UnbindOp;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Octet for octet; filters and controls have tests of their own. */
class RequestDecoderTest {
  private static final RequestDecoder DECODER = new RequestDecoder(() -> DecodeLimits.DEFAULTS);

  @Test
  void search() throws LdapProtocolException {
    String op =
        "63 1f 04 01 62 0a01 02 0a01 03 02 01 64 02 01 0a 01 01 ff 87 02 636e 30 07 04 02 736e 04"
            + " 01 2a";
    SearchOp search = (SearchOp) regular(op);
    assertThat(text(search.base())).isEqualTo("b");
    assertThat(search.scope()).isEqualTo(2);
    assertThat(search.derefAliases()).isEqualTo(3);
    assertThat(search.sizeLimit()).isEqualTo(100);
    assertThat(search.timeLimit()).isEqualTo(10);
    assertThat(search.typesOnly()).isTrue();
    assertThat(search.filter()).isInstanceOf(FilterNode.Present.class);
    assertThat(search.attributes()).extracting(RequestDecoderTest::text).containsExactly("sn", "*");
    assertThat(search.type()).isEqualTo(OpType.SEARCH_REQUEST);
  }

  /** What is no structure is for the directory to judge. */
  @Test
  void aSearchWithUnknownNumbersIsRegular() throws LdapProtocolException {
    String op = "63 15 04 00 0a01 63 0a01 ff 02 01 ff 02 01 80 01 01 05 87 00 30 00";
    SearchOp search = (SearchOp) regular(op);
    assertThat(search.scope()).isEqualTo(99);
    assertThat(search.derefAliases()).isEqualTo(-1);
    assertThat(search.sizeLimit()).isEqualTo(-1);
    assertThat(search.timeLimit()).isEqualTo(-128);
    assertThat(search.typesOnly()).isTrue();
    assertThat(search.attributes()).isEmpty();
  }

  @Test
  void compare() throws LdapProtocolException {
    CompareOp compare = (CompareOp) regular("6e 0c 04 01 65 30 07 04 02 736e 04 01 76");
    assertThat(text(compare.entry())).isEqualTo("e");
    assertThat(text(compare.attribute())).isEqualTo("sn");
    assertThat(text(compare.value())).isEqualTo("v");
  }

  @Test
  void simpleBind() throws LdapProtocolException {
    ByteBuf body = body("60 0d 02 01 03 04 02 636e 80 04 70617373");
    BindOp bind = (BindOp) DECODER.decode(OpType.BIND_REQUEST, body).op();
    assertThat(bind.version()).isEqualTo(3);
    assertThat(text(bind.name())).isEqualTo("cn");
    assertThat(bind.authentication()).isEqualTo(BindAuthentication.SIMPLE);
    assertThat(bind.authTag()).isEqualTo(0x80);
    assertThat(bind.saslMechanism()).isNull();
    assertThat(pointedAt(body, bind.credentialsOffset(), bind.credentialsLength()))
        .isEqualTo("pass");
  }

  @Test
  void anonymousBind() throws LdapProtocolException {
    BindOp bind = (BindOp) regular("60 07 02 01 03 04 00 80 00");
    assertThat(bind.name()).isEmpty();
    assertThat(bind.credentialsLength()).isZero();
  }

  @Test
  void saslBind() throws LdapProtocolException {
    ByteBuf body = body("60 12 02 01 03 04 00 a3 0b 04 05 504c41494e 04 02 0061");
    BindOp bind = (BindOp) DECODER.decode(OpType.BIND_REQUEST, body).op();
    assertThat(bind.authentication()).isEqualTo(BindAuthentication.SASL);
    assertThat(bind.authTag()).isEqualTo(0xA3);
    assertThat(bind.saslMechanism()).isEqualTo("PLAIN");
    assertThat(pointedAt(body, bind.credentialsOffset(), bind.credentialsLength()))
        .isEqualTo("\u0000a");
    BindOp without = (BindOp) regular("60 0e 02 01 03 04 00 a3 07 04 05 504c41494e");
    assertThat(without.credentialsLength()).isEqualTo(-1);
    assertThat(without.credentialsOffset()).isEqualTo(-1);
    assertThat(((BindOp) regular("60 09 02 01 03 04 00 a3 02 04 00")).saslMechanism()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"81, 129", "82, 130", "89, 137", "a4, 164"})
  void aBindWithAnUnknownChoiceIsOther(String tag, int number) throws LdapProtocolException {
    BindOp bind = (BindOp) regular("60 08 02 01 03 04 00" + tag + "01 61");
    assertThat(bind.authentication()).isEqualTo(BindAuthentication.OTHER);
    assertThat(bind.authTag()).isEqualTo(number);
  }

  /** slapd remembers the version for the connection, and ends it over controls below version 3. */
  @ParameterizedTest
  @ValueSource(strings = {"00", "01", "02", "04", "7f", "ff"})
  void bindOfAnotherVersionIsIrregular(String version) throws LdapProtocolException {
    Request request = decode("60 07 02 01" + version + "04 00 80 00");
    assertThat(request.irregular()).isTrue();
  }

  @Test
  void add() throws LdapProtocolException {
    String attributes = "30 10 30 07 04 01 61 31 02 04 00 30 05 04 01 62 31 00";
    assertThat(text(((AddOp) regular("68 15 04 01 65" + attributes)).entry())).isEqualTo("e");
    assertThat(((AddOp) regular("68 04 04 00 30 00")).entry()).isEmpty();
  }

  @Test
  void modify() throws LdapProtocolException {
    String changes =
        "30 20 30 0d 0a01 00 30 08 04 01 61 31 03 04 01 62 30 0f 0a01 63 30 0a 04 01 61 31 05 04 01"
            + " 62 04 00";
    assertThat(text(((ModifyOp) regular("66 25 04 01 65" + changes)).entry())).isEqualTo("e");
    assertThat(((ModifyOp) regular("66 04 04 00 30 00")).entry()).isEmpty();
  }

  @Test
  void delete() throws LdapProtocolException {
    assertThat(text(((DeleteOp) regular("4a 02 636e")).entry())).isEqualTo("cn");
    assertThat(((DeleteOp) regular("4a 00")).entry()).isEmpty();
  }

  @Test
  void modifyDn() throws LdapProtocolException {
    ModifyDnOp rename = (ModifyDnOp) regular("6c 09 04 01 65 04 01 72 01 01 ff");
    assertThat(text(rename.entry())).isEqualTo("e");
    assertThat(text(rename.newRdn())).isEqualTo("r");
    assertThat(rename.deleteOldRdn()).isTrue();
    assertThat(rename.newSuperior()).isNull();
    ModifyDnOp move = (ModifyDnOp) regular("6c 0b 04 01 65 04 01 72 01 01 00 80 00");
    assertThat(move.deleteOldRdn()).isFalse();
    assertThat(move.newSuperior()).isEmpty();
  }

  @Test
  void abandonAndUnbind() throws LdapProtocolException {
    assertThat(regular("50 01 05")).isEqualTo(new AbandonOp(5));
    assertThat(regular("50 04 7f ff ff ff")).isEqualTo(new AbandonOp(Integer.MAX_VALUE));
    assertThat(regular("50 01 ff")).isEqualTo(new AbandonOp(-1));
    assertThat(regular("42 00")).isEqualTo(new UnbindOp());
  }

  @Test
  void extended() throws LdapProtocolException {
    ByteBuf body = body("77 0a 80 05 312e322e33 81 01 76");
    ExtendedOp extended = (ExtendedOp) DECODER.decode(OpType.EXTENDED_REQUEST, body).op();
    assertThat(extended.oid()).isEqualTo("1.2.3");
    assertThat(pointedAt(body, extended.valueOffset(), extended.valueLength())).isEqualTo("v");
    assertThat(regular("77 07 80 05 312e322e33")).isEqualTo(new ExtendedOp("1.2.3", -1, -1));
    assertThat(((ExtendedOp) regular("77 04 80 00 81 00")).valueLength()).isZero();
  }

  /** RFC 4511, section 4: components behind the known ones are ignored. Servers get it wrong. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "60 0a 02 01 03 04 00 80 00 85 01 00",
        "60 0d 02 01 03 04 00 a3 06 04 00 04 00 85 00",
        "63 17 04 00 0a01 00 0a01 00 02 01 00 02 01 00 01 01 00 87 00 30 00 a0 00",
        "63 1b 04 00 0a01 00 0a01 00 02 01 00 02 01 00 01 01 00 a3 06 04 00 04 00 85 00 30 00",
        "6e 0a 04 00 30 06 04 00 04 00 85 00",
        "6e 0a 04 00 30 04 04 00 04 00 85 00",
        "68 06 04 00 30 00 04 00",
        "68 0c 04 00 30 08 30 06 04 00 31 00 04 00",
        "66 06 04 00 30 00 85 00",
        "66 11 04 00 30 0d 30 0b 0a01 00 30 04 04 00 31 00 85 00",
        "6c 09 04 00 04 00 01 01 00 a0 00",
        "6c 0b 04 00 04 00 01 01 00 80 00 80 00",
        "77 04 80 00 82 00",
        "77 08 80 00 81 00 9f 81 01 00"
      })
  void unknownComponentsAreAcceptedAndMakeTheRequestIrregular(String op)
      throws LdapProtocolException {
    assertThat(decode(op).irregular()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // no octets, other octets, half an element
        "60 00",
        "63 00",
        "6e 02 04 00",
        "68 02 04 00",
        "66 02 04 00",
        "6c 04 04 00 04 00",
        "77 00",
        "50 00",
        "42 01 00",
        "50 05 00 00 00 00 01",
        // another tag than the one that is due
        "60 07 0a 01 03 04 00 80 00",
        "60 07 02 01 03 0c 00 80 00",
        "60 05 02 01 03 04 00",
        "60 08 02 01 03 04 00 9f 01 00",
        "6e 08 04 00 31 04 04 00 04 00",
        "68 04 04 00 31 00",
        "68 0a 04 00 30 06 30 04 04 00 30 00",
        "68 0c 04 00 30 08 30 06 04 00 31 02 0c 00",
        "66 0d 04 00 30 09 30 07 02 01 00 30 02 04 00",
        "6c 07 04 00 04 00 02 01 00",
        "77 02 04 00",
        // constructed strings
        "60 07 02 01 03 24 00 80 00",
        "6e 08 04 00 30 04 24 00 04 00",
        // elements that reach beyond the one around them
        "6e 08 04 00 30 05 04 00 04 00",
        "6e 08 04 00 30 04 04 00 04 01",
        "77 03 80 02 31",
        // BOOLEAN of two octets, INTEGER of none and of five
        "6c 08 04 00 04 00 01 02 00 00",
        "60 06 02 00 04 00 80 00",
        "60 0b 02 05 00 00 00 00 03 04 00 80 00",
        // something between the components that is not BER
        "77 03 80 00 82",
        "60 09 02 01 03 04 00 80 00 85 01",
        // behind the operation something else than controls
        "4a 00 04 00",
        "4a 00 a0 00 00"
      })
  void refuses(String body) {
    assertThat(refusal(body)).isEqualTo(ProtocolError.MALFORMED_REQUEST);
  }

  @ParameterizedTest
  @ValueSource(strings = {"6e 80 04 00 30 04 04 00 04 00 00 00", "6e 08 04 00 30 80 04 00 00 00"})
  void refusesIndefiniteLengths(String body) {
    assertThat(refusal(body)).isEqualTo(ProtocolError.INDEFINITE_LENGTH);
  }

  @ParameterizedTest
  @EnumSource(names = ".*_(RESPONSE|ENTRY|DONE|REFERENCE)", mode = EnumSource.Mode.MATCH_ALL)
  void refusesResponses(OpType type) {
    assertThatExceptionOfType(LdapProtocolException.class)
        .isThrownBy(() -> DECODER.decode(type, body("00")))
        .extracting(LdapProtocolException::reason)
        .isEqualTo(ProtocolError.UNKNOWN_OPERATION);
  }

  @Test
  void limitsTheAttributeList() throws LdapProtocolException {
    RequestDecoder two = new RequestDecoder(() -> new DecodeLimits(1, 1, 2, 1));
    String head = "04 00 0a01 00 0a01 00 02 01 00 02 01 00 01 01 00 87 00";
    two.decode(OpType.SEARCH_REQUEST, body("63 19" + head + "30 04 04 00 04 00"));
    ByteBuf three = body("63 1b" + head + "30 06 04 00 04 00 04 00");
    assertThatExceptionOfType(LdapProtocolException.class)
        .isThrownBy(() -> two.decode(OpType.SEARCH_REQUEST, three))
        .extracting(LdapProtocolException::reason)
        .isEqualTo(ProtocolError.TOO_MANY_ELEMENTS);
  }

  @Test
  void decodingDoesNotConsumeTheMessage() throws LdapProtocolException {
    LdapMessage message = LdapMessage.parse(Hex.buffer("30 07 02 01 05 4a 02 61 62"));
    ByteBuf body = message.body();
    int index = body.readerIndex();
    assertThat(DECODER.decode(message).op()).isInstanceOf(DeleteOp.class);
    assertThat(body.readerIndex()).isEqualTo(index);
    assertThat(body.refCnt()).isEqualTo(1);
  }

  @Test
  void invalidLimitsAreRefused() {
    for (List<Integer> wrong :
        List.of(List.of(0, 1), List.of(1001, 1), List.of(1, 0), List.of(-1, 1))) {
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> new DecodeLimits(wrong.get(0), wrong.get(1), 1, 1));
    }
  }

  private static RequestOp regular(String body) throws LdapProtocolException {
    Request request = decode(body);
    assertThat(request.irregular()).isFalse();
    assertThat(request.controls()).isEmpty();
    assertThat(request.type()).isEqualTo(OpType.ofTag(Hex.octets(body)[0] & 0xFF));
    return request.op();
  }

  private static Request decode(String body) throws LdapProtocolException {
    return DECODER.decode(type(body), body(body));
  }

  private static ProtocolError refusal(String body) {
    try {
      throw new AssertionError(decode(body).toString());
    } catch (LdapProtocolException e) {
      return e.reason();
    }
  }

  private static OpType type(String body) {
    OpType type = OpType.ofTag(Hex.octets(body)[0] & 0xFF);
    assertThat(type).isNotNull();
    return type;
  }

  /** Not at the beginning of its buffer, as in a message. */
  private static ByteBuf body(String octets) {
    return Hex.buffer("00 00 00" + octets).readerIndex(3);
  }

  private static String pointedAt(ByteBuf body, int offset, int length) {
    return text(ByteBufUtil.getBytes(body, body.readerIndex() + offset, length));
  }

  private static String text(byte[] octets) {
    return new String(octets, StandardCharsets.UTF_8);
  }
}
