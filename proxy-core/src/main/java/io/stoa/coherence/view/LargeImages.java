// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.Uuid;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the previous images of large entries. A feed reports a group of 100,000 members with all of
 * them even if only one is new. Work that the previous image has done for filters is reused.
 *
 * <p>Threading: confined to the thread that applies changes.
 */
final class LargeImages {
  /**
   * Maximum octets of images as reported: 16 MiB. Prepared images take about three times as much.
   */
  private static final int MAX_OCTETS = 16 << 20;

  private final Map<Uuid, Image> images = new LinkedHashMap<>(16, 0.75f, true);
  private int octets;

  /** Prepares the image of a change before it takes effect. */
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
      if (change.receipt().reporter() == Reporter.FEED && size <= MAX_OCTETS) {
        remember(uuid, image, size); // the feed's images hold no secrets
      }
    } else if (change instanceof Deleted) {
      octets -= sizeOf(images.remove(uuid));
    }
  }

  private void remember(Uuid uuid, Image image, int size) {
    octets += size - sizeOf(images.put(uuid, image));
    for (Iterator<Image> oldest = images.values().iterator(); octets > MAX_OCTETS; ) {
      octets -= sizeOf(oldest.next());
      oldest.remove();
    }
  }

  private static int sizeOf(@Nullable Image image) {
    return image == null ? 0 : image.largeOctets();
  }
}
