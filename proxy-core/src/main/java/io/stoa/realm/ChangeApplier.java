// SPDX-License-Identifier: Apache-2.0
package io.stoa.realm;

import io.stoa.change.Change;
import io.stoa.change.Change.Deleted;
import io.stoa.change.Change.Modified;
import io.stoa.change.Change.Renamed;
import io.stoa.change.Change.Source;
import io.stoa.change.Fences;
import io.stoa.change.RingRecord;
import io.stoa.filter.Image;
import io.stoa.filter.Uuid;
import io.stoa.ldap.SearchEntry.AttributeOctets;
import io.stoa.match.NormalDn;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Applies changes one after the other: first it is written down, then it takes effect on the views,
 * and only then its position is told. Confined to the realm's thread.
 */
final class ChangeApplier {
  private final Run run;
  private final Predicate<byte[]> secret;
  private final boolean namesAreTold;

  ChangeApplier(Run run, RealmConfig config) {
    this.run = run;
    this.secret = config.secret();
    this.namesAreTold = config.kind().tellsNames();
  }

  /** False if it had been applied before. */
  boolean apply(Change change, long now) {
    LastCsn last = run.last();
    if (last.has(change)) {
      return false;
    }
    NormalDn old = old(change);
    Change placed = namesAreTold ? change : placed(change, old);
    boolean late = last.hasNewer(change);
    RingRecord record = run.ring().append(withoutSecrets(placed), now);
    if (!late) {
      last.note(record, isWhole(change));
    }
    Fences.full();
    if (late) {
      run.effects().applyLate(placed, old);
    } else {
      run.images().await(record, run.effects().apply(placed, old));
      place(placed);
    }
    return true;
  }

  private static boolean isWhole(Change change) {
    Image image = change.image();
    return change instanceof Deleted || (image != null && image.complete());
  }

  private static Change withoutImage(Change change) {
    if (change instanceof Renamed it) {
      return new Renamed(it.uuid(), it.old(), it.dn(), it.leaf(), null, it.receipt());
    }
    return change instanceof Modified it
        ? new Modified(it.uuid(), it.dn(), null, it.receipt())
        : change;
  }

  /** The name that the entry had; null if that is not known, or it was not there. */
  private @Nullable NormalDn old(Change change) {
    if (!namesAreTold) {
      Uuid uuid = change.uuid();
      return uuid == null ? null : run.places().before(uuid, change.csn());
    }
    if (change instanceof Renamed it) {
      return it.old();
    }
    return change.receipt().source() == Source.FEED ? change.dn() : null;
  }

  /**
   * The same with what is known of the names of entries above others. One with something below it
   * that was not known may have had any other name before.
   */
  private static Change placed(Change change, @Nullable NormalDn old) {
    if (change instanceof Deleted it && it.dn() == null) {
      return new Deleted(it.uuid(), old, it.receipt());
    }
    if (change instanceof Renamed it && it.old() == null) {
      return new Renamed(it.uuid(), old, it.dn(), it.leaf(), it.image(), it.receipt());
    }
    if (change instanceof Modified it && isRenamed(it, old)) {
      boolean leaf = isLeaf(it.image());
      return new Renamed(it.uuid(), old, it.dn(), leaf, it.image(), it.receipt());
    }
    return change;
  }

  private static boolean isRenamed(Modified change, @Nullable NormalDn old) {
    return old == null ? !isLeaf(change.image()) : !old.equals(change.dn());
  }

  private static boolean isLeaf(@Nullable Image image) {
    return image != null && image.isLeaf();
  }

  /** Then what it looks like is forgotten: no question about it can be answered from the ring. */
  private Change withoutSecrets(Change change) {
    Image image = change.image();
    if (image == null || image.entry().attributes().stream().noneMatch(this::isSecret)) {
      return change;
    }
    return withoutImage(change);
  }

  private boolean isSecret(AttributeOctets attribute) {
    return secret.test(attribute.type());
  }

  private void place(Change change) {
    Uuid uuid = change.uuid();
    if (uuid == null || namesAreTold) {
      return;
    }
    Places places = run.places();
    if (change instanceof Deleted) {
      places.remove(uuid);
    } else if (change instanceof Renamed it) {
      NormalDn old = it.old();
      if (old != null) {
        places.leave(old);
      }
      places.told(uuid, it.dn());
    }
  }
}
