// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import static io.stoa.testing.SmallDirectory.csn;
import static io.stoa.testing.SmallDirectory.dn;
import static io.stoa.testing.SmallDirectory.modified;
import static io.stoa.testing.SmallDirectory.octets;
import static io.stoa.testing.SmallDirectory.person;
import static io.stoa.testing.SmallDirectory.query;
import static io.stoa.testing.SmallDirectory.uuid;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cache.result.CachedResult.TrackedView;
import io.stoa.cache.result.Lookup.LookupListener;
import io.stoa.cache.sharing.SharingClass;
import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.coherence.index.PredicateIndex;
import io.stoa.coherence.rights.Derivation;
import io.stoa.coherence.rights.DerivedAttributes;
import io.stoa.coherence.rights.DerivedConfig;
import io.stoa.coherence.rights.DerivedData;
import io.stoa.coherence.rights.RightsWatermark;
import io.stoa.coherence.tracking.CheckedSearch.Checked;
import io.stoa.coherence.view.EpochState;
import io.stoa.coherence.view.FreshnessGuarantee;
import io.stoa.coherence.view.Invalidator;
import io.stoa.coherence.view.Members;
import io.stoa.coherence.view.View;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.AttributeSelection;
import io.stoa.testing.SmallDirectory;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What becomes of stored results when they are changed in place, and who is given them. */
class ResultMaintainerTest {
  private static final byte[] DONE = {0x65, 7, 10, 1, 0, 4, 0, 4, 0};
  private static final String BASE = "ou=p,dc=x";
  private static final SharingClass ALIKE =
      new SharingClass("all", Octets.ofUtf8("p"), true, true, Attributes.ALL, null);

  private long now = 1_000_000_000_000L;
  private boolean live = true;
  private final Caches caches = caches();
  private final RightsWatermark watermark =
      new RightsWatermark(
          Duration.ofHours(1), Duration.ZERO, LongUnaryOperator.identity(), () -> now);
  private final EpochState terms =
      new EpochState(new FreshnessGuarantee(time -> live, time -> true, null));
  private PredicateIndex<View> index = new PredicateIndex<>();
  private Invalidator effects = new Invalidator(index, truth -> {});

  private Caches caches() {
    Caches.Outages none =
        new Caches.Outages() {
          @Override
          public boolean affects(Request request) {
            return false;
          }

          @Override
          public boolean hasAny() {
            return false;
          }
        };
    Caches made =
        new Caches(
            CacheConfig.DEFAULTS,
            () -> Duration.ZERO,
            none,
            Caches.ClockAndRandom.withClock(() -> now));
    made.setProfile(SmallDirectory.PROFILE);
    return made;
  }

  private Lookup lookup(String filter, int limit) {
    CacheGeneration generation = caches.generation();
    AttributeSelection selection =
        AttributeSelection.of(List.of(octets("cn"), octets("sn")), SmallDirectory.PROFILE);
    QueryKey.Reach reach = new QueryKey.Reach(dn(BASE).treePosition(), dn(BASE).depth(), 2);
    Octets asked = Octets.ofUtf8(filter);
    RequestTemplate request = CacheRequests.of(generation.number(), asked, reach, selection, limit);
    long epoch = caches.epoch().epoch();
    long oldest = now - Duration.ofSeconds(5).toNanos();
    return new Lookup(generation, request, RequestTemplate.NO_VALUES, ALIKE, epoch, oldest, now);
  }

  private static String name(int entry) {
    return "cn=" + entry + "," + BASE;
  }

  private static List<EncodedResponse> found(int... entries) {
    return IntStream.of(entries).mapToObj(entry -> new EncodedResponse(op(name(entry)))).toList();
  }

  private static byte[] op(String name) {
    byte[] cn = SearchEntry.encodeAttribute(octets("cn"), List.of(octets("x")));
    byte[] sn = SearchEntry.encodeAttribute(octets("sn"), List.of(octets("Miller")));
    return SearchEntry.encode(octets(name), List.of(cn, sn));
  }

  /** Stores what a search has found, each entry in its first state. */
  private View fill(String filter, int limit, int facets, int... entries) {
    Lookup lookup = lookup(filter, limit);
    ResultMaintainer maintenance =
        (ResultMaintainer) ResultMaintainer.of(caches, new Fill(lookup, new byte[] {1}, 0));
    List<Members.Member> members =
        IntStream.of(entries)
            .mapToObj(entry -> new Members.Member(uuid(entry), csn(1), dn(name(entry))))
            .toList();
    View view = new View(query(BASE, 2, filter), Members.of(members), terms, index, maintenance);
    view.register(members.stream().map(Members.Member::dn).toList());
    view.setReadNanos(now);
    view.markUnseen();
    view.markValid();
    Csn[] versions = members.stream().map(Members.Member::csn).toArray(Csn[]::new);
    Uuid[] uuids = members.stream().map(Members.Member::uuid).toArray(Uuid[]::new);
    Derivation derived =
        Derivation.of(watermark, facets, Collections.nCopies(entries.length, DerivedData.NONE));
    DerivedAttributes attributes =
        DerivedAttributes.of(DerivedConfig.DEFAULTS, SmallDirectory.RULES);
    Checked checked = new Checked(view, versions, uuids, derived, attributes, null);
    TrackedView watch =
        maintenance.begin(view, derived, checked, Lookup.Origin.of(lookup, List.of()));
    store(lookup, watch, entries);
    return view;
  }

  private void store(Lookup lookup, @Nullable TrackedView watch, int... entries) {
    ResultStore.Result result = new ResultStore.Result(new EncodedResponse(DONE), watch);
    caches.onFilled(
        new Fill(lookup, new byte[] {1}, caches.epoch().flushes()),
        List.of(),
        found(entries),
        result);
  }

  private @Nullable CachedAnswer given(String filter) {
    return caches.store().find(lookup(filter, 0), LookupListener.FOR_CLIENT);
  }

  private void report(int entry, String sn, int number) {
    effects.apply(modified(entry, person(name(entry), sn), number), null);
  }

  /** Nobody knows where its limit is; a result that would be cut there must not be given. */
  @Test
  void aResultDoesNotGrowBeyondTheKnownSizeLimit() {
    View millers = fill("(sn=miller)", 0, DerivedData.NONE, 1, 2);
    report(3, "Miller", 2);
    assertThat(millers.isInvalid()).isTrue();
    fill("(cn=x)", 0, DerivedData.NONE, 1, 2, 3);
    View again = fill("(sn=miller)", 0, DerivedData.NONE, 1, 2);
    report(4, "Miller", 3);
    assertThat(given("(sn=miller)").count()).isEqualTo(3);
    report(5, "Miller", 4);
    assertThat(again.isInvalid()).isTrue();
    assertThat(given("(sn=miller)")).isNull();
  }

  /** A directory may have one limit for who asks for less, and another one for who does not. */
  @Test
  void aLimitedAnswerProvesNoUnlimitedSize() {
    fill("(cn=x)", 50, DerivedData.NONE, 1, 2, 3);
    View millers = fill("(sn=miller)", 0, DerivedData.NONE, 1, 2);
    report(4, "Miller", 2);
    assertThat(millers.isInvalid()).isTrue();
  }

  @Test
  void anAnswerFromBeforeAChangeOfRightsProvesNothing() {
    fill("(cn=x)", 0, DerivedData.NONE, 1, 2, 3);
    now++;
    watermark.onRightsChange();
    now++;
    View millers = fill("(sn=miller)", 0, DerivedData.NONE, 1, 2);
    report(4, "Miller", 2);
    assertThat(millers.isInvalid()).isTrue();
  }

  /** The transaction may be aborted that the feed has told of. */
  @Test
  void feedOnlyUpdatesAreNotServedByAge() {
    store(lookup("(cn=aged)", 0), null, 1);
    View view = fill("(cn=x)", 0, DerivedData.NONE, 1);
    assertThat(given("(cn=aged)")).isNotNull();
    report(1, "Phantom", 2);
    assertThat(given("(cn=aged)")).isNull();
    assertThat(given("(cn=x)")).isNotNull();
    live = false;
    assertThat(given("(cn=x)")).isNull();
    view.confirmUpdate();
    assertThat(given("(cn=x)")).isNotNull();
    assertThat(given("(cn=aged)")).isNull();
  }

  @Test
  void revokedResultsAreNotServedByAge() {
    fill("(cn=x)", 0, DerivedData.GROUPS, 1);
    fill("(sn=miller)", 0, DerivedData.NONE, 1);
    now++;
    watermark.onDerivedChange(DerivedData.GROUPS, Position.NONE);
    assertThat(given("(cn=x)")).isNull();
    assertThat(given("(sn=miller)")).isNotNull();
    watermark.onRightsChange();
    assertThat(given("(sn=miller)")).isNull();
  }

  /** It may be left in a cache that has another size by now. */
  @Test
  void replacedResultsAreNotServed() {
    fill("(cn=x)", 0, DerivedData.NONE, 1);
    Lookup lookup = lookup("(cn=x)", 0);
    CachedResult before = caches.store().peek(lookup.key());
    assertThat(before.liveWatch(now)).isNotNull();
    report(1, "Smith", 2);
    CachedResult after = caches.store().peek(lookup.key());
    assertThat(after.liveWatch(now)).isNotNull();
    after.watch().view().confirmUpdate();
    assertThat(before.liveWatch(now)).isNull();
    assertThat(before.isServableByAge(lookup.epoch(), lookup.oldestNanos(), now)).isFalse();
    assertThat(after.isServableByAge(lookup.epoch(), lookup.oldestNanos(), now)).isTrue();
  }

  /** Ten thousand results may show one large group. */
  @Test
  void anEntryShownByManyResultsIsBuiltOnce() {
    fill("(cn=x)", 0, DerivedData.NONE, 1);
    Invalidator first = effects;
    index = new PredicateIndex<>();
    effects = new Invalidator(index, truth -> {});
    fill("(sn=miller)", 0, DerivedData.NONE, 1);
    report(1, "Miller", 2);
    EncodedResponse body = given("(sn=miller)").entry(0);
    first.apply(modified(1, person(name(1), "Miller"), 2), null);
    assertThat(given("(cn=x)").entry(0)).isSameAs(body);
  }

  /** Each may be given by what it rests on itself, whichever is changed first. */
  @Test
  void anEntryBuiltForAnOlderResultIsSharedWithANewerOne() {
    fill("(cn=x)", 0, DerivedData.NONE, 1);
    Invalidator first = effects;
    index = new PredicateIndex<>();
    effects = new Invalidator(index, truth -> {});
    now += 10;
    fill("(sn=miller)", 0, DerivedData.NONE, 1);
    first.apply(modified(1, person(name(1), "Miller"), 2), null);
    byte[] op = given("(cn=x)").entry(0).op();
    report(1, "Miller", 2);
    assertThat(given("(sn=miller)")).isNotNull();
    assertThat(given("(sn=miller)").entry(0).op()).isSameAs(op);
    assertThat(given("(cn=x)")).isNotNull();
  }
}
