// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import static io.stoa.testing.SmallDirectory.CONTEXT;
import static io.stoa.testing.SmallDirectory.RULES;
import static io.stoa.testing.SmallDirectory.deleted;
import static io.stoa.testing.SmallDirectory.dn;
import static io.stoa.testing.SmallDirectory.image;
import static io.stoa.testing.SmallDirectory.modified;
import static io.stoa.testing.SmallDirectory.person;
import static io.stoa.testing.SmallDirectory.renamed;
import static io.stoa.testing.SmallDirectory.unit;
import static io.stoa.testing.SmallDirectory.unmarked;
import static io.stoa.testing.SmallDirectory.upTo;
import static io.stoa.testing.SmallDirectory.uuid;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Renamed;
import io.stoa.feed.event.Change.Unknown;
import io.stoa.ldap.filter.Image;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

/** What follows from which change. */
class ChangeRulesTest {
  private static final String ANN = "cn=ann,dc=x";
  private static final String GROUP = "cn=g,ou=g,dc=x";

  private long now = 1_000;
  private final RightsWatermark watermark =
      new RightsWatermark(Duration.ZERO, Duration.ZERO, LongUnaryOperator.identity(), () -> now);
  private DerivedConfig config = DerivedConfig.DEFAULTS;
  private RightsGroups groups = RightsGroups.NONE;
  private final ChangeRules rules =
      new ChangeRules(watermark, () -> DerivedAttributes.of(config, RULES), () -> groups, CONTEXT);

  private static Image group(String dn) {
    return image(
        dn, Map.of("objectClass", "groupOfNames", "member", ANN, "hasSubordinates", "FALSE"));
  }

  /** The facets that do not count any more after it. */
  private int follows(Change change) {
    now++;
    rules.accept(change);
    int facets = watermark.isCurrent(DerivedData.GROUPS, now - 1, now) ? 0 : DerivedData.GROUPS;
    return watermark.isCurrent(DerivedData.REFERENCES, now - 1, now)
        ? facets
        : facets | DerivedData.REFERENCES;
  }

  private boolean revokes(Change change) {
    long before = watermark.revocations();
    rules.accept(change);
    return watermark.revocations() > before;
  }

  @Test
  void aNonGroupEntryDerivesNothing() {
    assertThat(follows(modified(1, person(ANN, "A"), 5))).isEqualTo(DerivedData.NONE);
    assertThat(follows(modified(1, person(ANN, "B"), 6))).isEqualTo(DerivedData.NONE);
  }

  /** A feed tells a new name as any other change, and nothing of the groups below. */
  @Test
  void anEntryThatMayBeRenamedMayHoldGroups() {
    assertThat(follows(modified(2, unit("ou=p,dc=x"), 5))).isEqualTo(DerivedData.ALL);
    assertThat(follows(modified(2, unit("ou=p,dc=x"), 6))).isEqualTo(DerivedData.NONE);
    assertThat(follows(modified(2, unit("ou=q,dc=x"), 7))).isEqualTo(DerivedData.ALL);
  }

  @Test
  void membershipIsDerivedFromGroups() {
    assertThat(follows(modified(1, group(GROUP), 5))).isEqualTo(DerivedData.GROUPS);
    assertThat(watermark.admits(DerivedData.GROUPS, upTo(4))).isFalse();
    assertThat(watermark.admits(DerivedData.GROUPS, upTo(5))).isTrue();
    Image empty = image(GROUP, Map.of("objectClass", "posixGroup", "cn", "g"));
    assertThat(follows(modified(1, empty, 6))).isEqualTo(DerivedData.GROUPS);
    Image bare =
        image(
            GROUP, Map.of("objectClass", "person", "memberUid", "ann", "hasSubordinates", "FALSE"));
    assertThat(follows(modified(2, bare, 7))).isEqualTo(DerivedData.GROUPS);
  }

  @Test
  void anEntryThatMayHaveBeenAGroupCountsAsOne() {
    assertThat(follows(modified(1, ANN, 5))).isEqualTo(DerivedData.ALL); // or have held one
    assertThat(follows(deleted(1, ANN, 6))).isEqualTo(DerivedData.ALL);
    assertThat(follows(deleted(1, null, 7))).isEqualTo(DerivedData.ALL);
    assertThat(follows(renamed(2, "ou=q,dc=x", unit("ou=p,dc=x"), 8))).isEqualTo(DerivedData.ALL);
    assertThat(follows(new Unknown(null, unmarked(null)))).isEqualTo(DerivedData.ALL);
  }

  /** A feed tells a new name as any other change. */
  @Test
  void referencesAreRepairedAfterARename() {
    config = config.union(new DerivedConfig(List.of(), List.of("manager"), List.of()));
    assertThat(follows(modified(1, person(ANN, "A"), 5))).isEqualTo(DerivedData.ALL);
    assertThat(follows(modified(1, person(ANN, "B"), 6))).isEqualTo(DerivedData.NONE);
    assertThat(follows(modified(1, person("cn=bob,dc=x", "B"), 7))).isEqualTo(DerivedData.ALL);
    assertThat(follows(modified(1, group("cn=bob,dc=x"), 8))).isEqualTo(DerivedData.GROUPS);
  }

  @Test
  void rightsAreDerivedFromTheNamedGroups() {
    groups = new RightsGroups(List.of(dn(GROUP)), false, false);
    assertThat(revokes(modified(1, person(ANN, "A"), 5))).isFalse();
    assertThat(revokes(modified(2, group(GROUP), 6))).isTrue();
    assertThat(revokes(modified(2, group(GROUP), 7))).isTrue();
    assertThat(revokes(modified(3, group("cn=other,dc=x"), 8))).isTrue(); // it may have been it
    assertThat(revokes(modified(3, group("cn=other,dc=x"), 9))).isFalse();
    assertThat(revokes(deleted(4, "cn=third,dc=x", 10))).isFalse();
    assertThat(revokes(deleted(5, null, 11))).isTrue();
    assertThat(revokes(deleted(6, "ou=g,dc=x", 12))).isTrue();
    assertThat(revokes(new Unknown(null, unmarked(null)))).isTrue();
  }

  @Test
  void rightsAreDerivedFromEntriesThatMayHoldANamedGroup() {
    groups = new RightsGroups(List.of(dn(GROUP)), false, false);
    assertThat(revokes(modified(1, unit("ou=h,dc=x"), 5))).isTrue();
    assertThat(revokes(modified(1, unit("ou=h,dc=x"), 6))).isFalse();
    assertThat(revokes(renamed(2, null, unit("ou=i,dc=x"), 7))).isTrue();
  }

  /** A directory that repairs names takes whoever is gone out of groups, and tells nobody. */
  @Test
  void rightsAreDerivedFromDeletedMembersIfReferencesAreRepaired() {
    config = config.union(new DerivedConfig(List.of(), List.of("member"), List.of()));
    groups = new RightsGroups(List.of(dn(GROUP)), false, false);
    assertThat(revokes(modified(1, person(ANN, "A"), 5))).isTrue(); // it may have had another name
    assertThat(revokes(modified(1, person(ANN, "B"), 6))).isFalse();
    assertThat(revokes(deleted(1, ANN, 7))).isTrue();
    groups = RightsGroups.NONE;
    assertThat(revokes(deleted(2, ANN, 8))).isFalse();
  }

  @Test
  void deletedMembersRevokeNothingIfMembersAreRead() {
    config = config.union(new DerivedConfig(List.of(), List.of("member"), List.of()));
    groups = new RightsGroups(List.of(dn(GROUP)), false, true);
    assertThat(revokes(modified(1, person(ANN, "A"), 5))).isFalse();
    assertThat(revokes(deleted(1, ANN, 7))).isFalse();
    assertThat(revokes(modified(2, group(GROUP), 8))).isTrue();
    assertThat(revokes(deleted(2, GROUP, 9))).isTrue();
  }

  @Test
  void deletedMembersRevokeNothingIfOtherReferencesAreRepaired() {
    config = config.union(new DerivedConfig(List.of(), List.of("manager"), List.of()));
    groups = new RightsGroups(List.of(dn(GROUP)), false, false);
    assertThat(revokes(modified(1, person(ANN, "A"), 5))).isFalse();
    assertThat(revokes(deleted(1, ANN, 7))).isFalse();
  }

  /** What was modified of an entry whoever tells the change knows. */
  @Test
  void rightsAreDerivedFromRulesInEntries() {
    Image ruled = image(ANN, Map.of("objectClass", "person", "aci", "deny"));
    Receipt rights = new Receipt(null, null, 0, Change.Reporter.FEED, true);
    assertThat(revokes(new Modified(uuid(1), ruled.dn(), ruled, unmarked(null)))).isFalse();
    assertThat(revokes(new Modified(uuid(1), ruled.dn(), null, rights))).isTrue();
    assertThat(revokes(new Renamed(uuid(2), null, ruled.dn(), true, ruled, unmarked(null))))
        .isTrue();
    Image plain = person(ANN, "A");
    assertThat(revokes(new Renamed(uuid(3), null, plain.dn(), true, plain, unmarked(null))))
        .isFalse();
    assertThat(revokes(deleted(2, ANN, 9))).isFalse();
  }

  @Test
  void rightsAreDerivedFromAnyGroupIfAnyMayDecide() {
    groups = new RightsGroups(List.of(), true, false);
    assertThat(revokes(modified(3, group("cn=other,dc=x"), 8))).isTrue();
    assertThat(revokes(modified(3, group("cn=other,dc=x"), 9))).isTrue();
    assertThat(revokes(modified(1, person(ANN, "A"), 10))).isFalse();
    groups = RightsGroups.NONE;
    assertThat(revokes(modified(3, group("cn=other,dc=x"), 11))).isFalse();
  }
}
