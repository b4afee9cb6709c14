// SPDX-License-Identifier: Apache-2.0
package io.stoa.bench;

import io.netty.buffer.ByteBuf;
import io.stoa.cache.result.TemplateTable;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.InternalSession;
import io.stoa.operation.InternalSink;
import io.stoa.operation.Operation;
import io.stoa.testing.ManualLoop;
import io.stoa.testing.Requests;
import io.stoa.testing.SmallDirectory;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Looks up the template of a search: scans the request, finds its shape in the table, and folds its
 * values. Threading: confined to one thread.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class TemplateBenchmark {
  private final TemplateTable table = new TemplateTable(SmallDirectory.PROFILE);
  private final Received equality = new Received("(uid=user.1)");
  private final Received conjunction =
      new Received("(&(cn=User 1)(sn=Surname of 1)(ou=People of Example))");

  /** A received search, which can be looked up again and again. */
  private static final class Received {
    private final ByteBuf octets;
    private final Operation operation;

    Received(String filter) {
      octets =
          Messages.received(
              Requests.search(SmallDirectory.CONTEXT)
                  .filter(filter)
                  .attributes("uid", "cn", "mail")
                  .request()
                  .encode(1));
      operation =
          new Operation(
              new InternalSession(
                  new ManualLoop().executor(),
                  ClientIdentity.simple("cn=app,dc=x".getBytes(StandardCharsets.UTF_8), null)),
              Messages.message(octets),
              new RequestDecoder(() -> DecodeLimits.DEFAULTS),
              0,
              InternalSink::new);
    }
  }

  /** Makes the templates of both searches. */
  @Setup
  public void fill() {
    if (oneAssertion().length == 0 || threeAssertions().length == 0) {
      throw new IllegalStateException("a search of the benchmark has no template");
    }
  }

  /** Looks up a search of one name. */
  @Benchmark
  public byte[] oneAssertion() {
    return table.values(equality.operation);
  }

  /** Looks up a search with an AND of three assertions. */
  @Benchmark
  public byte[] threeAssertions() {
    return table.values(conjunction.operation);
  }

  /** Releases the octets. */
  @TearDown
  public void release() {
    equality.octets.release();
    conjunction.octets.release();
  }
}
