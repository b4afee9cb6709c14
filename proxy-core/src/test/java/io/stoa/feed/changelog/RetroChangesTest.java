// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.changelog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.feed.event.Change;
import io.stoa.feed.syncrepl.SyncContext;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is read of an entry is later than its record. */
class RetroChangesTest {
  private static final Uuid ENTRY = new Uuid(0, 1);

  /** As if nothing were known of attributes. */
  private static final class Rules implements SyncContext.Rules {
    @Override
    public NormalDn name(byte[] dn) {
      return NormalDn.of(dn, ServerProfile.EXACT);
    }

    @Override
    public Image image(SearchEntry entry) {
      return Image.of(entry, true, ServerProfile.EXACT);
    }
  }

  /** What was below it may have been moved elsewhere before it was looked at. */
  @Test
  void aRenameCountsAsASubtreeRename() throws Exception {
    Rules rules = new Rules();
    SyncContext terms = new SyncContext("dc=x", 10, type -> false, rules, () -> 1);
    RetroChanges changes = new RetroChanges(terms, rules.name("dc=x".getBytes(UTF_8)), Set.of());
    byte[] leaf =
        SearchEntry.encodeAttribute(
            "hasSubordinates".getBytes(UTF_8), List.of("FALSE".getBytes(UTF_8)));
    byte[] name = "ou=p,ou=y,dc=x".getBytes(UTF_8);
    Image image = rules.image(SearchEntry.parse(SearchEntry.encode(name, List.of(leaf))));
    RetroRecord record =
        new RetroRecord(
            1, "", RetroRecord.ChangeType.MODRDN, ENTRY, "ou=p,ou=x,dc=x", "ou=p,ou=y,dc=x");
    Change change = changes.of(record, Map.of(ENTRY, image), Position.NONE);
    assertThat(change).isInstanceOf(Change.Renamed.class);
    assertThat(((Change.Renamed) change).image()).isSameAs(image);
    assertThat(((Change.Renamed) change).leaf()).isFalse();
  }

  /** They are about whatever is below. */
  @Test
  void rulesAboveTheNamingContextConcernAllOfIt() {
    Rules rules = new Rules();
    SyncContext terms = new SyncContext("ou=x,dc=x", 10, type -> false, rules, () -> 1);
    RetroChanges changes =
        new RetroChanges(terms, rules.name("ou=x,dc=x".getBytes(UTF_8)), Set.of(2L, 3L, 4L));
    assertThat(changes.of(modified(1, "dc=x"), Map.of(), Position.NONE)).isNull();
    assertThat(changes.of(modified(2, "dc=x"), Map.of(), Position.NONE))
        .isInstanceOf(Change.Unknown.class);
    assertThat(changes.of(modified(3, "ou=y,dc=x"), Map.of(), Position.NONE)).isNull();
    Change below = changes.of(modified(4, "ou=p,ou=x,dc=x"), Map.of(), Position.NONE);
    assertThat(below).isInstanceOf(Change.Modified.class);
    assertThat(below.receipt().rights()).isTrue();
  }

  private static RetroRecord modified(long number, String name) {
    return new RetroRecord(number, "", RetroRecord.ChangeType.MODIFY, ENTRY, name, null);
  }
}
