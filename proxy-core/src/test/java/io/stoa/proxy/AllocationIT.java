// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.util.ResourceLeakDetector;
import io.stoa.testing.InMemoryDirectory;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Bounds the octets that the event loops allocate for one operation, in a running proxy before a
 * directory.
 *
 * <p>A row of {@link Work} names the requests, the configuration and the bound, which is the
 * measured number and 10 %. The compiler only removes allocations, so the first rounds have the
 * highest numbers, and the lowest of all rounds counts.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AllocationIT {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int PEOPLE = 1_000;
  private static final int ROUNDS = 6;
  private static final int OPERATIONS = 1_000;

  private InMemoryDirectory directory;
  private ResourceLeakDetector.Level leakDetection;

  /** One kind of operation. */
  enum Work {
    /** Each bind has another name than the one before. */
    BIND(2_000, setup -> setup, i -> Requests.bind(person(i), InMemoryDirectory.PASSWORD)),
    /** A compare of a password is never cached. */
    COMPARE_OF_PASSWORD(
        2_000,
        setup -> setup,
        i -> Requests.compare(person(i), "userPassword", InMemoryDirectory.PASSWORD)),
    /** A search of one person. */
    MISS_WITHOUT_CACHES(
        2_000,
        ProxySetup::cachesOff,
        i ->
            Requests.search(InMemoryDirectory.PEOPLE)
                .filter("(uid=user." + i + ")")
                .attributes("uid", "cn", "mail")
                .request());

    private final int bound;

    @SuppressWarnings("ImmutableEnumChecker") // without state
    private final UnaryOperator<ProxySetup> setup;

    @SuppressWarnings("ImmutableEnumChecker") // without state
    private final IntFunction<RawRequest> request;

    Work(int bound, UnaryOperator<ProxySetup> setup, IntFunction<RawRequest> request) {
      this.bound = bound;
      this.setup = setup;
      this.request = request;
    }

    private static String person(int number) {
      return "uid=user." + number + "," + InMemoryDirectory.PEOPLE;
    }
  }

  @BeforeAll
  void start() {
    leakDetection = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED); // its records are objects
    directory = InMemoryDirectory.start(PEOPLE);
  }

  @AfterAll
  void stop() {
    directory.close();
    ResourceLeakDetector.setLevel(leakDetection);
  }

  @ParameterizedTest
  @EnumSource(Work.class)
  void anOperationAllocatesNoMoreThanItsBound(Work work) {
    ProxySetup setup = work.setup.apply(ProxySetup.before(directory.port()));
    try (RunningProxy proxy = setup.start();
        RawLdapClient client = proxy.client()) {
      long least = Long.MAX_VALUE; java.util.List<Long> all = new java.util.ArrayList<>();
      for (int round = 0; round < ROUNDS; round++) {
        long octets = octetsOfOne(client, work);
        least = Math.min(least, octets);all.add(octets);
      }
      System.out.println("[ALLOC] " + work + " " + all);
      assertThat(least).as("octets allocated for one %s", work).isLessThanOrEqualTo(work.bound);
    }
  }

  private static long octetsOfOne(RawLdapClient client, Work work) {
    long before = allocated();
    for (int i = 0; i < OPERATIONS; i++) {
      client.call(work.request.apply(i % PEOPLE));
    }
    return (allocated() - before) / OPERATIONS;
  }

  /** Returns the octets that all event loops have allocated. */
  private static long allocated() {
    long[] loops =
        Arrays.stream(THREADS.dumpAllThreads(false, false))
            .filter(thread -> thread.getThreadName().startsWith("stoa-loop"))
            .mapToLong(ThreadInfo::getThreadId)
            .toArray();
    return Arrays.stream(THREADS.getThreadAllocatedBytes(loops)).sum();
  }
}
