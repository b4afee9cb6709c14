// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Source;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.Uuid;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What large entries looked like before. A feed tells of a group of a hundred thousand members with
 * all of them, though one of them is new: they are not prepared for filters anew each time.
 * Confined to the thread that applies changes.
 */
final class LargeImages {
  /** Of what was told; prepared, it takes about three times as much. */
  private static final int MOST_OCTETS = 16 << 20;

  private final Map<Uuid, Image> images = new LinkedHashMap<>(16, 0.75f, true);
  private int octets;

  /** Before the change takes effect. */
  void prepare(Change change) {
    Uuid uuid = change.uuid();
    Image image = change.image();
    if (uuid == null) {
      return;
    }
    int size = image == null ? 0 : image.largeOctets();
    if (image != null && size > 0) {
      Image before = images.get(uuid);
      if (before != null) {
        image.prepareLike(before);
      }
      if (change.receipt().source() == Source.FEED && size <= MOST_OCTETS) {
        remember(uuid, image, size); // what a feed tells has no secrets in it
      }
    } else if (change instanceof Deleted) {
      octets -= sizeOf(images.remove(uuid));
    }
  }

  private void remember(Uuid uuid, Image image, int size) {
    octets += size - sizeOf(images.put(uuid, image));
    for (Iterator<Image> oldest = images.values().iterator(); octets > MOST_OCTETS; ) {
      octets -= sizeOf(oldest.next());
      oldest.remove();
    }
  }

  private static int sizeOf(@Nullable Image image) {
    return image == null ? 0 : image.largeOctets();
  }
}
