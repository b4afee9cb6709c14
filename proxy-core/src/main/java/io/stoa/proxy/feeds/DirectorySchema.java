// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import io.stoa.feed.syncrepl.SyncContext;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.SchemaRules;
import io.stoa.ldap.schema.ServerProfile;

/**
 * The schema of a directory: how names are compared, and how filters are evaluated.
 *
 * <p>Threading: immutable.
 */
public record DirectorySchema(ServerProfile profile, SchemaRules rules)
    implements SyncContext.Rules {
  /** The schema of a directory that has not been read yet. */
  public static final DirectorySchema NONE =
      new DirectorySchema(ServerProfile.EXACT, SchemaRules.NONE);

  @Override
  public NormalDn name(byte[] dn) {
    return NormalDn.of(dn, profile);
  }

  @Override
  public Image image(SearchEntry entry) {
    return Image.of(entry, true, profile, rules);
  }
}
