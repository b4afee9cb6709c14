// SPDX-License-Identifier: Apache-2.0
package io.stoa.bench;

import io.netty.buffer.ByteBuf;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestDecoder;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Decodes a search request from its octets. Threading: confined to one thread. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class DecodeBenchmark {
  private final RequestDecoder decoder = new RequestDecoder(() -> DecodeLimits.DEFAULTS);
  private final ByteBuf octets = Messages.received(Messages.search(1).encode(1));

  /** Reads the envelope, and then the search. */
  @Benchmark
  public Request search() throws LdapProtocolException {
    LdapMessage message = Messages.message(octets);
    try {
      return decoder.decode(message);
    } finally {
      message.release();
    }
  }

  /** Releases the octets. */
  @TearDown
  public void release() {
    octets.release();
  }
}
