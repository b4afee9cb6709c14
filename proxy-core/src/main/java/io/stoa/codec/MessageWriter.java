// SPDX-License-Identifier: Apache-2.0
package io.stoa.codec;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.stoa.ldap.Envelope;
import io.stoa.ldap.LdapMessage;
import org.jspecify.annotations.Nullable;

/**
 * Writes LDAPMessages to one connection: fresh envelopes around bodies that stay as they are. Small
 * messages are copied together into one buffer, large ones are passed on without a copy. Nothing is
 * sent before the {@link FlushQueue} runs, or {@link #flush} is called. Event-loop confined.
 */
public final class MessageWriter {
  /** From here on a copy costs more than a reference. */
  private static final int LARGE = 4 * 1024;

  /** A collected buffer of this size is handed to the channel, so that its water marks see it. */
  private static final int CHUNK = 32 * 1024;

  private static final int LEAST_CAPACITY = 256;

  /** Tag and length of the envelope, and the messageID. */
  private static final int MOST_HEADER = 12;

  private final Channel channel;
  private final FlushQueue queue;
  private @Nullable ByteBuf collected;
  private boolean queued;
  private int expected = LEAST_CAPACITY;
  private long octets;

  /** Makes the writer of a connection that lives on the queue's event loop. */
  public MessageWriter(Channel channel, FlushQueue queue) {
    this.channel = channel;
    this.queue = queue;
  }

  /** Octets written since this was last asked. */
  public long takeOctets() {
    long taken = octets;
    octets = 0;
    return taken;
  }

  /** Writes a message under another messageID. Takes ownership. */
  public void write(int messageId, LdapMessage message) {
    ByteBuf body = message.body();
    if (body.readableBytes() < LARGE) {
      Envelope.write(room(body.readableBytes()), messageId, body);
      message.release();
    } else {
      ByteBuf header = channel.alloc().directBuffer(MOST_HEADER);
      Envelope.writeHeader(header, messageId, body.readableBytes());
      octets += header.readableBytes() + body.readableBytes();
      passOn();
      channel.write(header, channel.voidPromise());
      channel.write(body.retainedSlice(), channel.voidPromise());
      message.release();
      enqueue();
    }
  }

  /** Copies a message of which only the protocolOp is given. */
  public void write(int messageId, byte[] op) {
    Envelope.write(room(op.length), messageId, op);
  }

  /** Copies a message of which protocolOp and controls are given; indices are left alone. */
  public void write(int messageId, ByteBuf body) {
    Envelope.write(room(body.readableBytes()), messageId, body);
  }

  /** Sends a message that holds a password at once, and zeroes it as soon as it has been sent. */
  public void writeSecret(int messageId, ByteBuf body) {
    int size = body.readableBytes() + MOST_HEADER;
    ByteBuf secret = channel.alloc().directBuffer(size, size);
    Envelope.write(secret, messageId, body);
    octets += secret.readableBytes();
    secret.retain();
    passOn();
    channel
        .writeAndFlush(secret)
        .addListener(
            (ChannelFutureListener)
                sent -> {
                  secret.setZero(0, secret.capacity());
                  secret.release();
                });
  }

  /** Sends what was written. */
  public void flush() {
    queued = false;
    passOn();
    channel.flush();
  }

  private ByteBuf room(int body) {
    enqueue();
    ByteBuf buffer = collected;
    if (buffer != null && buffer.readableBytes() >= CHUNK) {
      passOn();
      buffer = null;
    }
    if (buffer == null) {
      buffer = channel.alloc().directBuffer(Math.max(expected, body + MOST_HEADER));
      collected = buffer;
    }
    return buffer;
  }

  private void passOn() {
    ByteBuf buffer = collected;
    if (buffer != null) {
      collected = null;
      int size = buffer.readableBytes();
      octets += size;
      expected = Math.max(LEAST_CAPACITY, Math.min(CHUNK, size));
      channel.write(buffer, channel.voidPromise());
    }
  }

  private void enqueue() {
    if (!queued) {
      queued = true;
      queue.add(this);
    }
  }
}
