// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cache.CacheStats;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Client libraries of different make do the same, direct and through Stoa, and cannot tell one from
 * the other: what they make of the answers is equal, line by line.
 */
class ClientProgrammeIT {
  private static Slapd direct;
  private static Slapd behind;
  private static RunningProxy stoa;

  @BeforeAll
  static void start() {
    direct = Slapd.start(ClientDirectory.config());
    behind = Slapd.start(ClientDirectory.config());
    stoa = ProxySetup.before(behind.port()).maxAge(Duration.ofHours(1)).start();
  }

  @AfterAll
  static void stop() {
    stoa.close();
    behind.close();
    direct.close();
  }

  static Stream<Arguments> everyLibraryEveryWay() {
    return Arrays.stream(ClientLibrary.values())
        .flatMap(
            library ->
                Arrays.stream(ConnectionKind.values()).map(kind -> Arguments.of(library, kind)));
  }

  @ParameterizedTest
  @MethodSource("everyLibraryEveryWay")
  void transcriptsAreEqual(ClientLibrary library, ConnectionKind kind) throws Exception {
    assertAlike(library, kind);
    CacheStats before = stoa.cache();
    assertAlike(library, kind);
    CacheStats after = stoa.cache();
    assertThat(after.filterHits() - before.filterHits())
        .isGreaterThanOrEqualTo(Programme.REPEATED_SEARCHES);
    assertThat(after.compareHits() - before.compareHits()).isEqualTo(Programme.REPEATED_COMPARES);
  }

  /** The programme ends as it should direct, and says the same through Stoa. */
  private static void assertAlike(ClientLibrary library, ConnectionKind kind) throws Exception {
    Transcript expected = library.run(new Target(kind, direct.port()));
    assertThat(List.copyOf(expected.results().entrySet()))
        .isEqualTo(List.copyOf(library.results().entrySet()));
    assertThat(expected.differences(library.run(throughStoa(kind)))).isEmpty();
  }

  private static Target throughStoa(ConnectionKind kind) {
    return new Target(kind, stoa.address().getPort());
  }
}
