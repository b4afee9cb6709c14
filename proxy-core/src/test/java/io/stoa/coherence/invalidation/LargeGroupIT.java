// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.view.View;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.Samples;
import io.stoa.testing.Soak;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What it costs when one member is added to a large group, as OpenLDAP tells it: with all of its
 * members. Half as many cached queries ask for the groups of somebody else. The feed's sink is told
 * directly; what its thread does with the octets is measured by itself.
 */
@Tag("soak")
class LargeGroupIT {
  private static final int MEMBERS = Soak.scale(2000, 100_000);
  private static final int QUERIES = MEMBERS / 2;
  private static final int CHANGES = Soak.scale(5, 40);

  /** Who becomes a member after all that is measured. */
  private static final int LAST = MEMBERS + 1 + CHANGES;

  private static final long MAX_NANOS = 10_000_000;
  private static final String NAME = "cn=all," + MeasuredDomain.CONTEXT;
  private static final Uuid GROUP = new Uuid(3, 1);
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final List<byte[]> members = new ArrayList<>();

  private static String person(int number) {
    return "uid=person" + number + ",ou=people," + MeasuredDomain.CONTEXT;
  }

  /** The group with one more member, as it comes from the feed. */
  private byte[] oneMore() {
    members.add(MeasuredDomain.octets(person(members.size())));
    List<byte[]> attributes =
        List.of(
            attribute("objectClass", "groupOfNames"),
            attribute("cn", "all"),
            attribute("hasSubordinates", "FALSE"),
            SearchEntry.encodeAttribute(MeasuredDomain.octets("member"), members));
    return SearchEntry.encode(MeasuredDomain.octets(NAME), attributes);
  }

  private static byte[] attribute(String name, String value) {
    return SearchEntry.encodeAttribute(
        MeasuredDomain.octets(name), List.of(MeasuredDomain.octets(value)));
  }

  private static Image image(byte[] op) {
    try {
      return Samples.image(SearchEntry.parse(op));
    } catch (LdapProtocolException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void theCostOfAnAddedMemberIsBounded() {
    for (int number = 0; number < MEMBERS; number++) {
      members.add(MeasuredDomain.octets(person(number)));
    }
    try (MeasuredDomain realm = new MeasuredDomain()) {
      for (int query = 0; query < QUERIES; query++) {
        realm.cached("(&(objectClass=groupOfNames)(member=uid=other" + query + ",dc=x))");
      }
      View asked = realm.cached("(&(objectClass=groupOfNames)(member=" + person(LAST) + "))");
      View former = realm.cached("(&(objectClass=groupOfNames)(!(member=" + person(0) + ")))");
      long first = realm.modified(GROUP, image(oneMore()));
      assertThat(realm.realm().status().views()).isEqualTo(QUERIES + 2);
      measure(realm, first);
      assertThat(asked.isInvalid()).isFalse();
      realm.modified(GROUP, image(oneMore()));
      assertThat(asked.isInvalid()).isTrue();
      members.remove(0);
      assertThat(former.isInvalid()).isFalse();
      realm.modified(GROUP, image(oneMore()));
      assertThat(former.isInvalid()).isTrue();
    }
  }

  private void measure(MeasuredDomain realm, long first) {
    long[] applying = new long[CHANGES];
    long[] reading = new long[CHANGES];
    for (int i = 0; i < CHANGES; i++) {
      byte[] op = oneMore();
      long before = THREADS.getCurrentThreadCpuTime();
      Image image = image(op);
      reading[i] = THREADS.getCurrentThreadCpuTime() - before;
      applying[i] = realm.modified(GROUP, image);
    }
    Soak.record(
        String.format(
            Locale.ROOT,
            "%,d members, %,d cached queries: %.2f ms of the realm's thread for each member that is"
                + " added (median; %.2f ms for the first), %.2f ms to parse the entry",
            MEMBERS,
            QUERIES,
            median(applying) / 1e6,
            first / 1e6,
            median(reading) / 1e6));
    if (Soak.isLong()) {
      assertThat(median(applying) + median(reading)).isLessThan(MAX_NANOS);
    }
  }

  private static long median(long[] figures) {
    long[] sorted = figures.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
