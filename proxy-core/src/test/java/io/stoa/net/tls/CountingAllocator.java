// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.tls;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;

/** Counts the octets of the arrays that it gives out and gets back. Not thread-safe. */
public final class CountingAllocator extends AbstractByteBufAllocator {
  private long total;
  private long live;

  /** Of all arrays, those that were given back included: what growing costs. */
  public long total() {
    return total;
  }

  /** Of the arrays that are out. */
  public long live() {
    return live;
  }

  @Override
  public boolean isDirectBufferPooled() {
    return false;
  }

  @Override
  protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    return new CountedBuffer(initialCapacity, maxCapacity);
  }

  @Override
  protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    return newHeapBuffer(initialCapacity, maxCapacity);
  }

  private final class CountedBuffer extends UnpooledHeapByteBuf {
    CountedBuffer(int initialCapacity, int maxCapacity) {
      super(CountingAllocator.this, initialCapacity, maxCapacity);
    }

    @Override
    protected byte[] allocateArray(int capacity) {
      total += capacity;
      live += capacity;
      return super.allocateArray(capacity);
    }

    @Override
    protected void freeArray(byte[] array) {
      live -= array.length;
    }
  }
}
