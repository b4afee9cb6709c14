// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.FeedGap;
import io.stoa.feed.event.FeedSink;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.testing.Responses;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A copy of what a server holds, kept up by nothing but what a feed says from then on. It proves
 * that the feed says all there is to say before it says that it has come so far. Thread-confined.
 */
final class FeedMirror implements FeedSink {
  private final SimServer server;
  private final SimSyncProvider provider;
  private final Map<String, MirroredEntry> copies = new TreeMap<>();
  private boolean whole;
  private boolean live;
  private int loadedAt;
  private int changeCount;

  FeedMirror(SimServer server, SimSyncProvider provider) {
    this.server = server;
    this.provider = provider;
  }

  /** An entry as it was told. Immutable. */
  record MirroredEntry(String dn, int csn, String attributes) {}

  @Override
  public void onChange(Change change) {
    changeCount++;
    String uuid = String.valueOf(change.uuid());
    if (change instanceof Change.Modified modified && modified.image() != null) {
      put(uuid, held(modified.image().entry()));
    } else if (change instanceof Change.Deleted) {
      remove(uuid);
    } else if (change instanceof Change.Unknown && live) {
      load(); // nothing that was known before counts any more
    } else {
      throw new AssertionError("the feed says " + change);
    }
    Position f = change.receipt().cookie();
    if (f != null) {
      onCovered(f);
    }
  }

  /** Of those below a renamed entry nothing is told: they go with it. */
  private void put(String uuid, MirroredEntry next) {
    MirroredEntry old = copies.put(uuid, next);
    if (old != null && !old.dn().equals(next.dn())) {
      List<String> below = below(old.dn());
      whole &= live || below.isEmpty(); // a refresh is in no order: who went where is not known
      for (String child : below) {
        MirroredEntry was = copies.get(child);
        String kept = was.dn().substring(0, was.dn().length() - old.dn().length());
        copies.put(child, new MirroredEntry(kept + next.dn(), was.csn(), was.attributes()));
      }
    }
  }

  /** What is below an entry that can be seen no more went with it, too. */
  private void remove(String uuid) {
    MirroredEntry old = copies.remove(uuid);
    if (old != null) {
      copies.keySet().removeAll(below(old.dn()));
    }
  }

  private List<String> below(String dn) {
    List<String> below = new ArrayList<>();
    copies.forEach(
        (uuid, held) -> {
          if (held.dn().endsWith("," + dn)) {
            below.add(uuid);
          }
        });
    return below;
  }

  @Override
  public void onCovered(Position f) {
    if (whole && live) {
      assertReported(SimCsn.number(f));
    }
  }

  /** All that the feed says it has, it has told: of each entry at least the last of it. */
  private void assertReported(int number) {
    Map<String, SimCommit> last = new HashMap<>();
    for (SimCommit commit : provider.log()) {
      if (commit.csn() <= number && commit.csn() > loadedAt && !commit.undone()) {
        last.put(commit.uuid(), commit);
      }
    }
    last.keySet().removeAll(provider.undone());
    last.forEach(
        (uuid, commit) -> {
          boolean seen =
              commit.after() != null && !provider.clearance().hides(commit.after().getDN());
          MirroredEntry held = copies.get(uuid);
          boolean right = seen ? held != null && held.csn() >= commit.csn() : true;
          boolean gone = seen || held == null || held.csn() > commit.csn();
          assertThat(right && gone).as("at %d, %s: %s", number, commit, held).isTrue();
        });
  }

  @Override
  public void onGap(FeedGap why) {
    whole = false;
    copies.clear();
  }

  @Override
  public void onLost(String why) {
    live = false;
  }

  @Override
  public void onLive(Position f) {
    live = true;
    if (whole) {
      assertReported(SimCsn.number(f));
    } else {
      load();
    }
  }

  private void load() {
    copies.clear();
    copies.putAll(held());
    provider.log().stream()
        .filter(commit -> !commit.undone() && commit.state() > server.state())
        .forEach(this::applyAnnounced);
    loadedAt = server.csn();
    whole = true;
  }

  /** What was announced already will be read soon. */
  private void applyAnnounced(SimCommit commit) {
    Entry after = commit.after();
    if (after != null && !provider.clearance().hides(after.getDN())) {
      put(commit.uuid(), held(parsed(after)));
    } else {
      remove(commit.uuid());
    }
  }

  boolean isLive() {
    return live;
  }

  /** How many changes it was told. */
  int changeCount() {
    return changeCount;
  }

  Map<String, MirroredEntry> copies() {
    return copies;
  }

  /** What the server holds now, as far as the feed may see it. */
  Map<String, MirroredEntry> held() {
    Map<String, MirroredEntry> all = new TreeMap<>();
    for (Entry entry : server.timeline().tree(server.state()).entries().values()) {
      if (!provider.clearance().hides(entry.getDN())) {
        all.put(entry.getAttributeValue(SimTree.UUID), held(parsed(entry)));
      }
    }
    return all;
  }

  private static SearchEntry parsed(Entry entry) {
    try {
      return SearchEntry.parse(Responses.entry(entry).op());
    } catch (LdapProtocolException e) {
      throw new AssertionError("it is none", e);
    }
  }

  /** That which changes without a word is left out. */
  private static MirroredEntry held(SearchEntry entry) {
    Map<String, String> attributes =
        entry.attributes().stream()
            .collect(
                Collectors.toMap(
                    one -> new String(one.type(), StandardCharsets.UTF_8),
                    one -> new String(one.encoded(), StandardCharsets.ISO_8859_1),
                    (one, other) -> one + other,
                    TreeMap::new));
    attributes.remove(SimGroups.MEMBER_OF);
    attributes.remove(SimTree.SUBORDINATES);
    String csn = attributes.getOrDefault(SimTree.CSN, "");
    int number = Integer.parseInt(csn.substring(csn.indexOf('Z') - 6, csn.indexOf('Z')));
    return new MirroredEntry(
        new String(entry.dn(), StandardCharsets.UTF_8), number, attributes.toString());
  }
}
