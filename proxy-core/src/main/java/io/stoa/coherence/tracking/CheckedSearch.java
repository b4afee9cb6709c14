// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.tracking;

import io.stoa.coherence.invalidation.CoherenceDomain.Settled;
import io.stoa.coherence.invalidation.ReadStart;
import io.stoa.coherence.invalidation.Refusal;
import io.stoa.coherence.invalidation.Result;
import io.stoa.coherence.invalidation.Result.Shown;
import io.stoa.coherence.rights.Derivation;
import io.stoa.coherence.rights.DerivedAttributes;
import io.stoa.coherence.rights.DerivedData;
import io.stoa.coherence.tracking.VersionedSearch.Plainly;
import io.stoa.coherence.tracking.VersionedSearch.Version;
import io.stoa.coherence.view.View;
import io.stoa.coherence.view.ViewListener;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.filter.Truth;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.operation.Operation;
import io.stoa.operation.ReadFrom;
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

  private final FeedCoverage ground;
  private final Query query;
  private final ReadStart opening;
  private final VersionedSearch search;

  private final Changing changing;

  /**
   * Kinds of derived data in any answer to the request. Immutable.
   *
   * @param found the kinds that decide which entries are found
   * @param asked the kinds in each entry
   */
  private record Changing(int found, int asked) {}

  /**
   * True if each answer must be proved to be no older than its request: then none is bounded by
   * age.
   */
  public boolean isProved() {
    return ground.realm().ties().reliance().proof() != null;
  }

  private CheckedSearch(
      FeedCoverage ground,
      Query query,
      ReadStart opening,
      VersionedSearch search,
      Changing changing) {
    this.changing = changing;
    this.ground = ground;
    this.query = query;
    this.opening = opening;
    this.search = search;
  }

  /**
   * Begins before anything is done for the operation, and wraps its sink. Counts a search that no
   * feed can ever hold.
   *
   * @param owner the listener that will keep the answer
   * @param plainly sends the operation again if its answer is too large to be rewritten
   * @return null if the feed cannot hold the answer, or not now; then nothing has been done
   * @throws LdapProtocolException if the request is malformed
   */
  public static @Nullable CheckedSearch begin(
      FeedCoverage ground, Operation operation, ViewListener owner, Plainly plainly)
      throws LdapProtocolException {
    if (!(operation.request().op() instanceof SearchOp search)
        || !isTold(search)
        || (search.followsAliases() && !ground.hasNoAlias())) {
      ground.realm().refused(Refusal.UNTOLD);
      return null;
    }
    boolean manages =
        operation.request().controls().stream()
            .anyMatch(control -> control.oid().equals(Oids.MANAGE_DSA_IT));
    Query query = ground.query(search, manages).withoutAliases();
    DerivedAttributes derived = ground.derived();
    if (derived.isUntold(query)) {
      ground.realm().refused(Refusal.UNTOLD);
      return null;
    }
    ReadStart opening = ground.realm().open(query, search.base(), owner);
    if (opening == null) {
      return null;
    }
    VersionedSearch own =
        VersionedSearch.begin(operation, search, derived, ground.realm().kind(), plainly);
    int found =
        derived.found(query) | (search.followsAliases() ? DerivedData.ALIASES : DerivedData.NONE);
    int asked = derived.asked(search.attributes());
    return new CheckedSearch(ground, query, opening, own, new Changing(found, asked));
  }

  /** True if a feed reports changes of everything that the answer shows. */
  private static boolean isTold(SearchOp search) {
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
  public Checked end(boolean absent, List<byte[]> names, List<ReadFrom> sources) {
    List<Version> versions = search.versions();
    List<Shown> shown = new ArrayList<>(names.size());
    boolean statesAreShown = ground.realm().kind().stateAttribute() != null;
    List<Csn> csns = new ArrayList<>(names.size());
    List<Integer> facets = new ArrayList<>(names.size());
    for (int i = 0; i < names.size(); i++) {
      Version version = versions.get(i);
      Uuid uuid = version.uuid() == null ? null : Uuid.parse(version.uuid());
      Csn csn = version.csn() == null ? null : Csn.parse(version.csn());
      if (uuid == null || csn == null) {
        return refused(Refusal.UNREADABLE);
      }
      csns.add(csn);
      facets.add(changing.asked() | version.facets());
      Csn state = statesAreShown ? csn : ground.realm().state(opening, version.changed(), csn);
      shown.add(new Shown(uuid, state, ground.name(names.get(i)), names.get(i)));
    }
    ReadFrom from = ground.source(sources);
    if (from == null || hasFollowed(shown)) {
      return refused(Refusal.UNSURE);
    }
    Derivation derived = Derivation.of(ground.horizon(), changing.found(), facets);
    if (!ground.horizon().admits(derived.all(), ground.realm().had(opening, from))) {
      return refused(Refusal.STALE);
    }
    if (!ground.horizon().admitsRights(ground.realm().had(opening, from))) {
      return refused(Refusal.UNSURE); // its groups may be out of date
    }
    Settled settled = ground.realm().settle(opening, new Result(absent, shown), from);
    Csn[] states = csns.toArray(Csn[]::new);
    Uuid[] uuids = shown.stream().map(Shown::uuid).toArray(Uuid[]::new);
    return new Checked(settled.view(), states, uuids, derived, ground.derived(), settled.refusal());
  }

  private Checked refused(Refusal why) {
    ground.realm().refused(why);
    return new Checked(null, new Csn[0], new Uuid[0], null, null, why);
  }

  /**
   * True if the server may have followed an alias, although none is known. The feed may report the
   * alias later, or never if it is gone again.
   */
  private boolean hasFollowed(List<Shown> shown) {
    return (changing.found() & DerivedData.ALIASES) != 0
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
