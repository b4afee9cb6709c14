// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.ghost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.cache.ghost.CurveStatus.SizePoint;
import io.stoa.cache.result.CacheStats;
import io.stoa.testing.Answers;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.Soak;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Estimated hit ratios are those of a Stoa that runs with the estimated size. */
@Tag("soak")
class CacheSizesIT {
  private static final int SIZE = Soak.scale(10_000, 20_000);
  private static final int KEYS = 5 * SIZE;
  private static final int LOOKUPS = Soak.scale(80_000, 300_000);
  private static final int BATCH = 500;
  private static final double THREE_POINTS = 0.03;
  private static final double[] FACTORS = {0.25, 0.5, 1, 2, 4};
  private static final Entry PERSON =
      new Entry("uid=a,dc=example,dc=com", new com.unboundid.ldap.sdk.Attribute("uid", "a"));

  @RegisterExtension
  final ScriptedUpstream upstream = ScriptedUpstream.forgetful().always(Answers.entries(PERSON));

  static Stream<Workload> workloads() {
    Stream<Workload> all =
        Stream.of(Workload.uniform(KEYS), Workload.zipf(KEYS), Workload.zipfWithScan(KEYS));
    return Soak.isLong() ? all : Stream.of(Workload.zipfWithScan(KEYS));
  }

  /** Sizes that are run: all in the long form. */
  private static int[] measured() {
    return Soak.isLong() ? new int[] {0, 1, 2, 3, 4} : new int[] {0, 4};
  }

  private RunningProxy start(double factor) {
    int size = (int) (SIZE * factor);
    return ProxySetup.before(upstream.port())
        .maxAge(Duration.ofHours(1))
        .cache("filterCacheSize", size)
        .cache("entryCacheSize", size)
        .start()
        .awaitUp();
  }

  private static RawRequest search(int key) {
    return Requests.search("dc=example,dc=com")
        .filter("(uid=user." + key + ")")
        .attributes("uid")
        .request();
  }

  private static void send(RawLdapClient client, IntSupplier keys) {
    for (int sent = 0; sent < LOOKUPS; sent += BATCH) {
      RawRequest[] requests =
          IntStream.range(0, BATCH)
              .mapToObj(any -> search(keys.getAsInt()))
              .toArray(RawRequest[]::new);
      int first = client.sendTogether(requests);
      for (int id = first; id < first + BATCH; id++) {
        assertThat(RawLdapClient.last(client.await(id)).resultCode()).isZero();
      }
    }
  }

  /** Sends the workload twice, and returns the hit ratio of the second time. */
  private static double run(RunningProxy proxy, Workload workload) {
    IntSupplier keys = workload.keys();
    try (RawLdapClient client = proxy.client()) {
      send(client, keys);
      CacheStats before = proxy.cache();
      simulation(proxy).reset();
      send(client, keys);
      CacheStats after = proxy.cache();
      return (double) (after.filterHits() - before.filterHits()) / LOOKUPS;
    }
  }

  private static CacheSimulation simulation(RunningProxy proxy) {
    return proxy.proxy().adminCommands().caches().simulation();
  }

  @ParameterizedTest
  @MethodSource("workloads")
  void estimatesAreTheRatiosOfCachesOfTheseSizes(Workload workload) {
    List<CurveStatus> curves;
    try (RunningProxy proxy = start(1)) {
      run(proxy, workload);
      curves = List.of(simulation(proxy).byResults(), simulation(proxy).byEntries());
    }
    for (int index : measured()) {
      try (RunningProxy proxy = start(FACTORS[index])) {
        double ratio = run(proxy, workload);
        for (CurveStatus curve : curves) {
          SizePoint point = curve.points().get(index);
          Soak.record(
              String.format(
                  Locale.ROOT,
                  "%s, size %d: estimated %.3f, measured %.3f",
                  workload,
                  point.size(),
                  point.hitRatio(),
                  ratio));
          assertThat(point.hitRatio()).as("%s", point).isCloseTo(ratio, within(THREE_POINTS));
        }
      }
    }
  }
}
