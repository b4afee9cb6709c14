// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.codec;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.protocol.DeleteRequestProtocolOp;
import com.unboundid.ldap.protocol.LDAPMessage;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.stoa.ldap.protocol.Hex;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LongFormLengths;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.ldap.protocol.SampleMessages;
import io.stoa.net.tls.CountingAllocator;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LdapFrameDecoderTest {
  private static final int MAX = 1 << 20;
  private static final String UNBIND = "30 05 02 01 03 42 00";
  private static final String DECODED = "LdapMessage[3 UNBIND_REQUEST] 4200";

  @Test
  void oneMessageInOneRead() {
    try (FrameDecoderChannel received = new FrameDecoderChannel(MAX)) {
      received.send(Hex.octets(UNBIND));
      assertThat(received.messages).containsExactly(DECODED);
      assertThat(received.errors).isEmpty();
      assertThat(received.decoder().isMidFrame()).isFalse();
    }
  }

  @Test
  void twoMessagesAndAHalfInOneRead() {
    try (FrameDecoderChannel received = new FrameDecoderChannel(MAX)) {
      received.send(Hex.octets(UNBIND + UNBIND + "30 05 02"));
      assertThat(received.messages).containsExactly(DECODED, DECODED);
      assertThat(received.decoder().isMidFrame()).isTrue();
      received.send(Hex.octets("01 03 42 00"));
      assertThat(received.messages).hasSize(3);
      assertThat(received.decoder().isMidFrame()).isFalse();
    }
  }

  /**
   * The time of a read never precedes the arrival of a message, and later reads have later times.
   */
  @Test
  void theMessagesOfOneReadHaveOneTime() {
    List<Long> times = new ArrayList<>();
    List<FrameDecoderChannel> channels = new ArrayList<>();
    FrameDecoderChannel received =
        new FrameDecoderChannel(
            MAX, message -> times.add(channels.get(0).decoder().receivedNanos()));
    try (received) {
      channels.add(received);
      long before = System.nanoTime();
      received.send(Hex.octets(UNBIND + UNBIND));
      long between = System.nanoTime();
      received.send(Hex.octets(UNBIND));
      long after = received.decoder().receivedNanos();
      assertThat(times).hasSize(3);
      assertThat(times.get(0)).isEqualTo(times.get(1)).isBetween(before, between);
      assertThat(times.get(2)).isBetween(between, after);
      assertThat(received.decoder().receivedNanos()).isGreaterThanOrEqualTo(after);
    }
  }

  @Test
  void splitAtEveryOctet() {
    byte[] octets = Hex.octets(UNBIND + "30 84 00 00 00 07 02 01 05 4a 02 61 62");
    for (int split = 0; split <= octets.length; split++) {
      try (FrameDecoderChannel received = new FrameDecoderChannel(MAX)) {
        received.send(octets, 0, split).send(octets, split, octets.length - split);
        assertThat(received.messages)
            .containsExactly(DECODED, "LdapMessage[5 DELETE_REQUEST] 4a026162");
      }
    }
  }

  @Test
  void aMessageInPartsIsTheSameWhereverItIsSplit() {
    byte[] octets = Hex.octets("30 84 00 00 00 1d 02 01 05 4a 18 " + "61".repeat(24) + UNBIND);
    for (int split = 0; split <= octets.length; split++) {
      try (FrameDecoderChannel received = new FrameDecoderChannel(MAX, 1)) {
        received.send(octets, 0, split).send(octets, split, octets.length - split);
        assertThat(received.messages)
            .containsExactly("LdapMessage[5 DELETE_REQUEST] 4a18" + "61".repeat(24), DECODED);
        assertThat(received.decoder().isMidFrame()).isFalse();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "30 84 00 00 01 00 02 05 00 00 00 00 01 64 81 f0, BAD_MESSAGE_ID",
    "30 84 00 00 01 00 02 84 00 00 00 f0 01 64 81 f0, BAD_MESSAGE_ID",
    "30 84 00 00 01 00 04 01 01 64 81 f0, BAD_MESSAGE_ID",
    "30 84 00 00 01 00 02 01 01 7f 81 f0, UNKNOWN_OPERATION",
    "30 84 00 00 01 00 02 01 01 64 82 01 00, BAD_ENVELOPE",
    "30 84 00 00 01 00 02 01 01 64 80, INDEFINITE_LENGTH",
    "30 84 00 20 00 00 02 01 01 64 81 f0, FRAME_TOO_LARGE"
  })
  void theHeadOfAMessageInPartsIsChecked(String head, ProtocolError error) {
    try (FrameDecoderChannel received = new FrameDecoderChannel(MAX, 1)) {
      received.send(Hex.octets(head + "00".repeat(LdapMessage.Head.MAX_OCTETS)));
      assertThat(received.errors).containsExactly(error);
      assertThat(received.messages).isEmpty();
    }
  }

  /** Any chunking of a stream of messages gives the same messages. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void anyChunkingGivesTheSameMessages(long seed) throws Exception {
    byte[] stream = stream(seed);
    try (FrameDecoderChannel whole = new FrameDecoderChannel(MAX)) {
      whole.send(stream);
      assertThat(whole.messages).hasSizeGreaterThan(350);
      for (int max : new int[] {1, 7, 100, 5000}) {
        try (FrameDecoderChannel inPieces = new FrameDecoderChannel(MAX)) {
          sendInPieces(inPieces, stream, new Random(seed), max);
          assertThat(inPieces.messages).isEqualTo(whole.messages);
          assertThat(inPieces.errors).isEmpty();
        }
        try (FrameDecoderChannel inParts = new FrameDecoderChannel(MAX, max)) {
          sendInPieces(inParts, stream, new Random(seed), max);
          assertThat(inParts.messages).isEqualTo(whole.messages);
          assertThat(inParts.errors).isEmpty();
        }
      }
    }
  }

  private static byte[] stream(long seed) throws Exception {
    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    Random random = new Random(seed);
    List<LDAPMessage> messages =
        Stream.concat(
                new SampleMessages(seed).requests(220), new SampleMessages(-seed).responses(220))
            .toList();
    for (LDAPMessage message : messages) {
      byte[] frame = message.encode().encode();
      if (frame.length > 2000) {
        continue;
      }
      stream.write(random.nextInt(4) == 0 ? LongFormLengths.fourOctets(frame) : frame);
    }
    return stream.toByteArray();
  }

  private static void sendInPieces(FrameDecoderChannel to, byte[] stream, Random random, int max) {
    for (int offset = 0; offset < stream.length; ) {
      int length = Math.min(stream.length - offset, 1 + random.nextInt(max));
      to.send(stream, offset, length);
      offset += length;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "16, BAD_ENVELOPE",
    "00, BAD_ENVELOPE",
    "30 80, INDEFINITE_LENGTH",
    "30 84 7f ff ff ff, FRAME_TOO_LARGE",
    "30 84 80 00 00 00, FRAME_TOO_LARGE",
    "30 88 00 00 00 00 00 00 00 05 02 01 03 42 00, FRAME_TOO_LARGE",
    "30 85, FRAME_TOO_LARGE",
    "30 ff, FRAME_TOO_LARGE",
    "30 00, BAD_ENVELOPE",
    "30 05 02 01 ff 42 00, BAD_MESSAGE_ID",
    "30 09 02 05 00 00 00 00 03 42 00, BAD_MESSAGE_ID",
    "30 05 02 01 03 7f 00, UNKNOWN_OPERATION",
    "30 07 02 01 03 42 00 04 01, BAD_ENVELOPE"
  })
  void reportsOneErrorAndDiscardsTheRest(String octets, ProtocolError error) {
    try (FrameDecoderChannel received = new FrameDecoderChannel(MAX)) {
      received.send(Hex.octets(UNBIND + octets));
      assertThat(received.messages).containsExactly(DECODED);
      assertThat(received.errors).containsExactly(error);
      received.send(Hex.octets(UNBIND)).send(Hex.octets(octets)).send(Hex.octets("30"));
      assertThat(received.messages).hasSize(1);
      assertThat(received.errors).hasSize(1);
      assertThat(received.decoder().isMidFrame()).isFalse();
    }
  }

  @Test
  void theReceiverMayCloseAtOnce() {
    EmbeddedChannel channel =
        new EmbeddedChannel(
            new LdapFrameDecoder(MAX),
            new ChannelInboundHandlerAdapter() {
              @Override
              public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                assertThat(cause).isInstanceOf(LdapProtocolException.class);
                context.close();
              }
            });
    ByteBuf read = Unpooled.buffer().writeBytes(Hex.octets("30 80" + UNBIND));
    channel.writeInbound(read);
    assertThat(channel.isOpen()).isFalse();
    assertThat(read.refCnt()).isZero();
    assertThat(channel.finish()).isFalse();
  }

  @Test
  void nothingIsReportedForAMessageThatTheCloseCutOff() {
    FrameDecoderChannel received = new FrameDecoderChannel(MAX);
    received.send(Hex.octets(UNBIND)).send(Hex.octets("30 05 02 01"));
    received.close();
    assertThat(received.messages).hasSize(1);
    assertThat(received.errors).isEmpty();
  }

  /** The length counts its own header, whatever form it has. */
  @ParameterizedTest
  @ValueSource(strings = {"30 05", "30 81 05", "30 84 00 00 00 05"})
  void theLimitIncludesTheHeader(String header) {
    byte[] octets = Hex.octets(header + "02 01 03 42 00");
    try (FrameDecoderChannel enough = new FrameDecoderChannel(octets.length);
        FrameDecoderChannel tooLittle = new FrameDecoderChannel(octets.length - 1)) {
      enough.send(octets);
      assertThat(enough.messages).containsExactly(DECODED);
      tooLittle.send(octets, 0, octets.length - 5);
      assertThat(tooLittle.errors).containsExactly(ProtocolError.FRAME_TOO_LARGE);
    }
  }

  @Test
  void theLimitMayRiseBetweenTwoMessages() {
    LdapFrameDecoder[] decoder = new LdapFrameDecoder[1];
    try (FrameDecoderChannel received =
        new FrameDecoderChannel(7, message -> decoder[0].setMaxFrameSize(MAX))) {
      decoder[0] = received.decoder();
      received.send(Hex.octets(UNBIND + "30 06 02 02 00 ff 42 00"));
      assertThat(received.messages).hasSize(2);
      assertThat(received.errors).isEmpty();
    }
  }

  @Test
  void theLimitMayFallBetweenTwoMessages() {
    LdapFrameDecoder[] decoder = new LdapFrameDecoder[1];
    try (FrameDecoderChannel received =
        new FrameDecoderChannel(MAX, message -> decoder[0].setMaxFrameSize(7))) {
      decoder[0] = received.decoder();
      received.send(Hex.octets(UNBIND + UNBIND + "30 06 02 02 00 ff 42 00"));
      assertThat(received.messages).hasSize(2);
      assertThat(received.errors).containsExactly(ProtocolError.FRAME_TOO_LARGE);
    }
  }

  /** A length that lies costs no more than the octets that came. */
  @Test
  void memoryGrowsWithReceivedOctets() {
    try (FrameDecoderChannel received = new FrameDecoderChannel(MAX)) {
      CountingAllocator allocator = received.allocator();
      received.send(Hex.octets("30 83 0f ff 00"));
      assertThat(allocator.live()).isLessThan(100);
      byte[] piece = new byte[1000];
      for (int total = 1000; total < MAX / 2; total += piece.length) {
        received.send(piece);
        assertThat(allocator.live()).isLessThanOrEqualTo(2L * total + 2000);
      }
      assertThat(received.errors).isEmpty();
    }
  }

  /** Copying is linear in the size of a message, in however small pieces it comes. */
  @ParameterizedTest
  @ValueSource(ints = {1460, 60_000})
  void piecesAreNotCopiedAgainAndAgain(int piece) {
    int length = 4_000_000;
    byte[] frame = SampleMessages.encode(1, new DeleteRequestProtocolOp("x".repeat(length)));
    try (FrameDecoderChannel received = new FrameDecoderChannel(2 * length)) {
      for (int offset = 0; offset < frame.length; offset += piece) {
        received.send(frame, offset, Math.min(piece, frame.length - offset));
      }
      assertThat(received.messages).hasSize(1);
      assertThat(received.allocator().total()).isLessThan(5L * frame.length);
    }
  }

  /** What a receiver keeps stays as it was while more octets arrive. */
  @Test
  void messagesOutliveTheirRead() {
    EmbeddedChannel channel = new EmbeddedChannel(new LdapFrameDecoder(MAX));
    ByteBuf first = Unpooled.directBuffer().writeBytes(Hex.octets(UNBIND + "30 05 02"));
    channel.writeInbound(first);
    LdapMessage kept = channel.readInbound();
    for (int octet : new int[] {1, 4, 0x42, 0}) {
      channel.writeInbound(Unpooled.directBuffer().writeByte(octet));
    }
    LdapMessage second = channel.readInbound();
    assertThat(kept.messageId()).isEqualTo(3);
    assertThat(kept.copyBody()).isEqualTo(Hex.octets("42 00"));
    assertThat(second.messageId()).isEqualTo(4);
    kept.release();
    second.release();
    channel.finishAndReleaseAll();
    assertThat(first.refCnt()).isZero();
  }

  /** A password is wiped where it was received. */
  @Test
  void wipingClearsTheReceivedOctets() {
    EmbeddedChannel channel = new EmbeddedChannel(new LdapFrameDecoder(MAX));
    ByteBuf read = Unpooled.directBuffer();
    read.writeBytes(Hex.octets("30 10 02 01 01 60 0b 02 01 03 04 00 80 04 70617373")).retain();
    channel.writeInbound(read);
    LdapMessage bind = channel.readInbound();
    bind.wipeAndRelease();
    assertThat(read.getInt(14)).isZero();
    assertThat(read.refCnt()).isEqualTo(1);
    read.release();
    channel.finishAndReleaseAll();
  }

  @Test
  void forwardsUnreadOctetsWhenRemoved() {
    EmbeddedChannel channel = new EmbeddedChannel(new LdapFrameDecoder(MAX));
    channel.writeInbound(Unpooled.buffer().writeBytes(Hex.octets("30 05 02")));
    channel.pipeline().remove(LdapFrameDecoder.class);
    ByteBuf rest = channel.readInbound();
    assertThat(rest.readableBytes()).isEqualTo(3);
    rest.release();
    assertThat(channel.finishAndReleaseAll()).isFalse();
  }
}
