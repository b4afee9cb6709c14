// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.protocol.LDAPMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Damaged requests are decoded or refused; nothing else ever happens. */
class RequestDecoderMutationTest {
  private static final int MAX_LENGTH = 400;
  private static final RequestDecoder DECODER = new RequestDecoder(() -> DecodeLimits.DEFAULTS);

  @Test
  void everyTruncation() {
    int refused = 0;
    for (byte[] frame : frames(21, 440)) {
      LdapMessage message = parse(frame);
      ByteBuf body = message.body();
      for (int length = 0; length < body.readableBytes(); length++) {
        ByteBuf truncated = body.slice(body.readerIndex(), length);
        boolean decoded = decodes(message.type(), truncated);
        assertThat(decoded).isEqualTo(message.hasControls() && length == message.opLength());
        refused += decoded ? 0 : 1;
      }
    }
    assertThat(refused).isGreaterThan(10_000);
  }

  @Test
  void everyValueOfEveryOctet() {
    int decoded = 0;
    int refused = 0;
    for (byte[] frame : frames(22, 44)) {
      for (int index = 0; index < frame.length; index++) {
        for (int value = 0; value < 256; value++) {
          byte[] mutated = frame.clone();
          mutated[index] = (byte) value;
          if (decodes(mutated)) {
            decoded++;
          } else {
            refused++;
          }
        }
      }
    }
    assertThat(decoded).isGreaterThan(100_000);
    assertThat(refused).isGreaterThan(100_000);
  }

  @Test
  void everyOctetLeftOutOrDoubled() {
    for (byte[] frame : frames(23, 220)) {
      for (int index = 0; index < frame.length; index++) {
        byte[] without = new byte[frame.length - 1];
        System.arraycopy(frame, 0, without, 0, index);
        System.arraycopy(frame, index + 1, without, index, without.length - index);
        decodes(without);
        byte[] doubled = new byte[frame.length + 1];
        System.arraycopy(frame, 0, doubled, 0, index + 1);
        System.arraycopy(frame, index, doubled, index + 1, frame.length - index);
        decodes(doubled);
      }
    }
  }

  private static List<byte[]> frames(long seed, int count) {
    return new SampleMessages(seed)
        .requests(count)
        .map(LDAPMessage::encode)
        .map(element -> element.encode())
        .filter(frame -> frame.length < MAX_LENGTH)
        .toList();
  }

  private static LdapMessage parse(byte[] frame) {
    try {
      return LdapMessage.parse(Unpooled.wrappedBuffer(frame));
    } catch (LdapProtocolException e) {
      throw new AssertionError(e);
    }
  }

  private static boolean decodes(byte[] frame) {
    ByteBuf buffer = Unpooled.wrappedBuffer(frame);
    try {
      LdapMessage message = LdapMessage.parse(buffer);
      boolean decodes = decodes(message.type(), message.body());
      message.release();
      return decodes;
    } catch (LdapProtocolException e) {
      return false;
    } finally {
      assertThat(buffer.refCnt()).isZero();
    }
  }

  /** A request that decodes can be described, too. */
  private static boolean decodes(OpType type, ByteBuf body) {
    try {
      assertThat(Redaction.describe(DECODER.decode(type, body))).isNotEmpty();
      return true;
    } catch (LdapProtocolException e) {
      return false;
    }
  }
}
