// SPDX-License-Identifier: Apache-2.0
package io.stoa.bench;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import io.stoa.net.codec.FlushQueue;
import io.stoa.net.codec.MessageWriter;
import io.stoa.testing.ManualLoop;
import io.stoa.testing.Responses;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Assembles an answer of stored octets under the client's messageID, up to the buffer that a socket
 * would send. Threading: confined to one thread.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class AssembleBenchmark {
  /** Answers that are sent by one write in {@link #pipelined}: 64. */
  private static final int DEPTH = 64;

  private final ManualLoop loop = new ManualLoop();
  private final EmbeddedChannel channel = new EmbeddedChannel(new Discard());
  private final MessageWriter writer = new MessageWriter(channel, new FlushQueue(loop.executor()));
  private final byte[] entry = Messages.entry(1).op();
  private final byte[] done = Responses.searchDone(0).op();
  private int messageId;

  /** A socket that sends at once. Threading: event loop. */
  private static final class Discard extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      ReferenceCountUtil.release(message);
      promise.trySuccess();
    }

    @Override
    public void flush(ChannelHandlerContext context) {
      // all is sent
    }
  }

  /** Writes one answer, and flushes. */
  @Benchmark
  public long single() {
    assemble();
    loop.run();
    return writer.takeOctets();
  }

  /** Writes 64 answers, and flushes once. */
  @Benchmark
  @OperationsPerInvocation(DEPTH)
  public long pipelined() {
    for (int i = 0; i < DEPTH; i++) {
      assemble();
    }
    loop.run();
    return writer.takeOctets();
  }

  private void assemble() {
    messageId = (messageId + 1) & Integer.MAX_VALUE;
    writer.write(messageId, entry);
    writer.write(messageId, done);
  }

  /** Closes the channel. */
  @TearDown
  public void close() {
    channel.close();
  }
}
