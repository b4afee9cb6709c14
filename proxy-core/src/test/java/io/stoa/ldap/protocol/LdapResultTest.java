// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1StreamReader;
import com.unboundid.ldap.protocol.ExtendedResponseProtocolOp;
import com.unboundid.ldap.protocol.LDAPMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class LdapResultTest {

  @Test
  void octets() {
    assertThat(LdapResult.encode(OpType.SEARCH_RESULT_DONE, 0, "").op())
        .isEqualTo(Hex.octets("65 07 0a 01 00 04 00 04 00"));
    assertThat(LdapResult.encode(OpType.ADD_RESPONSE, 4096, "\u00e9").op())
        .isEqualTo(Hex.octets("69 0a 0a 02 10 00 04 00 04 02 c3a9"));
  }

  @ParameterizedTest
  @EnumSource(
      names = {"BIND_RESPONSE", "SEARCH_RESULT_DONE", "COMPARE_RESPONSE", "EXTENDED_RESPONSE"})
  void theSdkUnderstandsIt(OpType type) throws Exception {
    LdapResult result = new LdapResult(32, utf8("dc=\u00e9"), utf8("no such \u00e9ntry"));
    LDAPMessage message = sdk(7, result.encode(type).op());
    assertThat(message.getMessageID()).isEqualTo(7);
    assertThat(message.getProtocolOpType() & 0xFF).isEqualTo(type.tag());
    assertThat(message.getProtocolOp().toString())
        .contains("resultCode=32", "dc=\u00e9", "no such \u00e9ntry");
  }

  @Test
  void noticeOfDisconnection() throws Exception {
    byte[] notice = LdapResult.noticeOfDisconnection(2, "malformed request");
    ExtendedResponseProtocolOp op = sdk(0, notice).getExtendedResponseProtocolOp();
    assertThat(op.getResponseOID()).isEqualTo("1.3.6.1.4.1.1466.20036");
    assertThat(op.getResultCode()).isEqualTo(2);
    assertThat(op.getDiagnosticMessage()).isEqualTo("malformed request");
    assertThat(op.getResponseValue()).isNull();
    assertThat(LdapResult.codeOf(notice)).isEqualTo(2);
  }

  @Test
  void readsResultsOfTheSdk() throws LdapProtocolException {
    for (LDAPMessage message : new SampleMessages(31).responses(2200).toList()) {
      byte[] frame = message.encode().encode();
      for (byte[] octets : List.of(frame, LongFormLengths.fourOctets(frame))) {
        LdapMessage response = LdapMessage.parse(Unpooled.wrappedBuffer(octets));
        int code = LdapResult.codeOf(response.body());
        assertThat(code).isEqualTo(LdapResult.codeOf(response.copyOp()));
        if (response.type().isFinalResponse()) {
          assertThat(message.getProtocolOp().toString()).contains("resultCode=" + code);
        } else {
          assertThat(code).isEqualTo(-1);
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'', -1",
    "65, -1",
    "65 00, -1",
    "65 03 0a 01 00, 0",
    "65 02 0a 01, -1",
    "65 03 02 01 00, -1",
    "65 03 0a 01 ff, -1",
    "65 80 0a 01 00 00 00, -1",
    "63 03 0a 01 00, -1",
    "64 03 0a 01 00, -1",
    "7f 03 0a 01 00, -1",
    "65 84 00 00 00 05 0a 81 02 10 00, 4096"
  })
  void reportsTheCodeOfADamagedResult(String op, int code) {
    ByteBuf body = Hex.buffer("00" + op).readerIndex(1);
    assertThat(LdapResult.codeOf(body)).isEqualTo(code);
    assertThat(LdapResult.codeOf(Hex.octets(op))).isEqualTo(code);
    assertThat(body.readerIndex()).isEqualTo(1);
  }

  private static LDAPMessage sdk(int id, byte[] op) throws Exception {
    ByteBuf frame = Unpooled.buffer();
    Envelope.write(frame, id, op);
    ByteArrayInputStream in =
        new ByteArrayInputStream(frame.array(), frame.readerIndex(), frame.readableBytes());
    try (ASN1StreamReader reader = new ASN1StreamReader(in)) {
      return LDAPMessage.readFrom(reader, false);
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
