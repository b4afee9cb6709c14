// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.codec;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.stoa.ldap.protocol.Envelope;
import io.stoa.ldap.protocol.LdapMessage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes LDAPMessages to one connection: fresh envelopes around bodies that stay as they are. Small
 * messages are copied together into one buffer, large ones are passed on without a copy. Nothing is
 * sent before the {@link FlushQueue} runs, or {@link #flush} is called. While a message is written
 * in pieces, all others wait behind it. If there is no memory for a message, that is an exception
 * of the connection to which it goes, and not of whoever writes it. Event-loop confined.
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
  private @Nullable List<ByteBuf> behind;
  private long behindOctets;
  private boolean queued;
  private int expected = LEAST_CAPACITY;
  private long octets;
  private long rounds;

  /** Makes the writer of a connection that lives on the queue's event loop. */
  public MessageWriter(Channel channel, FlushQueue queue) {
    this.channel = channel;
    this.queue = queue;
  }

  /**
   * How often what was written has been sent: what was written in this round, and no earlier, has
   * certainly not left.
   */
  public long rounds() {
    return rounds;
  }

  /** Octets written since this was last asked. */
  public long takeOctets() {
    long taken = octets;
    octets = 0;
    return taken;
  }

  /** Writes a message under another messageID. Takes ownership. */
  public void write(int messageId, LdapMessage message) {
    try {
      if (message.body().readableBytes() < LARGE) {
        copy(messageId, message.body());
      } else {
        writeHeader(messageId, message.body().readableBytes());
        send(message.body().retainedSlice());
      }
    } catch (OutOfMemoryError e) {
      failed(e);
    } finally {
      message.release();
    }
  }

  private void copy(int messageId, ByteBuf body) {
    Envelope.write(room(body.readableBytes()), messageId, body);
  }

  private void failed(OutOfMemoryError noMemory) {
    channel.pipeline().fireExceptionCaught(noMemory);
  }

  private void writeHeader(int messageId, int bodyLength) {
    ByteBuf header = channel.alloc().directBuffer(MOST_HEADER);
    Envelope.writeHeader(header, messageId, bodyLength);
    passOn();
    send(header);
    enqueue();
  }

  // A message in pieces

  /** Begins a message whose body comes in pieces; what else is written waits until its end. */
  public void begin(int messageId, int bodyLength) {
    try {
      writeHeader(messageId, bodyLength);
      behind = new ArrayList<>();
    } catch (OutOfMemoryError e) {
      failed(e);
    }
  }

  /** Writes a piece of the body of the message that was begun. Takes ownership. */
  public void piece(ByteBuf piece) {
    octets += piece.readableBytes();
    channel.write(piece, channel.voidPromise());
    enqueue();
  }

  /** Ends the message that was begun: what has waited behind it follows. */
  public void end() {
    passOn();
    List<ByteBuf> waiting = behind;
    behind = null;
    behindOctets = 0;
    if (waiting != null) {
      waiting.forEach(this::send);
      enqueue();
    }
  }

  /** Whether a message has been begun and is not complete. */
  public boolean midMessage() {
    return behind != null;
  }

  /** Octets that wait behind a message that is not complete. */
  public long waitingOctets() {
    return behindOctets;
  }

  /** The connection ends: what waits behind a message that will never be complete is released. */
  public void discard() {
    List<ByteBuf> waiting = behind;
    if (waiting != null) {
      behind = null;
      behindOctets = 0;
      waiting.forEach(ByteBuf::release);
    }
  }

  // Other messages

  /** Copies a message of which only the protocolOp is given. */
  public void write(int messageId, byte[] op) {
    try {
      Envelope.write(room(op.length), messageId, op);
    } catch (OutOfMemoryError e) {
      failed(e);
    }
  }

  /** Copies a message of which protocolOp and controls are given; indices are left alone. */
  public void write(int messageId, ByteBuf body) {
    try {
      copy(messageId, body);
    } catch (OutOfMemoryError e) {
      failed(e);
    }
  }

  /** Sends a message that holds a password at once, and zeroes it as soon as it has been sent. */
  public void writeSecret(int messageId, ByteBuf body) {
    int size = body.readableBytes() + MOST_HEADER;
    ByteBuf secret = channel.alloc().directBuffer(size, size);
    Envelope.write(secret, messageId, body);
    octets += secret.readableBytes();
    rounds++;
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
    rounds++;
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
      expected = Math.max(LEAST_CAPACITY, Math.min(CHUNK, buffer.readableBytes()));
      send(buffer);
    }
  }

  private void send(ByteBuf buffer) {
    List<ByteBuf> waiting = behind;
    if (waiting == null) {
      octets += buffer.readableBytes();
      channel.write(buffer, channel.voidPromise());
    } else {
      behindOctets += buffer.readableBytes();
      waiting.add(buffer);
    }
  }

  private void enqueue() {
    if (!queued) {
      queued = true;
      queue.add(this);
    }
  }
}
