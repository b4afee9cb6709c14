// SPDX-License-Identifier: Apache-2.0
package io.stoa.wiring;

import io.stoa.feed.SyncTerms;
import io.stoa.filter.Image;
import io.stoa.filter.SchemaRules;
import io.stoa.ldap.SearchEntry;
import io.stoa.match.NormalDn;
import io.stoa.match.ServerProfile;

/**
 * What is known of a directory: how names are compared, and how filters are evaluated. Immutable.
 */
public record Knowledge(ServerProfile profile, SchemaRules rules) implements SyncTerms.Rules {
  /** Of a directory that has not been asked yet. */
  public static final Knowledge NONE = new Knowledge(ServerProfile.EXACT, SchemaRules.NONE);

  @Override
  public NormalDn name(byte[] dn) {
    return NormalDn.of(dn, profile);
  }

  @Override
  public Image image(SearchEntry entry) {
    return Image.of(entry, true, profile, rules);
  }
}
