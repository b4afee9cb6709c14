// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.tracking;

import static io.stoa.testing.SmallDirectory.entry;
import static io.stoa.testing.SmallDirectory.person;
import static io.stoa.testing.SmallDirectory.query;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

import io.stoa.coherence.tracking.BracketingRead.SeenEntry;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.filter.ResponseContents;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import io.stoa.testing.SmallDirectory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What follows from what the account of a feed and a client are given of the same entries. */
class FeedComparisonTest {
  private static final String ANN = "cn=ann,ou=p,dc=x";
  private static final String ANN_IN_OTHER_LETTERS = "cn=Ann,ou=p,dc=x";
  private static final String BOB = "cn=bob,ou=p,dc=x";
  private static final Query MILLERS = query("ou=p,dc=x", 2, "(sn=miller)");

  private static final Image MILLER = person(ANN, "Miller");
  private static final Image SMITH = person(ANN, "Smith");

  /** Whatever it lacks it may have. */
  private static final Image PART =
      Image.of(
          entry(ANN, Map.of("objectClass", "person", "hasSubordinates", "FALSE")),
          false,
          SmallDirectory.PROFILE);

  private static final int SIZE_LIMIT_EXCEEDED = 4;
  private static final int NO_SUCH_OBJECT = 32;

  private static ResponseContents answers(int code, Image... found) {
    try {
      return ResponseContents.of(
          code, Stream.of(found).map(image -> encoded(image.entry())).toList());
    } catch (LdapProtocolException e) {
      throw new AssertionError(e);
    }
  }

  private static byte[] encoded(SearchEntry entry) {
    List<byte[]> attributes = entry.attributes().stream().map(AttributeOctets::encoded).toList();
    return SearchEntry.encode(entry.dn(), attributes);
  }

  /** A client that may see all of what it finds. */
  private static Map<Octets, Set<Octets>> shown(SearchEntry entry) {
    try {
      return ResponseContents.of(0, List.of(encoded(entry))).entries().values().iterator().next();
    } catch (LdapProtocolException e) {
      throw new AssertionError(e);
    }
  }

  private static Map<Octets, SeenEntry> sights(Map<String, SeenEntry> seen) {
    Map<Octets, SeenEntry> sights = new HashMap<>();
    seen.forEach((name, seenEntry) -> sights.put(Octets.ofUtf8(name), seenEntry));
    return sights;
  }

  private static @Nullable Boolean alike(
      Map<String, SeenEntry> seen,
      @Nullable ResponseContents between,
      ResponseContents given,
      ResponseContents told) {
    List<Octets> names = given.differing(told);
    return new FeedComparison(names, MILLERS, FeedComparisonTest::shown)
        .isEqual(sights(seen), between, given, told);
  }

  private static final ResponseContents NOTHING = answers(0);
  private static final ResponseContents GIVEN = answers(0, MILLER);

  static Stream<Arguments> comparesOneEntry() {
    SeenEntry seen = new SeenEntry(MILLER);
    SeenEntry gone = new SeenEntry(null);
    ResponseContents absent = answers(NO_SUCH_OBJECT);
    ResponseContents part = answers(SIZE_LIMIT_EXCEEDED);
    ResponseContents twice = new ResponseContents(0, Map.of(), 1);
    return Stream.of(
        argumentSet("the account is given more", seen, NOTHING, NOTHING, false),
        argumentSet("or more of it", seen, answers(0, person(ANN, "M")), NOTHING, false),
        argumentSet("or all there is", seen, absent, absent, false),
        argumentSet("both are given it", seen, GIVEN, NOTHING, true),
        argumentSet("neither is", gone, NOTHING, NOTHING, true),
        argumentSet("there is no such object either", gone, absent, absent, true),
        argumentSet("the client is given more", gone, GIVEN, NOTHING, null),
        argumentSet("it was not so all the time", null, NOTHING, NOTHING, null),
        argumentSet("the client was told nothing", seen, null, NOTHING, null),
        argumentSet("or not all", seen, part, NOTHING, null),
        argumentSet("not even what is gone for both", gone, part, NOTHING, null),
        argumentSet("the query does not find it", new SeenEntry(SMITH), NOTHING, NOTHING, true),
        argumentSet("but the client", new SeenEntry(SMITH), GIVEN, NOTHING, null),
        argumentSet("it is not known whether", new SeenEntry(PART), NOTHING, NOTHING, null),
        argumentSet("another error tells them apart", gone, NOTHING, part, null),
        argumentSet("no object, though it is there", seen, GIVEN, absent, null),
        argumentSet("one that came twice", gone, NOTHING, twice, null));
  }

  @ParameterizedTest
  @MethodSource
  void comparesOneEntry(
      @Nullable SeenEntry seenEntry,
      @Nullable ResponseContents between,
      ResponseContents told,
      @Nullable Boolean expected) {
    Map<String, SeenEntry> seen = seenEntry == null ? Map.of() : Map.of(ANN, seenEntry);
    assertThat(alike(seen, between, GIVEN, told)).isEqualTo(expected);
  }

  /** What has gone for both is alike, whatever would be shown of it. */
  @Test
  void onlyAbsentEntriesAreComparedIfTheirContentIsUnknown() {
    FeedComparison comparison =
        new FeedComparison(GIVEN.differing(NOTHING), MILLERS, entry -> null);
    Map<Octets, SeenEntry> seen = sights(Map.of(ANN, new SeenEntry(MILLER)));
    assertThat(comparison.isEqual(seen, GIVEN, GIVEN, NOTHING)).isNull();
    assertThat(comparison.isEqual(seen, NOTHING, GIVEN, NOTHING)).isNull();
    Map<Octets, SeenEntry> gone = sights(Map.of(ANN, new SeenEntry(null)));
    assertThat(comparison.isEqual(gone, NOTHING, GIVEN, NOTHING)).isTrue();
  }

  @Test
  void oneEntryThatTheFeedSeesMoreOfDecides() {
    ResponseContents both = answers(0, MILLER, person(BOB, "Miller"));
    SeenEntry bob = new SeenEntry(person(BOB, "Miller"));
    assertThat(alike(Map.of(BOB, bob), NOTHING, both, NOTHING)).isFalse();
    SeenEntry gone = new SeenEntry(null);
    assertThat(alike(Map.of(ANN, gone, BOB, bob), NOTHING, both, NOTHING)).isFalse();
    assertThat(alike(Map.of(ANN, gone), NOTHING, both, NOTHING)).isNull();
    assertThat(alike(Map.of(ANN, gone, BOB, gone), NOTHING, both, NOTHING)).isTrue();
  }

  /** Each of the two spellings finds it, and it is told by the newer one. */
  @Test
  void anEntryWithAnotherSpellingIsTheSame() {
    Image now = person(ANN_IN_OTHER_LETTERS, "Miller");
    ResponseContents told = answers(0, now);
    Map<String, SeenEntry> seen =
        Map.of(ANN, new SeenEntry(now), ANN_IN_OTHER_LETTERS, new SeenEntry(now));
    assertThat(alike(seen, told, GIVEN, told)).isTrue();
    ResponseContents less = answers(0, person(ANN_IN_OTHER_LETTERS, "M"));
    assertThat(alike(seen, less, GIVEN, less)).isFalse();
    assertThat(alike(seen, NOTHING, GIVEN, told)).isFalse();
  }
}
