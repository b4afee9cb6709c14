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
 * Writes LDAPMessages to one connection: new envelopes around bodies that stay unchanged.
 *
 * <ol>
 *   <li>Small messages are copied together into one buffer. Large ones are passed on without a
 *       copy.
 *   <li>Nothing is sent before the {@link FlushQueue} runs or {@link #flush} is called.
 *   <li>While a message is written in pieces, all other messages wait behind it.
 *   <li>If memory for a message cannot be allocated, only the receiving connection fails. The
 *       caller sees no exception.
 * </ol>
 *
 * <p>Threading: event loop.
 */
public final class MessageWriter {
  /**
   * Octets from which a message is passed on without a copy: 4,096. Above, a copy costs more than a
   * reference.
   */
  private static final int LARGE = 4 * 1024;

  /**
   * Octets at which a collected buffer is handed to the channel: 32,768. The channel counts only
   * buffers that it has for its water marks.
   */
  private static final int CHUNK = 32 * 1024;

  private static final int MIN_CAPACITY = 256;

  /** Maximum octets before the protocolOp: tag and length of the envelope, and the messageID. */
  private static final int MAX_HEADER = 12;

  private final Channel channel;
  private final FlushQueue queue;
  private @Nullable ByteBuf collected;
  private @Nullable List<ByteBuf> deferred;
  private long deferredOctets;
  private boolean queued;
  private int expected = MIN_CAPACITY;
  private long octets;
  private long flushes;

  /** Creates the writer of a connection on the queue's event loop. */
  public MessageWriter(Channel channel, FlushQueue queue) {
    this.channel = channel;
    this.queue = queue;
  }

  /**
   * Returns the number of flushes. A message written since the last flush has certainly not been
   * sent.
   */
  public long flushes() {
    return flushes;
  }

  /** Returns the octets written since the last call. */
  public long takeOctets() {
    long count = octets;
    octets = 0;
    return count;
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
      onOutOfMemory(e);
    } finally {
      message.release();
    }
  }

  private void copy(int messageId, ByteBuf body) {
    Envelope.write(bufferFor(body.readableBytes()), messageId, body);
  }

  private void onOutOfMemory(OutOfMemoryError noMemory) {
    channel.pipeline().fireExceptionCaught(noMemory);
  }

  private void writeHeader(int messageId, int bodyLength) {
    ByteBuf header = channel.alloc().directBuffer(MAX_HEADER);
    Envelope.writeHeader(header, messageId, bodyLength);
    passOn();
    send(header);
    enqueue();
  }

  // Messages in pieces

  /** Begins a message whose body arrives in pieces. All other messages wait until {@link #end}. */
  public void begin(int messageId, int bodyLength) {
    try {
      writeHeader(messageId, bodyLength);
      deferred = new ArrayList<>();
    } catch (OutOfMemoryError e) {
      onOutOfMemory(e);
    }
  }

  /** Writes a piece of the body of the message begun. Takes ownership. */
  public void writePiece(ByteBuf piece) {
    octets += piece.readableBytes();
    channel.write(piece, channel.voidPromise());
    enqueue();
  }

  /** Ends the message begun, and writes the messages that waited behind it. */
  public void end() {
    passOn();
    List<ByteBuf> waiting = deferred;
    deferred = null;
    deferredOctets = 0;
    if (waiting != null) {
      waiting.forEach(this::send);
      enqueue();
    }
  }

  /** True if a message has been begun and is not complete. */
  public boolean isMidMessage() {
    return deferred != null;
  }

  /** Returns the octets that wait behind an incomplete message. */
  public long waitingOctets() {
    return deferredOctets;
  }

  /** Releases the messages that wait behind an incomplete one. Called when the connection ends. */
  public void discard() {
    List<ByteBuf> waiting = deferred;
    if (waiting != null) {
      deferred = null;
      deferredOctets = 0;
      waiting.forEach(ByteBuf::release);
    }
  }

  // Other messages

  /** Writes a copy of a message that consists of a protocolOp only. */
  public void write(int messageId, byte[] op) {
    try {
      Envelope.write(bufferFor(op.length), messageId, op);
    } catch (OutOfMemoryError e) {
      onOutOfMemory(e);
    }
  }

  /**
   * Writes a copy of a message that consists of protocolOp and controls. Leaves the indices of
   * {@code body} unchanged.
   */
  public void write(int messageId, ByteBuf body) {
    try {
      copy(messageId, body);
    } catch (OutOfMemoryError e) {
      onOutOfMemory(e);
    }
  }

  /** Writes a message that holds a password. Its own buffer is zeroed when it has been sent. */
  public void writeSecret(int messageId, ByteBuf body) {
    int size = body.readableBytes() + MAX_HEADER;
    ByteBuf secret;
    try {
      secret = channel.alloc().directBuffer(size, size);
    } catch (OutOfMemoryError e) {
      onOutOfMemory(e);
      return;
    }
    Envelope.write(secret, messageId, body);
    octets += secret.readableBytes();
    secret.retain();
    passOn();
    channel
        .write(secret)
        .addListener(
            (ChannelFutureListener)
                sent -> {
                  secret.setZero(0, secret.capacity());
                  secret.release();
                });
    enqueue();
  }

  /** Sends all messages written so far. */
  public void flush() {
    queued = false;
    flushes++;
    passOn();
    channel.flush();
  }

  private ByteBuf bufferFor(int body) {
    enqueue();
    ByteBuf buffer = collected;
    if (buffer != null && buffer.readableBytes() >= CHUNK) {
      passOn();
      buffer = null;
    }
    if (buffer == null) {
      buffer = channel.alloc().directBuffer(Math.max(expected, body + MAX_HEADER));
      collected = buffer;
    }
    return buffer;
  }

  private void passOn() {
    ByteBuf buffer = collected;
    if (buffer != null) {
      collected = null;
      expected = Math.max(MIN_CAPACITY, Math.min(CHUNK, buffer.readableBytes()));
      send(buffer);
    }
  }

  private void send(ByteBuf buffer) {
    List<ByteBuf> waiting = deferred;
    if (waiting == null) {
      octets += buffer.readableBytes();
      channel.write(buffer, channel.voidPromise());
    } else {
      deferredOctets += buffer.readableBytes();
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
