// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.unboundid.ldap.protocol.LDAPMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LdapMessageTest {

  @Test
  void findsTheBodyOfARequest() throws LdapProtocolException {
    ByteBuf frame = Hex.buffer("30 07 02 01 05 4a 02 61 62");
    LdapMessage message = LdapMessage.parse(frame);
    assertThat(message.messageId()).isEqualTo(5);
    assertThat(message.type()).isEqualTo(OpType.DELETE_REQUEST);
    assertThat(message.opLength()).isEqualTo(4);
    assertThat(message.hasControls()).isFalse();
    assertThat(ByteBufUtil.hexDump(message.body())).isEqualTo("4a026162");
    assertThat(message.copyBody()).isEqualTo(Hex.octets("4a 02 61 62")).isEqualTo(message.copyOp());
    assertThat(message).hasToString("LdapMessage[5 DELETE_REQUEST]");
    message.release();
    assertThat(frame.refCnt()).isZero();
  }

  @Test
  void separatesControlsFromTheOperation() throws LdapProtocolException {
    LdapMessage message = LdapMessage.parse(Hex.buffer("30 09 02 01 05 42 00 a0 02 30 00"));
    assertThat(message.opLength()).isEqualTo(2);
    assertThat(message.hasControls()).isTrue();
    assertThat(message.copyOp()).isEqualTo(Hex.octets("42 00"));
    assertThat(message.copyBody()).isEqualTo(Hex.octets("42 00 a0 02 30 00"));
  }

  @ParameterizedTest
  @CsvSource({
    "30 05 02 01 00 42 00, 0",
    "30 05 02 01 7f 42 00, 127",
    "30 06 02 02 00 80 42 00, 128",
    "30 08 02 04 7f ff ff ff 42 00, 2147483647",
    "30 08 02 04 00 00 00 01 42 00, 1",
    "30 84 00 00 00 05 02 01 09 42 00, 9",
    "30 81 06 02 81 01 09 42 00, 9",
    "30 83 00 00 0d 02 84 00 00 00 01 09 42 84 00 00 00 00, 9"
  })
  void acceptsEveryIdAndEveryLengthForm(String frame, int id) throws LdapProtocolException {
    LdapMessage message = LdapMessage.parse(Hex.buffer(frame));
    assertThat(message.messageId()).isEqualTo(id);
    assertThat(message.type()).isEqualTo(OpType.UNBIND_REQUEST);
    assertThat(message.opLength()).isEqualTo(message.body().readableBytes());
  }

  @ParameterizedTest
  @CsvSource({
    "'', BAD_ENVELOPE",
    "30, BAD_ENVELOPE",
    "30 00, BAD_ENVELOPE",
    "31 05 02 01 01 42 00, BAD_ENVELOPE",
    "30 04 02 01 01 42 00, BAD_ENVELOPE",
    "30 06 02 01 01 42 00, BAD_ENVELOPE",
    "30 80 02 01 01 42 00 00 00, INDEFINITE_LENGTH",
    "30 88 00 00 00 00 00 00 00 05 02 01 01 42 00, BAD_ENVELOPE",
    "30 03 02 01 01, BAD_ENVELOPE",
    "30 04 02 01 01 42, BAD_ENVELOPE",
    "30 05 02 06 01 42 00, BAD_ENVELOPE",
    "30 05 02 03 01 42 00, BAD_ENVELOPE",
    "30 04 02 00 42 00, BAD_MESSAGE_ID",
    "30 05 04 01 01 42 00, BAD_MESSAGE_ID",
    "30 05 02 01 ff 42 00, BAD_MESSAGE_ID",
    "30 08 02 04 80 00 00 00 42 00, BAD_MESSAGE_ID",
    "30 09 02 05 00 80 00 00 00 42 00, BAD_MESSAGE_ID",
    "30 09 02 05 00 00 00 00 01 42 00, BAD_MESSAGE_ID",
    "30 05 02 01 01 7f 00, UNKNOWN_OPERATION",
    "30 05 02 01 01 30 00, UNKNOWN_OPERATION",
    "30 05 02 01 01 6a 00, UNKNOWN_OPERATION",
    "30 05 02 01 01 42 01, BAD_ENVELOPE",
    "30 05 02 01 01 42 80, INDEFINITE_LENGTH",
    "30 06 02 01 01 42 00 00, BAD_ENVELOPE",
    "30 07 02 01 01 42 00 a0 01, BAD_ENVELOPE",
    "30 07 02 01 01 42 00 a1 01, BAD_ENVELOPE",
    "30 07 02 01 01 42 00 a1 80, INDEFINITE_LENGTH",
    "30 07 02 01 01 42 00 1f 81, BAD_ENVELOPE",
    "30 09 02 01 01 42 00 a1 00 a0 00, BAD_ENVELOPE",
    "30 07 02 01 01 42 00 a0 80, INDEFINITE_LENGTH",
    "30 09 02 01 01 42 00 a0 00 a0 00, BAD_ENVELOPE",
    "30 09 02 01 01 42 00 a0 00 04 01, BAD_ENVELOPE"
  })
  void refusesAndReleases(String octets, ProtocolError reason) {
    ByteBuf frame = Unpooled.buffer().writeBytes(Hex.octets(octets));
    assertThatExceptionOfType(LdapProtocolException.class)
        .isThrownBy(() -> LdapMessage.parse(frame))
        .extracting(LdapProtocolException::reason)
        .isEqualTo(reason);
    assertThat(frame.refCnt()).isZero();
  }

  /** RFC 4511, section 4. */
  @ParameterizedTest
  @CsvSource({
    "30 07 02 01 05 42 00 a1 00, 42 00",
    "30 08 02 01 05 42 00 04 01 78, 42 00",
    "30 0b 02 01 05 42 00 bf 81 01 02 05 00, 42 00",
    "30 0b 02 01 05 42 00 8a 00 a3 02 05 00, 42 00",
    "30 0b 02 01 05 42 00 a0 02 30 00 a1 00, 42 00 a0 02 30 00"
  })
  void ignoresTrailingElementsWithUnknownTags(String octets, String body)
      throws LdapProtocolException {
    LdapMessage message = LdapMessage.parse(Hex.buffer(octets));
    assertThat(message.messageId()).isEqualTo(5);
    assertThat(message.opLength()).isEqualTo(2);
    assertThat(message.copyBody()).isEqualTo(Hex.octets(body));
    assertThat(message.hasControls()).isEqualTo(body.length() > 5);
  }

  @Test
  void readsTheReadablePartOfTheFrame() throws LdapProtocolException {
    ByteBuf frame = Hex.buffer("ff 30 05 02 01 03 42 00 ff").readerIndex(1).writerIndex(8);
    LdapMessage message = LdapMessage.parse(frame);
    assertThat(message.messageId()).isEqualTo(3);
    assertThat(message.copyBody()).isEqualTo(Hex.octets("42 00"));
  }

  /** Every message of the SDK, with its own lengths and with longer ones. */
  @Test
  void parsesRequestsAndResponsesOfTheSdk() throws LdapProtocolException {
    List<LDAPMessage> all =
        Stream.concat(new SampleMessages(5).requests(2000), new SampleMessages(6).responses(2000))
            .toList();
    for (LDAPMessage expected : all) {
      byte[] frame = expected.encode().encode();
      for (byte[] octets : List.of(frame, LongFormLengths.fourOctets(frame))) {
        LdapMessage message = LdapMessage.parse(Unpooled.wrappedBuffer(octets));
        assertThat(message.messageId()).isEqualTo(expected.getMessageID());
        assertThat(message.type().tag()).isEqualTo(expected.getProtocolOpType() & 0xFF);
        assertThat(message.hasControls()).isEqualTo(!expected.getControls().isEmpty());
        message.release();
      }
    }
  }

  @Test
  void everyTruncationIsRefused() {
    for (LDAPMessage message : new SampleMessages(7).requests(110).toList()) {
      byte[] frame = message.encode().encode();
      for (int length = 0; length < Math.min(frame.length, 2000); length++) {
        ByteBuf truncated = Unpooled.wrappedBuffer(frame, 0, length);
        assertThatExceptionOfType(LdapProtocolException.class)
            .isThrownBy(() -> LdapMessage.parse(truncated));
      }
    }
  }

  @Test
  void releasingFreesTheFrame() throws LdapProtocolException {
    ByteBuf frame = Hex.buffer("30 05 02 01 03 42 00");
    LdapMessage message = LdapMessage.parse(frame);
    assertThat(frame.refCnt()).isEqualTo(1);
    message.release();
    assertThat(frame.refCnt()).isZero();
  }

  @Test
  void aDetachedMessageReleasesTheReceiveBuffer() throws LdapProtocolException {
    ByteBuf received = Hex.buffer("30 05 02 01 03 42 00 30 0c 02 01 01 60 07 02 01 03 04 00 80 00");
    LdapMessage unbind = LdapMessage.parse(received.readRetainedSlice(7)).detached();
    LdapMessage bind = LdapMessage.parse(received.readRetainedSlice(14)).detached();
    assertThat(received.refCnt()).isEqualTo(1);
    assertThat(ByteBufUtil.hexDump(received, 12, 9)).isEqualTo("000000000000000000");
    received.release();
    assertThat(unbind).hasToString("LdapMessage[3 UNBIND_REQUEST]");
    assertThat(unbind.copyBody()).isEqualTo(Hex.octets("42 00"));
    assertThat(bind.messageId()).isEqualTo(1);
    assertThat(bind.copyOp()).isEqualTo(Hex.octets("60 07 02 01 03 04 00 80 00"));
    unbind.release();
    bind.release();
  }

  @Test
  void aLargeMessageIsDetachedFromABufferOfMoreThanTwiceItsSize() throws LdapProtocolException {
    assertThat(ownBufferAfterDetaching(20_000)).isTrue();
    assertThat(ownBufferAfterDetaching(2_000)).isFalse();
  }

  /**
   * True if a message of 10,000 octets gets a buffer of its own: the received one has so many more.
   */
  private static boolean ownBufferAfterDetaching(int more) throws LdapProtocolException {
    int length = 10_000;
    ByteBuf received = Unpooled.buffer(length + more, length + more);
    received.writeBytes(Hex.octets("30 82 27 0c 02 01 03 42 82 27 05")).writeZero(length - 11);
    LdapMessage message = LdapMessage.parse(received.readRetainedSlice(length)).detached();
    boolean own = received.refCnt() == 1;
    message.release();
    received.release();
    return own;
  }

  @Test
  void wipesTheOctetsThatWereReceived() throws LdapProtocolException {
    ByteBuf received = Hex.buffer("30 0c 02 01 01 60 07 02 01 03 04 00 80 00 30 05 02 01 02 42 00");
    LdapMessage bind = LdapMessage.parse(received.readRetainedSlice(14));
    bind.wipeAndRelease();
    assertThat(Arrays.copyOfRange(ByteBufUtil.getBytes(received, 0, 21), 5, 14)).containsOnly(0);
    assertThat(ByteBufUtil.hexDump(received)).isEqualTo("30050201024200");
    assertThat(received.refCnt()).isEqualTo(1);
    received.release();
  }
}
