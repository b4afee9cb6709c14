// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import io.stoa.testing.Await;
import io.stoa.testing.Parallel;
import io.stoa.testing.People;
import io.stoa.testing.Soak;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * One member more of a large group, round Stoa, while many queries on members are in memory: what
 * that takes of all threads of Stoa, from the octets on the feed's connection to what is void.
 */
@Tag("soak")
class LargeGroupFeedIT {
  private static final int MEMBERS = Soak.scale(2_000, 100_000);
  private static final int QUERIES = MEMBERS / 2;

  /** What cannot be compared with the group that was just added may not rest on the feed. */
  private static final int FEWEST = QUERIES - QUERIES / 100;

  private static final int CHANGES = Soak.scale(3, 40);
  private static final int CLIENTS = 4;
  private static final long MAX_NANOS = 10_000_000;
  private static final String GROUP = "cn=all," + People.PEOPLE;
  private static final Duration MAX_AGE = Duration.ofMillis(200);
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private static String member(int number) {
    return "uid=person" + number + ",ou=people,dc=example,dc=net";
  }

  private static Entry group() {
    String[] members = IntStream.range(0, MEMBERS).mapToObj(i -> member(i)).toArray(String[]::new);
    return new Entry(
        GROUP,
        new Attribute("objectClass", "groupOfNames"),
        new Attribute("cn", "all"),
        new Attribute("member", members));
  }

  @Test
  void theCostOfAnAddedMemberIsBounded() throws Exception {
    try (SlapdWithFeed people =
            SlapdWithFeedSetup.of(20, MAX_AGE).access("index member eq").start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      LDAPConnection root = people.root();
      root.getConnectionOptions().setResponseTimeoutMillis(120_000);
      people.awaitLive();
      root.add(group());
      awaitChanges(people, 0);
      Parallel.run(CLIENTS, PATIENCE, number -> fill(people, number));
      Await.until("they rest on the feed", () -> people.report().domain().views() >= FEWEST);
      long[] nanos = new long[CHANGES];
      for (int i = 0; i < CHANGES; i++) {
        long told = people.report().domain().changes();
        long before = nanos();
        root.modify(GROUP, new Modification(ModificationType.ADD, "member", member(MEMBERS + i)));
        awaitChanges(people, told);
        nanos[i] = nanos() - before;
      }
      Arrays.sort(nanos);
      Soak.record(
          String.format(
              Locale.ROOT,
              "%,d members, %,d cached queries: %.2f ms of all threads for each member that is"
                  + " added (median; %.2f to %.2f ms)",
              MEMBERS,
              people.report().domain().views(),
              nanos[CHANGES / 2] / 1e6,
              nanos[0] / 1e6,
              nanos[CHANGES - 1] / 1e6));
      assertThat(SlapdWithFeed.find(client, query(member(MEMBERS)), "cn").getEntryCount())
          .isEqualTo(1);
      assertThat(people.report().domain().views()).isGreaterThanOrEqualTo(FEWEST);
      if (Soak.isLong()) {
        assertThat(nanos[CHANGES / 2]).isLessThan(MAX_NANOS);
      }
    }
  }

  private static String query(String member) {
    return "(&(objectClass=groupOfNames)(member=" + member + "))";
  }

  /** What none of the members is found by. */
  private static void fill(SlapdWithFeed people, int client) {
    try (LDAPConnection connection = people.client(People.dn(1), People.PASSWORD)) {
      for (int number = client; number < QUERIES; number += CLIENTS) {
        SlapdWithFeed.find(connection, query("uid=other" + number + ",dc=example,dc=net"), "cn");
      }
    }
  }

  private static void awaitChanges(SlapdWithFeed people, long told) {
    Await.until(
        "the feed tells", Duration.ofMinutes(2), () -> people.report().domain().changes() > told);
  }

  private static long nanos() {
    return LongStream.of(THREADS.getAllThreadIds()).map(LargeGroupFeedIT::nanos).sum();
  }

  private static long nanos(long thread) {
    ThreadInfo info = THREADS.getThreadInfo(thread);
    boolean ours = info != null && info.getThreadName().startsWith("stoa-");
    return ours ? Math.max(0, THREADS.getThreadCpuTime(thread)) : 0;
  }
}
