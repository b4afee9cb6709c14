// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cache.memory.BoundedCache;
import io.stoa.cache.result.StoredEntry.EntryState;
import io.stoa.cache.result.StoredEntry.ReadContext;
import io.stoa.cache.sharing.SharingClass;
import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.Interner;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.ldap.protocol.RequestScanner;
import io.stoa.ldap.protocol.RequestShape;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.AttributeSelection;
import io.stoa.ldap.schema.Profiles;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class CachedResultTest {
  private static final byte[] DONE = {0x65, 7, 10, 1, 0, 4, 0, 4, 0};
  private static final long EPOCH = 7;
  private static final long OLDEST = 0;

  private static final ContextTable CONTEXTS = new ContextTable();
  private static final EntryTable TABLE = new EntryTable();

  private static final ReadContext CONTEXT =
      new ReadContext(
          Octets.EMPTY,
          Octets.EMPTY,
          AttributeSelection.of(List.of(), ServerProfile.EXACT),
          List.of(),
          null);

  private static StoredEntry[] entries(String... names) {
    return Stream.of(names)
        .map(name -> SearchEntry.encode(name.getBytes(UTF_8), List.of()))
        .map(op -> new StoredEntry(CONTEXT, op, EPOCH, 0, EntryState.UNKNOWN))
        .toArray(StoredEntry[]::new);
  }

  /** Returns a later read of an entry, with 1,000 octets of attributes. */
  private static StoredEntry larger(String name) {
    byte[] op = SearchEntry.encode(name.getBytes(UTF_8), List.of(new byte[1_000]));
    return new StoredEntry(CONTEXT, op, EPOCH, 1, EntryState.UNKNOWN);
  }

  private static Fill fill(RequestTemplate request) {
    SharingClass own = new SharingClass("all", Octets.EMPTY, true, true, Attributes.ALL, null);
    CacheGeneration rules =
        new CacheGeneration(1, ServerProfile.EXACT, CacheConfig.DEFAULTS, 1_000_000);
    Lookup lookup = new Lookup(rules, request, RequestTemplate.NO_VALUES, own, EPOCH, OLDEST, 0);
    return new Fill(lookup, new byte[] {1}, 0);
  }

  private static CachedResult read(long epoch, long sent, int limit, String... names) {
    Lookup.Origin origin = new Lookup.Origin(List.of(), epoch, sent, null);
    RequestTemplate request =
        CacheRequests.of(1, Octets.EMPTY, QueryKey.Reach.ANYWHERE, null, limit);
    return CachedResult.read(
        fill(request),
        entries(names),
        new ResultStore.Result(new EncodedResponse(DONE.clone()), null),
        origin,
        CONTEXTS);
  }

  @Test
  void anEqualResultHoldsSinceItsFirstRead() {
    CachedResult second =
        read(EPOCH, 20, 0, "a", "b").replacing(read(EPOCH, 10, 0, "a", "b"), OLDEST, TABLE);
    assertThat(second.firstNanos()).isEqualTo(10);
    assertThat(second.lastNanos()).isEqualTo(20);
  }

  @Test
  void aDifferentResultHoldsSinceItsOwnRead() {
    assertThat(
            read(EPOCH, 20, 0, "b", "a")
                .replacing(read(EPOCH, 10, 0, "a", "b"), OLDEST, TABLE)
                .firstNanos())
        .isEqualTo(20);
    assertThat(
            read(EPOCH, 20, 0, "a")
                .replacing(read(EPOCH - 1, 10, 0, "a"), OLDEST, TABLE)
                .firstNanos())
        .isEqualTo(20);
  }

  /** A read with more attributes is larger than the one that it replaces. */
  @Test
  void replacedReadsAreCountedByTheirOwnSize() {
    EntryTable table = new EntryTable();
    BoundedCache<QueryKey, CachedResult> cache =
        new BoundedCache<>(10, 1_000_000, CachedResult::weight, item -> item.release(table));
    for (List<String> names : List.of(List.of("a"), List.of("b", "c"))) {
      CachedResult item = read(EPOCH, 10, 0, names.toArray(String[]::new));
      QueryKey key =
          new QueryKey.StoredKey(Octets.ofUtf8(names.get(0)), NormalQuery.NONE, new byte[0]);
      Stream.of(item.entries()).forEach(table::add);
      cache.put(key, item);
      StoredEntry before = item.entry(0);
      StoredEntry larger = larger(names.get(0));
      table.add(larger);
      table.release(larger);
      assertThat(before.isSuperseded()).isTrue();
      assertThat(item.replace(table, 0, before, larger)).as("no result holds it").isZero();
      table.add(larger);
      cache.onResized(key, item.replace(table, 0, before, larger));
      assertThat(cache.bytes()).isEqualTo(CachedResult.weight(key, item)).isGreaterThan(1_000);
      cache.removeIf(key, any -> true);
      assertThat(cache.bytes()).isZero();
      assertThat(item.replace(table, 0, larger, before)).isZero();
      table.release(larger);
      assertThat(table.count()).isZero();
    }
  }

  /** The template stays as long as a result has it, whatever the order in which results go. */
  @Test
  void resultsCountTheirTemplateOnceAndTogether() throws LdapProtocolException {
    RequestTemplate shared = template("x".repeat(1_000));
    ContextTable contexts = new ContextTable();
    CachedResult first = result(shared, contexts);
    long octets = contexts.templateOctets();
    assertThat(octets).isEqualTo(shared.size());
    CachedResult second = result(shared, contexts);
    assertThat(contexts.templateOctets()).isEqualTo(octets);
    CachedResult both = second.replacing(first, OLDEST, TABLE);
    assertThat(contexts.templateOctets()).isEqualTo(octets);
    first.release(TABLE);
    first.release(TABLE);
    assertThat(contexts.templateOctets()).isEqualTo(octets);
    both.release(TABLE);
    assertThat(contexts.templateOctets()).isZero();
  }

  /** Requests with either attribute list are answered from the later result. */
  @Test
  void aResultKeepsReadsOfItsEntriesWithOtherAttributes() {
    EntryTable table = new EntryTable();
    CachedResult earlier = ofAttribute(table, "cn", 10);
    StoredEntry first = earlier.entry(0);
    CachedResult later = ofAttribute(table, "sn", 20).replacing(earlier, OLDEST, table);
    earlier.release(table);
    assertThat(later.others()).containsExactly(first);
    assertThat(table.find(later.entry(0), first.selection(), EPOCH, null)).isSameAs(first);
    later.release(table);
    assertThat(table.count()).isZero();
  }

  private static CachedResult ofAttribute(EntryTable table, String attribute, long sent) {
    AttributeSelection selection =
        AttributeSelection.of(List.of(attribute.getBytes(UTF_8)), ServerProfile.EXACT);
    ReadContext context = new ReadContext(Octets.EMPTY, Octets.EMPTY, selection, List.of(), null);
    byte[] op = SearchEntry.encode("a".getBytes(UTF_8), List.of());
    StoredEntry read = table.add(new StoredEntry(context, op, EPOCH, sent, EntryState.UNKNOWN));
    return CachedResult.read(
        fill(CacheRequests.of(1, Octets.EMPTY, QueryKey.Reach.ANYWHERE, selection, 0)),
        new StoredEntry[] {read},
        new ResultStore.Result(new EncodedResponse(DONE.clone()), null),
        new Lookup.Origin(List.of(), EPOCH, sent, null),
        CONTEXTS);
  }

  @Test
  void aResultCountsTheTemplateOfItsOwnRequest() {
    RequestTemplate own =
        CacheRequests.of(1, Octets.ofUtf8("x".repeat(100)), QueryKey.Reach.ANYWHERE, null, 0);
    ContextTable contexts = new ContextTable();
    CachedResult item = result(own, contexts);
    QueryKey key = new QueryKey.StoredKey(Octets.EMPTY, NormalQuery.NONE, new byte[3]);
    assertThat(CachedResult.size(key, item)).isGreaterThan(key.size() + own.size());
    assertThat(contexts.templateOctets()).isZero();
  }

  private static CachedResult result(RequestTemplate request, ContextTable contexts) {
    return CachedResult.read(
        fill(request),
        new StoredEntry[0],
        new ResultStore.Result(new EncodedResponse(DONE.clone()), null),
        new Lookup.Origin(List.of(), EPOCH, 10, null),
        contexts);
  }

  private static RequestTemplate template(String attribute) throws LdapProtocolException {
    RawRequest search =
        Requests.search("dc=example,dc=com").filter("(cn=a)").attributes(attribute).request();
    LdapMessage message = LdapMessage.ofBody(1, search.op());
    RequestScanner scanner = new RequestScanner();
    Request request = new RequestDecoder(() -> DecodeLimits.DEFAULTS).decode(message);
    RequestShape shape = scanner.scan(message).copy();
    return new Cacheability(1, Profiles.OPENLDAP, CacheConfig.DEFAULTS)
        .template(request, scanner)
        .interned(new Interner(1, 0), shape, request, DecodeLimits.DEFAULTS);
  }

  @Test
  void anExpiredResultProvesNothing() {
    assertThat(read(EPOCH, 20, 0, "a").replacing(read(EPOCH, 10, 0, "a"), 11, TABLE).firstNanos())
        .isEqualTo(20);
  }

  @Test
  void aSlowSearchDoesNotReplaceANewerResult() {
    CachedResult newer = read(EPOCH, 20, 0, "a");
    assertThat(read(EPOCH, 10, 0, "b").replacing(newer, OLDEST, TABLE)).isSameAs(newer);
    assertThat(read(EPOCH - 1, 30, 0, "b").replacing(newer, OLDEST, TABLE)).isSameAs(newer);
  }

  @Test
  void isServedInItsEpochAndUntilItsAge() {
    CachedResult item = read(EPOCH, 10, 0, "a");
    assertThat(item.isServableByAge(EPOCH, 10, 0)).isTrue();
    assertThat(item.isServableByAge(EPOCH, 11, 0)).isFalse();
    assertThat(item.isServableByAge(EPOCH + 1, 10, 0)).isFalse();
  }

  /** Whoever is given it meanwhile is no reason to ask again, and is not counted as one. */
  @Test
  void hitsStartARefreshOnlyNowAndThen() {
    CachedResult item = read(EPOCH, 0, 0, "a");
    long millis = 1_000_000;
    int asked = 0;
    for (int hit = 0; hit < 1000; hit++) {
      item.countHit(hit * millis);
      asked += item.tryStartRefresh(hit * millis) ? 1 : 0;
    }
    assertThat(asked).isEqualTo(4);
  }

  @Test
  void aLimitIsProvedByOneAtLeastAsLarge() {
    CachedResult.SizeLimits ten = CachedResult.SizeLimits.of(10);
    assertThat(ten.cover(10, 3)).isTrue();
    assertThat(ten.cover(2, 3)).isTrue();
    assertThat(ten.cover(11, 3)).isFalse();
    assertThat(ten.cover(0, 3)).isFalse();
  }

  @Test
  void anUnlimitedResultProvesLimitsThatItFills() {
    CachedResult.SizeLimits none = CachedResult.SizeLimits.of(0);
    assertThat(none.cover(0, 3)).isTrue();
    assertThat(none.cover(3, 3)).isTrue();
    assertThat(none.cover(1, 0)).isTrue();
    assertThat(none.cover(4, 3)).isFalse();
    assertThat(none.and(CachedResult.SizeLimits.of(10)).cover(4, 3)).isTrue();
  }
}
