// SPDX-License-Identifier: Apache-2.0
package io.stoa.watch;

import io.stoa.change.Csn;
import io.stoa.change.ReadFrom;
import io.stoa.filter.Query;
import io.stoa.filter.Uuid;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.Oids;
import io.stoa.ldap.RequestOp.SearchOp;
import io.stoa.operation.Operation;
import io.stoa.realm.Opening;
import io.stoa.realm.Realm.Settled;
import io.stoa.realm.Refusal;
import io.stoa.realm.Result;
import io.stoa.realm.Result.Shown;
import io.stoa.view.Owner;
import io.stoa.view.View;
import io.stoa.watch.VersionedSearch.Plainly;
import io.stoa.watch.VersionedSearch.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A search of a client whose answer is to rest on a feed: it is sent so that the states of its
 * entries are told, and its answer is compared with what has changed meanwhile. Event-loop
 * confined.
 */
public final class CheckedSearch {
  private static final int NEVER_DEREF = 0;

  /** What directories derive from other entries, or count: no feed tells when it changes. */
  private static final Set<String> DERIVED =
      Set.of(
          "+",
          "memberof",
          "1.2.840.113556.1.2.102",
          "ismemberof",
          "hassubordinates",
          "2.5.18.9",
          "numsubordinates",
          "nsrole",
          "contextcsn",
          "1.3.6.1.4.1.4203.666.1.25");

  private final Ground ground;
  private final Opening opening;
  private final VersionedSearch search;

  private CheckedSearch(Ground ground, Opening opening, VersionedSearch search) {
    this.ground = ground;
    this.opening = opening;
    this.search = search;
  }

  /**
   * Begins, before anything is done for the operation; its sink is wrapped.
   *
   * @param owner will keep the answer
   * @param plainly sends the operation again if its answer is too large for all this
   * @return null if the answer cannot rest on the feed, or not now: then nothing has been done
   * @throws LdapProtocolException if the request is malformed
   */
  public static @Nullable CheckedSearch begin(
      Ground ground, Operation operation, Owner owner, Plainly plainly)
      throws LdapProtocolException {
    if (!(operation.request().op() instanceof SearchOp search) || !isTold(search)) {
      return null;
    }
    boolean manages =
        operation.request().controls().stream()
            .anyMatch(control -> control.oid().equals(Oids.MANAGE_DSA_IT));
    Query query = ground.query(search, manages);
    Opening opening = ground.realm().open(query, search.base(), owner);
    return opening == null
        ? null
        : new CheckedSearch(ground, opening, VersionedSearch.begin(operation, search, plainly));
  }

  /** Whether a feed tells of all that the answer shows. */
  private static boolean isTold(SearchOp search) {
    return !search.typesOnly()
        && search.derefAliases() == NEVER_DEREF
        && search.attributes().stream().map(VersionedSearch::name).noneMatch(DERIVED::contains);
  }

  /**
   * Compares the answer with what has changed.
   *
   * @param absent whether it is noSuchObject
   * @param names of its entries, in their order
   * @param sources who has answered
   */
  public Checked end(boolean absent, List<byte[]> names, List<ReadFrom> sources) {
    List<Version> versions = search.versions();
    List<Shown> shown = new ArrayList<>(names.size());
    List<Csn> csns = new ArrayList<>(names.size());
    for (int i = 0; i < names.size(); i++) {
      Version version = versions.get(i);
      Uuid uuid = version.uuid() == null ? null : Uuid.parse(version.uuid());
      Csn csn = version.csn() == null ? null : Csn.parse(version.csn());
      if (uuid == null || csn == null) {
        return Checked.refused(Refusal.UNREADABLE);
      }
      csns.add(csn);
      shown.add(new Shown(uuid, csn, ground.name(names.get(i)), names.get(i)));
    }
    ReadFrom from = ground.source(sources);
    if (from == null) {
      return Checked.refused(Refusal.UNSURE);
    }
    Settled settled = ground.realm().settle(opening, new Result(absent, shown), from);
    long rights = ground.rights().toNanos();
    return new Checked(settled.view(), csns.toArray(Csn[]::new), rights, settled.refusal());
  }

  /**
   * What has become of it. Immutable.
   *
   * @param view what the answer rests on; null if on nothing
   * @param versions the state of each entry
   * @param rightsNanos how long the client's rights are taken for what they were
   * @param refusal why it rests on nothing; null if it rests on something
   */
  public record Checked(
      @Nullable View view, Csn[] versions, long rightsNanos, @Nullable Refusal refusal) {
    static Checked refused(Refusal why) {
      return new Checked(null, new Csn[0], 0, why);
    }

    /** Whether it may be kept at all: what is known to be behind is not. */
    public boolean mayBeKept() {
      return refusal != Refusal.STALE && refusal != Refusal.CHANGED;
    }
  }
}
