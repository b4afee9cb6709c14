// SPDX-License-Identifier: Apache-2.0
package io.stoa.watch;

import io.stoa.change.PrivilegedReader.Search;
import io.stoa.change.ReadFrom;
import io.stoa.filter.Image;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.SearchEntry;
import io.stoa.ldap.SearchEntry.AttributeOctets;
import io.stoa.match.Answers;
import io.stoa.operation.Operation;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the account of the feed is given of one entry, before and after a client is asked for it: if
 * that is the same, the client was given it in the same state. The same holds of what the account
 * is not given. Confined to the client's event loop.
 */
public final class FeedWitness {
  private static final int BASE = 0;
  private static final byte[] ANYTHING = "(objectClass=*)".getBytes(StandardCharsets.US_ASCII);

  private final Ground ground;
  private final byte[] entry;
  private final Executor loop;
  private final Asked asked;
  private final Consumer<@Nullable Sight> still;

  private FeedWitness(
      Ground ground, byte[] entry, Executor loop, Asked asked, Consumer<@Nullable Sight> still) {
    this.ground = ground;
    this.entry = entry;
    this.loop = loop;
    this.asked = asked;
    this.still = still;
  }

  /**
   * What the account sees of an entry. Immutable.
   *
   * @param image what it looks like; null if the account is given no such entry
   */
  public record Sight(@Nullable Image image) {}

  /** Somebody who is asked in between. */
  public interface Asked {
    /** Asks; hears by which operation that was, and null if there is no answer. */
    void ask(Consumer<@Nullable Operation> done);
  }

  /**
   * Looks, has somebody asked, and looks again.
   *
   * @param entry its DN
   * @param still hears what is seen of the entry; null if it is not known that this was so all the
   *     time, or that who was asked was answered by the server of the feed
   */
  public static void around(
      Ground ground, byte[] entry, Executor loop, Asked asked, Consumer<@Nullable Sight> still) {
    FeedWitness witness = new FeedWitness(ground, entry, loop, asked, still);
    witness.look(witness::before);
  }

  /** Hears of one entry or none; and null if there is no answer. */
  private void look(Consumer<@Nullable List<SearchEntry>> seen) {
    ground
        .realm()
        .ties()
        .reader()
        .search(
            new Search(entry, BASE, ANYTHING, List.of("*", "+")),
            found -> loop.execute(() -> seen.accept(found)),
            why -> loop.execute(() -> seen.accept(null)));
  }

  private void before(@Nullable List<SearchEntry> seen) {
    if (seen == null) {
      still.accept(null);
    } else {
      asked.ask(answered -> between(seen, answered));
    }
  }

  private void between(List<SearchEntry> before, @Nullable Operation answered) {
    ReadFrom source = answered == null ? null : ground.source(answered.sources());
    if (source == null || !ground.realm().isHome(source.server())) {
      still.accept(null);
    } else {
      look(after -> still.accept(after == null ? null : sight(before, after)));
    }
  }

  private @Nullable Sight sight(List<SearchEntry> before, List<SearchEntry> after) {
    if (before.isEmpty() && after.isEmpty()) {
      return new Sight(null);
    }
    boolean same = before.size() == 1 && after.size() == 1 && isSame(before.get(0), after.get(0));
    return same ? new Sight(Image.of(after.get(0), true, ground.profile(), ground.rules())) : null;
  }

  /** In all that is shown of it, in which its entryCSN is, too. */
  private static boolean isSame(SearchEntry before, SearchEntry after) {
    try {
      return answers(before).equals(answers(after));
    } catch (LdapProtocolException e) {
      return false;
    }
  }

  private static Answers answers(SearchEntry entry) throws LdapProtocolException {
    List<byte[]> attributes = entry.attributes().stream().map(AttributeOctets::encoded).toList();
    return Answers.of(0, List.of(SearchEntry.encode(entry.dn(), attributes)));
  }
}
