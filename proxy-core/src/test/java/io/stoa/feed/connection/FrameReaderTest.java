// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.stoa.ldap.protocol.Envelope;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.OpType;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FrameReaderTest {
  private static final int MAX = 100_000;

  private static byte[] message(int messageId, int length) {
    byte[] op = LdapResult.encode(OpType.SEARCH_RESULT_DONE, 0, "x".repeat(length)).op();
    ByteBuf octets = Unpooled.buffer();
    Envelope.write(octets, messageId, op);
    return Arrays.copyOf(octets.array(), octets.readableBytes());
  }

  private static FrameReader reader(byte[] octets) {
    return new FrameReader(new ByteArrayInputStream(octets), MAX);
  }

  private static FrameReader reader(String hex) {
    return reader(HexFormat.of().parseHex(hex));
  }

  /** As a network may have it. */
  private static InputStream inSmallParts(byte[] octets) {
    return new FilterInputStream(new ByteArrayInputStream(octets)) {
      @Override
      public int read(byte[] to, int from, int count) throws IOException {
        return super.read(to, from, Math.min(count, 7));
      }
    };
  }

  @Test
  void messagesComeOneAfterTheOtherHoweverLongTheyAre() throws Exception {
    int[] lengths = {0, 100, 200, 300, 70_000};
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int i = 0; i < lengths.length; i++) {
      all.writeBytes(message(i + 1, lengths[i]));
    }
    FrameReader frames = new FrameReader(inSmallParts(all.toByteArray()), MAX);
    for (int i = 0; i < lengths.length; i++) {
      LdapMessage next = frames.next();
      assertThat(next).isNotNull();
      assertThat(next.messageId()).isEqualTo(i + 1);
      assertThat(LdapResult.diagnosticOf(next.copyOp())).hasSize(lengths[i]);
      next.release();
    }
    assertThat(frames.next()).isNull();
  }

  @Test
  void aTruncatedMessageIsRefused() {
    byte[] whole = message(1, 300);
    for (int length = 1; length < whole.length; length++) {
      FrameReader frames = reader(Arrays.copyOf(whole, length));
      assertThatThrownBy(frames::next).isInstanceOf(EOFException.class);
    }
  }

  /** Of which there is not one octet more: nobody waits for it, and no memory is taken. */
  @ParameterizedTest
  @ValueSource(strings = {"30847fffffff", "3084ffffffff", "308400018700", "30850000000001", "30ff"})
  void aTooLargeMessageIsRefusedAtOnce(String header) {
    assertThatThrownBy(reader(header)::next)
        .isInstanceOf(LdapProtocolException.class)
        .hasMessageContaining("large");
  }

  @ParameterizedTest
  @CsvSource({"3080, indefinite", "16030100, ''", "3003020101, ''", "30030201017f, ''"})
  void anInvalidMessageIsRefused(String octets, String why) {
    assertThatThrownBy(reader(octets + "00".repeat(8))::next)
        .isInstanceOf(LdapProtocolException.class)
        .hasMessageContaining(why);
  }

  @Test
  void aBrokenConnectionReportsItsReason() throws Exception {
    InputStream closed = InputStream.nullInputStream();
    closed.close();
    assertThatThrownBy(new FrameReader(closed, MAX)::next)
        .isInstanceOf(IOException.class)
        .hasMessage("Stream closed");
  }
}
