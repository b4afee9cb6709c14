// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.changelog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.SearchResultEntry;
import io.stoa.feed.changelog.ChangedEntries.ReadBatch;
import io.stoa.feed.syncrepl.SyncContext;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** However large changed entries are, and whatever fails, all are read, or known to be unknown. */
class ChangedEntriesTest {
  private static final int ALL = 200;

  private final Directory directory = new Directory();
  private final ChangedEntries entries =
      new ChangedEntries(
          new SyncContext("dc=x", 1000, type -> false, new Rules(), System::nanoTime));

  /** Names and entries, as if nothing were known of attributes. */
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

  /** Has entries that are as large as is said. */
  private static final class Directory implements ChangedEntries.EntrySource {
    private final Set<Uuid> broken = new HashSet<>();
    private int octets = 100;
    private int max = ALL;
    private int returned;
    private int largest;

    @Override
    public boolean read(List<Uuid> wanted, Consumer<SearchResultEntry> found) throws IOException {
      if (wanted.stream().anyMatch(broken::contains)) {
        throw new IOException("the message is too large");
      }
      largest = Math.max(largest, wanted.size());
      for (Uuid one : wanted.subList(0, Math.min(max, wanted.size()))) {
        returned++;
        found.accept(entry(one));
      }
      return wanted.size() <= max;
    }

    private SearchResultEntry entry(Uuid one) {
      return new SearchResultEntry(
          "cn=a,dc=x",
          List.of(
              new Attribute("nsUniqueId", one.toString()),
              new Attribute("description", "x".repeat(octets))));
    }
  }

  private static List<Uuid> wanted() {
    return LongStream.range(0, ALL).mapToObj(low -> new Uuid(7, low)).toList();
  }

  private List<Integer> readAll() throws IOException {
    List<Integer> pieces = new ArrayList<>();
    List<Uuid> left = new ArrayList<>(wanted());
    while (!left.isEmpty()) {
      ReadBatch looks = entries.read(left, directory);
      assertThat(looks.images().keySet()).isSubsetOf(looks.settled());
      pieces.add(looks.images().size());
      left.removeAll(looks.settled());
    }
    return pieces;
  }

  @Test
  void smallEntriesAreReadInLargeBatches() throws Exception {
    assertThat(readAll()).containsExactly(50, 50, 50, 50);
  }

  @Test
  void largeEntriesAreReadInSmallBatches() throws Exception {
    directory.octets = ChangedEntries.MAX_BATCH_BYTES / 3;
    assertThat(readAll()).allMatch(piece -> piece <= 4);
    assertThat(directory.returned).isLessThan(2 * ALL);
  }

  @Test
  void entriesBeyondTheSizeLimitAreReadAgain() throws Exception {
    directory.max = 7;
    assertThat(readAll().stream().mapToInt(Integer::intValue).sum()).isEqualTo(ALL);
  }

  /** Else the feed would stop there for ever. */
  @Test
  void anUnreadableEntryIsUnknownAndTheOthersAreRead() throws Exception {
    List<Uuid> all = wanted();
    directory.broken.add(all.get(1));
    assertThatThrownBy(() -> entries.read(all, directory)).isInstanceOf(IOException.class);
    assertThat(entries.read(all, directory).settled()).containsExactly(all.get(0));
    List<Uuid> rest = all.subList(1, ALL);
    ReadBatch looks = null;
    for (int i = 0; i < 3 && looks == null; i++) {
      try {
        looks = entries.read(rest, directory);
      } catch (IOException e) {
        assertThat(e).hasMessageContaining("too large");
      }
    }
    assertThat(looks).isNotNull();
    assertThat(looks.settled()).contains(all.get(1));
    assertThat(looks.images()).doesNotContainKey(all.get(1));
    directory.broken.clear();
    assertThat(readAll().stream().mapToInt(Integer::intValue).sum()).isEqualTo(ALL);
  }
}
