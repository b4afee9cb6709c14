// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.stoa.ldap.protocol.Hex;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MessageWriterTest {
  private static final byte[] UNBIND = {0x42, 0};
  private static final byte[] BIND = {0x60, 1, 's'};

  /** The buffers that were written, retained so that they can be examined when they are sent. */
  private final List<ByteBuf> written = new ArrayList<>();

  private final EmbeddedChannel channel = new EmbeddedChannel(new Retainer());
  private final MessageWriter writer =
      new MessageWriter(channel, new FlushQueue(channel.eventLoop()));

  @AfterEach
  void release() {
    written.forEach(ByteBuf::release);
    channel.finishAndReleaseAll();
  }

  @Test
  void aSecretKeepsItsPlaceAndIsZeroedWhenItWasSent() {
    writer.write(1, UNBIND);
    writer.writeSecret(2, Unpooled.wrappedBuffer(BIND));
    writer.write(3, UNBIND);
    channel.runPendingTasks();
    assertThat(sent()).isEqualTo("30050201014200" + "0000000000000000" + "30050201034200");
  }

  @Test
  void aSecretIsZeroedIfTheConnectionEndsBeforeTheFlush() {
    writer.writeSecret(2, Unpooled.wrappedBuffer(BIND));
    channel.close();
    assertThat(written).hasSize(1);
    assertThat(Hex.of(octets(written.get(0)))).isEqualTo("0000000000000000");
  }

  private String sent() {
    StringBuilder sent = new StringBuilder();
    written.forEach(buffer -> sent.append(Hex.of(octets(buffer))));
    return sent.toString();
  }

  private static byte[] octets(ByteBuf buffer) {
    byte[] octets = new byte[buffer.writerIndex()];
    buffer.getBytes(0, octets);
    return octets;
  }

  /** Keeps each written buffer. */
  private final class Retainer extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      written.add(((ByteBuf) message).retain());
      context.write(message, promise);
    }
  }
}
