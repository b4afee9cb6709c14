// SPDX-License-Identifier: Apache-2.0
package io.stoa.watch;

import io.stoa.change.Change;
import io.stoa.change.Change.Anything;
import io.stoa.change.Change.Deleted;
import io.stoa.change.Change.Modified;
import io.stoa.change.Change.Receipt;
import io.stoa.change.Change.Renamed;
import io.stoa.change.Change.Source;
import io.stoa.change.Csn;
import io.stoa.change.OwnChange;
import io.stoa.change.PrivilegedReader.Search;
import io.stoa.filter.Image;
import io.stoa.filter.Uuid;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.OpType;
import io.stoa.ldap.RequestOp.ModifyDnOp;
import io.stoa.ldap.SearchEntry;
import io.stoa.ldap.SearchEntry.AttributeOctets;
import io.stoa.match.NormalDn;
import io.stoa.realm.Realm.Ties;
import io.stoa.realm.RealmState;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One write that went through Stoa, while it is found out what the directory has made of it: the
 * entry is read, as the identity of the feed, from the server that has done it. If that cannot be
 * known in time, whatever the write may concern is void. Thread-safe.
 */
final class OwnWrite {
  /** The client is not kept waiting for longer. */
  private static final long PATIENCE_MILLIS = 250;

  private static final int BASE = 0;
  private static final byte[] ANYTHING = "(objectClass=*)".getBytes(StandardCharsets.US_ASCII);
  private static final String ENTRY_CSN = "entryCSN";

  private final Ground ground;
  private final OwnChange change;
  private final Runnable applied;
  private final AtomicBoolean told = new AtomicBoolean();

  /**
   * Makes it.
   *
   * @param applied is run once, on any thread
   */
  OwnWrite(Ground ground, OwnChange change, Runnable applied) {
    this.ground = ground;
    this.change = change;
    this.applied = applied;
  }

  void begin(byte[] entry) {
    try {
      look(entry);
    } catch (RejectedExecutionException e) {
      applied(); // the realm has ended, and with it whatever rested on it
    }
  }

  private void applied() {
    if (told.compareAndSet(false, true)) {
      applied.run();
    }
  }

  private void look(byte[] entry) {
    NormalDn name = ground.name(entry);
    RealmState state = ground.realm().state();
    if (state != RealmState.LIVE) {
      standStill(state, name);
      return;
    }
    if (change.cause() == OpType.DELETE_REQUEST) {
      own(new Deleted(null, name, receipt(null)));
      return;
    }
    ModifyDnOp rename = change.rename();
    byte[] now = rename == null ? entry : EntryNames.renamed(entry, rename);
    if (now == null || !ground.realm().isHome(server())) {
      anything(rename == null ? name : null);
    } else {
      read(now, rename == null ? null : name);
    }
  }

  /** What waits for the feed to go on may be given before the feed has told this. */
  private void standStill(RealmState state, NormalDn name) {
    if (state == RealmState.SUSPENDED) {
      anything(change.rename() == null ? name : null);
    } else {
      applied.run();
    }
  }

  private @Nullable Object server() {
    return change.server() == null ? ground.only() : change.server();
  }

  private void read(byte[] now, @Nullable NormalDn old) {
    NormalDn name = ground.name(now);
    Ties ties = ground.realm().ties();
    ties.own()
        .schedule(
            () -> anything(old == null ? name : null), PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    ties.reader()
        .search(
            new Search(now, BASE, ANYTHING, List.of("*", "+")),
            found -> found(found, name, old),
            why -> anything(old == null ? name : null));
  }

  private void found(List<SearchEntry> found, NormalDn name, @Nullable NormalDn old) {
    Change known = found.size() == 1 ? change(found.get(0), old) : null;
    if (known == null) {
      anything(old == null ? name : null);
    } else {
      own(known);
    }
  }

  private @Nullable Change change(SearchEntry entry, @Nullable NormalDn old) {
    byte[] text = value(entry, ground.realm().kind().uuidAttribute());
    Uuid uuid = text == null ? null : Uuid.parse(text);
    if (uuid == null) {
      return null;
    }
    byte[] state = value(entry, ENTRY_CSN);
    Image image = Image.of(entry, true, ground.profile(), ground.rules());
    Receipt receipt = receipt(state == null ? null : Csn.parse(state));
    return old == null
        ? new Modified(uuid, image.dn(), image, receipt)
        : new Renamed(uuid, old, image.dn(), image.isLeaf(), image, receipt);
  }

  private static byte @Nullable [] value(SearchEntry entry, String type) {
    for (AttributeOctets attribute : entry.attributes()) {
      if (type.equalsIgnoreCase(new String(attribute.type(), StandardCharsets.ISO_8859_1))) {
        try {
          List<byte[]> values = attribute.values();
          return values.size() == 1 ? values.get(0) : null;
        } catch (LdapProtocolException e) {
          return null;
        }
      }
    }
    return null;
  }

  /** Whatever it may concern is void; everything, if no place is given. */
  void anything(@Nullable NormalDn place) {
    own(new Anything(place, receipt(null)));
  }

  private Receipt receipt(@Nullable Csn csn) {
    return new Receipt(csn, null, ground.realm().ties().clock().getAsLong(), Source.OWN_WRITE);
  }

  private void own(Change known) {
    if (told.compareAndSet(false, true)) {
      try {
        ground.realm().own(known, applied);
      } catch (RejectedExecutionException e) {
        applied.run(); // the same
      }
    }
  }
}
