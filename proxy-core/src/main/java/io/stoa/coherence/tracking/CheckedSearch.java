// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.tracking;

import io.stoa.coherence.invalidation.CoherenceDomain.Admission;
import io.stoa.coherence.invalidation.ReadResult;
import io.stoa.coherence.invalidation.ReadResult.Shown;
import io.stoa.coherence.invalidation.ReadStart;
import io.stoa.coherence.invalidation.Refusal;
import io.stoa.coherence.rights.Derivation;
import io.stoa.coherence.rights.DerivedAttributes;
import io.stoa.coherence.rights.DerivedData;
import io.stoa.coherence.tracking.VersionedSearch.PlainSender;
import io.stoa.coherence.tracking.VersionedSearch.Version;
import io.stoa.coherence.view.View;
import io.stoa.coherence.view.ViewListener;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.filter.Truth;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.operation.Operation;
import io.stoa.operation.ReadSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A search of a client whose answer a feed may hold. The request asks for the states of the
 * entries, too, and the answer is validated against the changes since.
 *
 * <p>Threading: event loop.
 */
public final class CheckedSearch {

  /** Attributes that directories compute or count: no feed reports when they change. */
  private static final Set<String> DERIVED =
      Set.of(
          "+",
          "hassubordinates",
          "2.5.18.9",
          "numsubordinates",
          "nsrole",
          "contextcsn",
          "1.3.6.1.4.1.4203.666.1.25");

  private final FeedCoverage coverage;
  private final Query query;
  private final ReadStart readStart;
  private final VersionedSearch search;

  private final DerivedKinds derivedKinds;

  /**
   * Kinds of derived data in any answer to the request. Immutable.
   *
   * @param found the kinds that decide which entries are found
   * @param asked the kinds in each entry
   */
  private record DerivedKinds(int found, int asked) {}

  /**
   * True if each answer must be proved to be no older than its request: then none is bounded by
   * age.
   */
  public boolean needsProof() {
    return coverage.domain().context().guarantee().proof() != null;
  }

  private CheckedSearch(
      FeedCoverage coverage,
      Query query,
      ReadStart readStart,
      VersionedSearch search,
      DerivedKinds derivedKinds) {
    this.derivedKinds = derivedKinds;
    this.coverage = coverage;
    this.query = query;
    this.readStart = readStart;
    this.search = search;
  }

  /**
   * Begins before anything is done for the operation, and wraps its sink. Counts a search that no
   * feed can ever hold.
   *
   * @param listener the listener that will keep the answer
   * @param plainSender sends the operation again if its answer is too large to be rewritten
   * @return null if the feed cannot hold the answer, or not now; then nothing has been done
   */
  public static @Nullable CheckedSearch begin(
      FeedCoverage coverage, Operation operation, ViewListener listener, PlainSender plainSender) {
    if (!(operation.request().op() instanceof SearchOp search)
        || !isReported(search)
        || (search.followsAliases() && !coverage.hasNoAlias())) {
      coverage.domain().countRefusal(Refusal.NOT_REPORTED);
      return null;
    }
    boolean manages =
        operation.request().controls().stream()
            .anyMatch(control -> control.oid().equals(Oids.MANAGE_DSA_IT));
    Query query = coverage.query(search, manages).withoutAliases();
    DerivedAttributes derived = coverage.derived();
    if (derived.namesComposed(query)) {
      coverage.domain().countRefusal(Refusal.NOT_REPORTED);
      return null;
    }
    ReadStart readStart = coverage.domain().beginRead(query, search.base(), listener);
    if (readStart == null) {
      return null;
    }
    VersionedSearch versionedSearch =
        VersionedSearch.begin(operation, search, derived, coverage.domain().kind(), plainSender);
    int filterKinds =
        derived.kindsOfFilter(query)
            | (search.followsAliases() ? DerivedData.ALIASES : DerivedData.NONE);
    int requestedKinds = derived.kindsRequested(search.attributes());
    return new CheckedSearch(
        coverage, query, readStart, versionedSearch, new DerivedKinds(filterKinds, requestedKinds));
  }

  /** True if a feed reports changes of everything that the answer shows. */
  private static boolean isReported(SearchOp search) {
    return !search.typesOnly()
        && search.attributes().stream().map(VersionedSearch::name).noneMatch(DERIVED::contains);
  }

  /**
   * Validates the answer against the changes since the search was sent.
   *
   * @param absent true if the response is noSuchObject
   * @param names the names of the entries in order
   * @param sources the servers that have answered
   */
  public Checked validate(boolean absent, List<byte[]> names, List<ReadSource> sources) {
    List<Version> versions = search.versions();
    List<Shown> shown = new ArrayList<>(names.size());
    boolean statesAreShown = coverage.domain().kind().stateAttribute() != null;
    List<Csn> csns = new ArrayList<>(names.size());
    List<Integer> kinds = new ArrayList<>(names.size());
    for (int i = 0; i < names.size(); i++) {
      Version version = versions.get(i);
      Uuid uuid = version.uuid() == null ? null : Uuid.parse(version.uuid());
      Csn csn = version.csn() == null ? null : Csn.parse(version.csn());
      if (uuid == null || csn == null) {
        return refused(Refusal.NO_STATE);
      }
      csns.add(csn);
      kinds.add(derivedKinds.asked() | version.facets());
      Csn state = statesAreShown ? csn : coverage.domain().state(readStart, version.changed(), csn);
      shown.add(new Shown(uuid, state, coverage.name(names.get(i)), names.get(i)));
    }
    ReadSource source = coverage.source(sources);
    if (source == null || mayHaveFollowedAlias(shown)) {
      return refused(Refusal.NOT_COMPARABLE);
    }
    Derivation derivation = Derivation.of(coverage.watermark(), derivedKinds.found(), kinds);
    if (!coverage
        .watermark()
        .admits(derivation.all(), coverage.domain().positionBefore(readStart, source))) {
      return refused(Refusal.STALE);
    }
    if (!coverage.watermark().admitsRights(coverage.domain().positionBefore(readStart, source))) {
      return refused(Refusal.NOT_COMPARABLE); // its groups may be out of date
    }
    Admission admission = coverage.domain().admit(readStart, new ReadResult(absent, shown), source);
    Csn[] states = csns.toArray(Csn[]::new);
    Uuid[] uuids = shown.stream().map(Shown::uuid).toArray(Uuid[]::new);
    return new Checked(
        admission.view(), states, uuids, derivation, coverage.derived(), admission.refusal());
  }

  private Checked refused(Refusal why) {
    coverage.domain().countRefusal(why);
    return new Checked(null, new Csn[0], new Uuid[0], null, null, why);
  }

  /**
   * True if the server may have followed an alias, although none is known. The feed may report the
   * alias later, or never if it is gone again.
   */
  private boolean mayHaveFollowedAlias(List<Shown> shown) {
    return (derivedKinds.found() & DerivedData.ALIASES) != 0
        && (shown.stream().anyMatch(one -> query.inScope(one.dn()) != Truth.TRUE)
            || shown.stream().map(Shown::uuid).distinct().count() < shown.size());
  }

  /**
   * The result of the validation. Immutable.
   *
   * @param view the view of the answer; null if the feed does not hold it
   * @param versions the state of each entry
   * @param uuids the entries
   * @param derived the derived data in the answer; null if the answer was refused before validation
   * @param attributes the attributes that are derived; null if the answer was refused before
   *     validation
   * @param refusal the reason why the feed does not hold the answer; null if it does
   */
  public record Checked(
      @Nullable View view,
      Csn[] versions,
      Uuid[] uuids,
      @Nullable Derivation derived,
      @Nullable DerivedAttributes attributes,
      @Nullable Refusal refusal) {
    /** True if the answer may be stored at all; one that is known to be stale may not. */
    public boolean mayBeKept() {
      return refusal != Refusal.STALE && refusal != Refusal.CHANGED;
    }
  }
}
