// SPDX-License-Identifier: Apache-2.0
package io.stoa.derive;

import static io.stoa.testing.SmallDirectory.octets;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.change.PrivilegedReader;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.SearchEntry;
import io.stoa.match.NormalDn;
import io.stoa.testing.SmallDirectory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** When rights are taken for what they were, and when not. */
class RightsWatchTest implements PrivilegedReader {
  private static final String DATABASE = "olcDatabase={1}mdb,cn=config";
  private static final String GROUP = "cn=g,dc=x";
  private static final String ANYBODY = "{0}to * by * read";

  private long now = 1_000_000_000;
  private final Horizon horizon = new Horizon(Duration.ofSeconds(5), Duration.ZERO, () -> now);
  private final List<SearchEntry> configuration = new ArrayList<>();
  private final Set<String> seen = new HashSet<>(Set.of(GROUP));
  private String failure = "";
  private String obstacle = "";
  private int changes;
  private final RightsWatch watch =
      new RightsWatch(
          new RightsWatch.Terms(
              "dc=x",
              Duration.ofSeconds(5),
              () -> obstacle.isEmpty() ? null : obstacle,
              dn -> NormalDn.of(dn, SmallDirectory.PROFILE),
              () -> changes++),
          horizon,
          this,
          DerivedConfig.DEFAULTS);

  @Override
  public void search(Search search, Consumer<List<SearchEntry>> found, Consumer<String> failed) {
    String base = new String(search.base(), StandardCharsets.UTF_8);
    if (!failure.isEmpty()) {
      failed.accept(failure);
    } else if (base.equals("cn=config")) {
      found.accept(List.copyOf(configuration));
    } else {
      found.accept(seen.contains(base) ? List.of(entry(base, "entryUUID", "x")) : List.of());
    }
  }

  private static SearchEntry entry(String dn, String... pairs) {
    List<byte[]> attributes = new ArrayList<>();
    for (int i = 0; i < pairs.length; i += 2) {
      List<byte[]> values =
          Arrays.stream(pairs[i + 1].split("\n")).map(SmallDirectory::octets).toList();
      attributes.add(SearchEntry.encodeAttribute(octets(pairs[i]), values));
    }
    try {
      return SearchEntry.parse(SearchEntry.encode(octets(dn), attributes));
    } catch (LdapProtocolException e) {
      throw new AssertionError(e);
    }
  }

  private void set(String version, String... rules) {
    configuration.clear();
    configuration.add(
        entry(
            DATABASE,
            "olcDatabase",
            "{1}mdb",
            "olcSuffix",
            "dc=X",
            "entryCSN",
            version,
            "olcAccess",
            String.join("\n", rules)));
    overlay("{0}syncprov");
  }

  private void overlay(String name, String... settings) {
    String[] pairs = new String[settings.length + 2];
    pairs[0] = "olcOverlay";
    pairs[1] = name;
    System.arraycopy(settings, 0, pairs, 2, settings.length);
    configuration.add(entry("olcOverlay=" + name + "," + DATABASE, pairs));
  }

  private boolean isWatched() {
    now += 1_000_000;
    watch.turn(() -> now);
    return horizon.isWatched(now);
  }

  @Test
  void whatNeverChangesIsWatched() {
    assertThat(isWatched()).isFalse(); // nothing can be read
    set("1", ANYBODY);
    assertThat(isWatched()).isTrue();
    long revocations = horizon.revocations();
    assertThat(isWatched()).isTrue();
    assertThat(horizon.revocations()).isEqualTo(revocations);
    failure = "51 (busy)";
    assertThat(isWatched()).isFalse();
    failure = "";
    assertThat(isWatched()).isTrue();
    assertThat(horizon.revocations()).isEqualTo(revocations);
  }

  @Test
  void aChangeOfRulesVoidsWhatWasGiven() {
    set("1", ANYBODY);
    isWatched();
    set("2", ANYBODY, "{1}to * by * none");
    assertThat(isWatched()).isTrue();
    assertThat(horizon.oldest(now)).isEqualTo(now);
    set("3", ANYBODY); // what was given in between may have been more
    long revocations = horizon.revocations();
    set("4", ANYBODY, "{1}to * by * none");
    isWatched();
    assertThat(horizon.revocations()).isGreaterThan(revocations);
  }

  @Test
  void groupsDecideThatAreSeen() {
    set("1", "{0}to * by group=\"" + GROUP + "\" read");
    assertThat(isWatched()).isTrue();
    assertThat(watch.groups().named()).containsExactly(SmallDirectory.dn(GROUP));
    seen.clear();
    assertThat(isWatched()).isFalse();
    set("2", "{0}to * by group=\"cn=g,dc=elsewhere\" read");
    seen.add("cn=g,dc=elsewhere");
    assertThat(isWatched()).isFalse();
    set("3", "{0}to * by group.expand=\"cn=$1,dc=x\" read");
    assertThat(isWatched()).isTrue();
    assertThat(watch.groups().any()).isTrue();
    set("4", "{0}to * by group.expand=\"cn=$1,dc=y\" read");
    assertThat(isWatched()).isFalse();
  }

  /** A member of such a group may be given more entries than others. */
  @Test
  void groupsDecideThatLimitsName() {
    set("1", ANYBODY);
    limits("{0}group=\"" + GROUP + "\" size=10");
    assertThat(isWatched()).isTrue();
    assertThat(watch.groups().named()).containsExactly(SmallDirectory.dn(GROUP));
    seen.clear();
    assertThat(isWatched()).isFalse();
    set("2", ANYBODY);
    limits("{0}group/groupOfURLs/memberURL=\"" + GROUP + "\" size=10");
    assertThat(isWatched()).isFalse();
  }

  private void limits(String value) {
    configuration.add(
        entry("olcDatabase={-1}frontend", "olcDatabase", "{-1}frontend", "olcLimits", value));
  }

  @Test
  void whatElseDecidesIsNotWatched() {
    set("1", "{0}to * by peername.ip=10.0.0.1 read");
    assertThat(isWatched()).isFalse();
    set("2", ANYBODY);
    overlay("{1}rwm");
    assertThat(isWatched()).isFalse();
    set("3", ANYBODY);
    assertThat(isWatched()).isTrue();
    configuration.remove(1); // no overlay at all: the feed needs one, so not all is seen
    assertThat(isWatched()).isFalse();
    set("4", ANYBODY);
    obstacle = "several servers";
    assertThat(isWatched()).isFalse();
    obstacle = "";
    assertThat(isWatched()).isTrue();
    failure = "50 (insufficient access rights)";
    assertThat(isWatched()).isFalse();
  }

  /** The feed of one tells nothing of the other. */
  @Test
  void groupsThatMayBeInAnotherDatabaseAreNotWatched() {
    set("1", ANYBODY);
    configuration.add(
        entry("olcDatabase={2}mdb", "olcDatabase", "{2}mdb", "olcSuffix", "ou=g,dc=x"));
    assertThat(isWatched()).isTrue();
    seen.add("cn=g,ou=g,dc=x");
    set("2", "{0}to * by group=\"cn=g,ou=g,dc=x\" read");
    assertThat(isWatched()).isTrue();
    configuration.add(
        entry("olcDatabase={2}mdb", "olcDatabase", "{2}mdb", "olcSuffix", "ou=g,dc=x"));
    assertThat(isWatched()).isFalse();
  }

  @Test
  void groupsThatAreNotSeenToBeSomeAreNotWatched() {
    set("1", ANYBODY);
    overlay("{1}memberof", "olcMemberOfGroupOC", "organizationalRole");
    assertThat(isWatched()).isFalse();
    set("2", ANYBODY);
    overlay("{1}memberof", "olcMemberOfMemberAD", "roleOccupant");
    assertThat(isWatched()).isFalse();
    set("3", ANYBODY);
    overlay("{1}dynlist", "olcDynListAttrSet", "{0}myGroup myURL member");
    assertThat(isWatched()).isFalse();
  }

  @Test
  void overlaysSayWhatIsDerived() {
    set("1", ANYBODY);
    isWatched();
    int before = changes;
    overlay("{1}refint", "olcRefintAttribute", "manager");
    overlay("{2}memberof", "olcMemberOfMemberOfAD", "isIn", "olcMemberOfRefInt", "TRUE");
    overlay(
        "{3}dynlist", "olcDynListAttrSet", "{0}groupOfURLs memberURL member+memberOf@groupOfNames");
    assertThat(isWatched()).isTrue();
    assertThat(changes).isEqualTo(before + 1);
    assertThat(watch.derived().linked()).containsExactly("manager", "member");
    assertThat(watch.derived().groups()).containsExactly("memberOf", "isMemberOf", "isIn");
    assertThat(watch.derived().composed()).containsExactly("member");
    isWatched();
    assertThat(changes).isEqualTo(before + 1);
  }
}
