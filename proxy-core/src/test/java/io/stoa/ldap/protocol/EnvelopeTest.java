// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.UnbindRequestProtocolOp;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EnvelopeTest {

  @ParameterizedTest
  @CsvSource({
    "0, 30 05 02 01 00 42 00",
    "1, 30 05 02 01 01 42 00",
    "127, 30 05 02 01 7f 42 00",
    "128, 30 06 02 02 00 80 42 00",
    "255, 30 06 02 02 00 ff 42 00",
    "32767, 30 06 02 02 7f ff 42 00",
    "32768, 30 07 02 03 00 80 00 42 00",
    "8388607, 30 07 02 03 7f ff ff 42 00",
    "8388608, 30 08 02 04 00 80 00 00 42 00",
    "16777216, 30 08 02 04 01 00 00 00 42 00",
    "2147483647, 30 08 02 04 7f ff ff ff 42 00"
  })
  void idsTakeTheFewestOctets(int id, String message) {
    byte[] expected = Hex.octets(message);
    ByteBuf out = Unpooled.buffer();
    Envelope.write(out, id, Hex.octets("42 00"));
    assertThat(ByteBufUtil.getBytes(out)).isEqualTo(expected);
    assertThat(Envelope.size(id, 2)).isEqualTo(expected.length);
    assertThat(new LDAPMessage(id, new UnbindRequestProtocolOp()).encode().encode())
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 120, 121, 122, 123, 124, 250, 251, 252, 253, 65530, 65536, 16777216})
  void lengthsTakeTheFewestOctets(int bodyLength) throws LdapProtocolException {
    for (int id : List.of(1, 0x01000000)) {
      byte[] body = new byte[bodyLength];
      ByteBuf out = Unpooled.buffer();
      Envelope.write(out, id, body);
      assertThat(out.readableBytes()).isEqualTo(Envelope.size(id, bodyLength));

      ByteBuf header = Unpooled.buffer();
      Envelope.writeHeader(header, id, bodyLength);
      assertThat(out.readerIndex(header.readableBytes()).readableBytes()).isEqualTo(bodyLength);
      byte[] whole = ByteBufUtil.getBytes(out, 0, out.writerIndex());
      assertThat(ByteBufUtil.getBytes(header))
          .isEqualTo(Arrays.copyOf(whole, header.readableBytes()));
      int lengthOctets = BerReader.lengthOctets(BerReader.header(out, 1, out.writerIndex()));
      assertThat(lengthOctets).isEqualTo(BerWriter.lengthSize(whole.length - 1 - lengthOctets));
    }
  }

  @Test
  void copiesTheReadablePartWithoutMovingIndices() {
    ByteBuf body = Hex.buffer("ff 42 00 ff").readerIndex(1).writerIndex(3);
    ByteBuf out = Unpooled.directBuffer(1, 1000);
    Envelope.write(out, 5, body);
    Envelope.write(out, 6, body);
    assertThat(ByteBufUtil.hexDump(out)).isEqualTo("300502010542003005020106" + "4200");
    assertThat(body.readerIndex()).isEqualTo(1);
    assertThat(body.writerIndex()).isEqualTo(3);
    out.release();
  }

  @Test
  void writesTheSameOctetsAsTheSdk() throws LdapProtocolException {
    for (LDAPMessage message : new SampleMessages(11).requests(2000).toList()) {
      byte[] frame = message.encode().encode();
      LdapMessage parsed = LdapMessage.parse(Unpooled.wrappedBuffer(frame));
      ByteBuf out = Unpooled.buffer();
      Envelope.write(out, message.getMessageID(), parsed.body());
      assertThat(ByteBufUtil.getBytes(out)).isEqualTo(frame);
    }
  }
}
