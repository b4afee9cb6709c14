// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import static io.stoa.testing.SmallDirectory.csn;
import static io.stoa.testing.SmallDirectory.deleted;
import static io.stoa.testing.SmallDirectory.dn;
import static io.stoa.testing.SmallDirectory.image;
import static io.stoa.testing.SmallDirectory.modified;
import static io.stoa.testing.SmallDirectory.person;
import static io.stoa.testing.SmallDirectory.query;
import static io.stoa.testing.SmallDirectory.renamed;
import static io.stoa.testing.SmallDirectory.told;
import static io.stoa.testing.SmallDirectory.unit;
import static io.stoa.testing.SmallDirectory.unmarked;
import static io.stoa.testing.SmallDirectory.uuid;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.index.PredicateIndex;
import io.stoa.coherence.view.Members.Member;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Renamed;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.feed.event.Change.Unknown;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.schema.NormalDn;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which views die of what, by where things are in the tree. */
class SubtreeInvalidationTest {
  private final PredicateIndex<View> index = new PredicateIndex<>();
  private final Invalidator effects = new Invalidator(index, truth -> {});
  private final EpochState terms = new EpochState(new FreshnessGuarantee(now -> true, null, null));
  private final Map<String, View> views = new TreeMap<>();
  private final TreeSet<String> dead = new TreeSet<>();

  /** A view that shows one entry, or none. */
  private View view(String name, Query query, @Nullable Integer entry, String... dns) {
    List<Member> members = entry == null ? List.of() : List.of(new Member(uuid(entry), csn(1)));
    View view = new View(query, Members.of(members), terms, index, (it, cause) -> dead.add(name));
    List<NormalDn> names = new ArrayList<>();
    Stream.of(dns).forEach(dn -> names.add(dn(dn)));
    view.register(names);
    view.markUnseen();
    view.markValid();
    views.put(name, view);
    return view;
  }

  private void apply(Change change, @Nullable String old) {
    effects.apply(change, old == null ? null : dn(old));
  }

  private void people() {
    view("entry", query("cn=a,ou=old,dc=x", 0, "(objectClass=*)"), 1, "cn=a,ou=old,dc=x");
    view("set", query("dc=x", 2, "(sn=miller)"), 1, "cn=a,ou=old,dc=x");
    view("emptyOld", query("ou=old,dc=x", 1, "(sn=jones)"), null);
    view("emptyNew", query("ou=new,dc=x", 1, "(sn=jones)"), null);
    view("missingNew", query("cn=a,ou=new,dc=x", 0, "(objectClass=*)"), null);
    view("otherEntry", query("cn=b,ou=q,dc=x", 0, "(objectClass=*)"), 2, "cn=b,ou=q,dc=x");
    view("otherSet", query("ou=q,dc=x", 2, "(sn=miller)"), 2, "cn=b,ou=q,dc=x");
  }

  @Test
  void aRenamedSubtreeInvalidatesEverythingBelow() {
    people();
    apply(renamed(9, "ou=old,dc=x", unit("ou=new,dc=x"), 5), "ou=old,dc=x");
    assertThat(dead).containsExactly("emptyNew", "emptyOld", "entry", "missingNew", "set");
  }

  @Test
  void anUnprovedViewMayBeBelowAnUnknownName() {
    people();
    View unverified =
        new View(
            query("cn=c,ou=q,dc=x", 0, "(objectClass=*)"),
            Members.of(List.of()),
            terms,
            index,
            (it, cause) -> dead.add("unproved"));
    unverified.register(List.of());
    unverified.markUnseen();
    apply(renamed(9, null, unit("ou=new,dc=x"), 5), null);
    assertThat(dead).containsExactly("emptyNew", "missingNew", "set", "unproved");
  }

  @Test
  void aRenamedLeafInvalidatesNothingBelow() {
    people();
    Renamed leaf =
        new Renamed(
            uuid(2),
            dn("cn=b,ou=q,dc=x"),
            dn("cn=z,ou=q,dc=x"),
            true,
            person("cn=z,ou=q,dc=x", "Smith"),
            told(5));
    apply(leaf, "cn=b,ou=q,dc=x");
    assertThat(dead).containsExactly("otherEntry", "otherSet");
  }

  /** It was moved away, or removed, when somebody looked: before that it got a new name, too. */
  @Test
  void entriesBelowTheFormerNameOfALeafAreInvalidated() {
    people();
    view("deep", query("dc=x", 2, "(sn=deep)"), 3, "cn=d,ou=inner,ou=old,dc=x");
    apply(emptied("ou=old,dc=x", "ou=new,dc=x"), "ou=old,dc=x");
    assertThat(dead).containsExactly("deep", "emptyNew", "emptyOld", "entry", "missingNew", "set");
  }

  /** What merely looks at both names shows nothing that would be gone. */
  @Test
  void aRenamedLeafWithoutKnownChildrenInvalidatesNothingElse() {
    people();
    apply(emptied("ou=r,dc=x", "ou=s,dc=x"), "ou=r,dc=x");
    assertThat(dead).isEmpty();
  }

  /** A name that is spelled oddly may be any name, and who asks for it must not harm others. */
  @Test
  void aViewOfAnOddNameHarmsNoOtherView() {
    people();
    view("odd", query("cn=\"z\",ou=q,dc=x", 0, "(objectClass=*)"), null);
    apply(deleted(7, "cn=z,ou=r,dc=x", 6), null);
    apply(emptied("cn=a,ou=r,dc=x", "cn=b,ou=r,dc=x"), "cn=a,ou=r,dc=x");
    assertThat(dead).isSubsetOf("odd");
  }

  /** How directories compare values of that type is not known: it may be the same. */
  @Test
  void viewsThatMayBeBelowInAnotherSpellingAreInvalidated() {
    view("base", query("number=05,ou=q,dc=x", 1, "(sn=miller)"), null);
    view("below", query("cn=a,number=05,ou=q,dc=x", 0, "(objectClass=*)"), null);
    view("shown", query("dc=x", 2, "(sn=low)"), 3, "cn=b,number=05,ou=q,dc=x");
    view("other", query("number=05,ou=r,dc=x", 1, "(sn=miller)"), null);
    apply(deleted(7, "number=5,ou=q,dc=x", 6), null);
    assertThat(dead).containsExactly("base", "below", "shown");
  }

  @Test
  void viewsBelowALeafDoNotAffectViewsFromAbove() {
    people();
    view("below", query("cn=x,cn=z,ou=q,dc=x", 0, "(objectClass=*)"), null);
    view("belowOther", query("cn=x,cn=y,ou=q,dc=x", 0, "(objectClass=*)"), null);
    apply(emptied("cn=z,ou=q,dc=x", "cn=w,ou=q,dc=x"), "cn=z,ou=q,dc=x");
    assertThat(dead).containsExactly("below");
    apply(deleted(7, "cn=y,ou=q,dc=x", 6), null);
    assertThat(dead).containsExactly("below", "belowOther");
  }

  /** Where somebody has looked below it, too. */
  @Test
  void anOwnWriteOfALeafInvalidatesOnlyViewsBelow() {
    people();
    view("below", query("cn=x,cn=b,ou=q,dc=x", 0, "(objectClass=*)"), null);
    Receipt answered = new Receipt(csn(5), null, 0, Reporter.OWN_WRITE);
    Image leaf = image("cn=b,ou=q,dc=x", Map.of("sn", "Smith", "hasSubordinates", "FALSE"));
    effects.onNameTaken(new Modified(uuid(2), dn("cn=b,ou=q,dc=x"), leaf, answered));
    assertThat(dead).containsExactly("below");
  }

  private static Renamed emptied(String old, String now) {
    Image leaf =
        image(now, Map.of("objectClass", "organizationalUnit", "hasSubordinates", "FALSE"));
    return new Renamed(uuid(9), dn(old), dn(now), leaf.isLeaf(), leaf, told(5));
  }

  @Test
  void aDeletedEntryIsFoundByUuidOrName() {
    people();
    apply(deleted(1, null, 5), null);
    assertThat(dead).containsExactly("entry", "set");
    apply(deleted(7, "ou=old,dc=x", 6), null);
    assertThat(dead).containsExactly("emptyOld", "entry", "set");
  }

  /** A subtree that is moved to where the feed's account does not see it is told as one entry. */
  @Test
  void entriesBelowADeletedEntryAreInvalidated() {
    people();
    apply(deleted(7, "ou=old,dc=x", 6), null);
    assertThat(dead).containsExactly("emptyOld", "entry", "set");
  }

  @Test
  void anAddedEntryEndsItsAbsence() {
    people();
    apply(modified(5, person("cn=a,ou=new,dc=x", "Smith"), 5), null);
    assertThat(dead).containsExactly("missingNew");
  }

  @Test
  void anAddedAncestorInvalidatesTheAbsenceBelow() {
    people();
    Change added =
        modified(5, image("ou=new,dc=x", Map.of("ou", "new", "hasSubordinates", "FALSE")), 5);
    apply(added, null);
    assertThat(dead).containsExactly("emptyNew", "missingNew");
  }

  @Test
  void aModifiedEntryInvalidatesViewsThatShowOrMatchIt() {
    people();
    apply(modified(2, person("cn=b,ou=q,dc=x", "Jones"), 5), "cn=b,ou=q,dc=x");
    assertThat(dead).containsExactly("otherEntry", "otherSet");
    apply(modified(3, person("cn=c,ou=q,dc=x", "Miller"), 6), null);
    assertThat(dead).containsExactly("otherEntry", "otherSet", "set");
  }

  @Test
  void anUnmatchedEntryInvalidatesNothing() {
    people();
    apply(modified(3, person("cn=c,ou=q,dc=x", "Smith"), 6), null);
    assertThat(dead).isEmpty();
  }

  @Test
  void anUnknownChangeInvalidatesEveryViewOfItsPlace() {
    people();
    apply(modified(3, "cn=c,ou=q,dc=x", 6), null);
    assertThat(dead).containsExactly("otherSet", "set");
  }

  @Test
  void anUnknownSubtreeChangeInvalidatesEveryViewOfItsPlace() {
    people();
    apply(new Unknown(dn("ou=q,dc=x"), unmarked(null)), null);
    assertThat(dead).containsExactly("otherEntry", "otherSet", "set");
    apply(new Unknown(null, unmarked(null)), null);
    assertThat(dead).hasSize(views.size());
    assertThat(index.stats().views()).isZero();
  }
}
