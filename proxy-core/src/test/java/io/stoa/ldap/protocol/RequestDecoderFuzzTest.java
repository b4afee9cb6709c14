// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.stoa.ldap.protocol.RequestOp.BindAuthentication;
import io.stoa.ldap.protocol.RequestOp.BindOp;

/** Seeds are in src/test/resources; {@code JAZZER_FUZZ=1} looks for more. */
class RequestDecoderFuzzTest {
  private static final RequestDecoder DECODER = new RequestDecoder(() -> DecodeLimits.DEFAULTS);

  @FuzzTest(maxDuration = "30m")
  void aFrameIsDecodedOrRefused(byte[] octets) {
    ByteBuf frame = Unpooled.buffer().writeBytes(octets);
    try {
      LdapMessage message = LdapMessage.parse(frame);
      check(message, octets);
      message.release();
    } catch (LdapProtocolException e) {
      assertThat(e.getStackTrace()).isEmpty();
    }
    assertThat(frame.refCnt()).isZero();
  }

  private static void check(LdapMessage message, byte[] octets) {
    try {
      Request request = DECODER.decode(message);
      assertThat(Redaction.describe(request)).matches("[ -~]+").hasSizeLessThan(1010);
      if (!request.irregular() && !isOfUnknownChoice(request.op())) {
        assertThat(withLongerLengths(octets)).isEqualTo(CanonicalText.of(request, message.body()));
      }
    } catch (LdapProtocolException e) {
      assertThat(e.reason()).isNotEqualTo(ProtocolError.MALFORMED_RESPONSE);
    }
  }

  /** Its content need not be BER, so it cannot be written in another way. */
  private static boolean isOfUnknownChoice(RequestOp op) {
    return op instanceof BindOp bind && bind.authentication() == BindAuthentication.OTHER;
  }

  private static String withLongerLengths(byte[] octets) throws LdapProtocolException {
    LdapMessage message =
        LdapMessage.parse(Unpooled.wrappedBuffer(LongFormLengths.fourOctets(octets)));
    return CanonicalText.of(DECODER.decode(message), message.body());
  }
}
