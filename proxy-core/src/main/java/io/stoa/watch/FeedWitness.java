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
 * that is the same, the client was given it in the same state. Confined to the client's event loop.
 */
public final class FeedWitness {
  private static final int BASE = 0;
  private static final byte[] ANYTHING = "(objectClass=*)".getBytes(StandardCharsets.US_ASCII);

  private final Ground ground;
  private final byte[] entry;
  private final Executor loop;
  private final Asked asked;
  private final Consumer<@Nullable Image> still;

  private FeedWitness(
      Ground ground, byte[] entry, Executor loop, Asked asked, Consumer<@Nullable Image> still) {
    this.ground = ground;
    this.entry = entry;
    this.loop = loop;
    this.asked = asked;
    this.still = still;
  }

  /** Somebody who is asked in between. */
  public interface Asked {
    /** Asks; hears by which operation that was, and null if there is no answer. */
    void ask(Consumer<@Nullable Operation> done);
  }

  /**
   * Looks, has somebody asked, and looks again.
   *
   * @param entry its DN
   * @param still hears what the entry looks like; null if it is not known that it did all the time,
   *     or that who was asked was answered by the server of the feed
   */
  public static void around(
      Ground ground, byte[] entry, Executor loop, Asked asked, Consumer<@Nullable Image> still) {
    FeedWitness witness = new FeedWitness(ground, entry, loop, asked, still);
    witness.look(witness::before);
  }

  private void look(Consumer<@Nullable SearchEntry> seen) {
    ground
        .realm()
        .ties()
        .reader()
        .search(
            new Search(entry, BASE, ANYTHING, List.of("*", "+")),
            found -> loop.execute(() -> seen.accept(found.size() == 1 ? found.get(0) : null)),
            why -> loop.execute(() -> seen.accept(null)));
  }

  private void before(@Nullable SearchEntry seen) {
    if (seen == null) {
      still.accept(null);
    } else {
      asked.ask(answered -> between(seen, answered));
    }
  }

  private void between(SearchEntry before, @Nullable Operation answered) {
    ReadFrom source = answered == null ? null : ground.source(answered.sources());
    if (source == null || !ground.realm().isHome(source.server())) {
      still.accept(null);
    } else {
      look(after -> after(before, after));
    }
  }

  private void after(SearchEntry before, @Nullable SearchEntry after) {
    still.accept(
        after == null || !isSame(before, after)
            ? null
            : Image.of(after, true, ground.profile(), ground.rules()));
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
