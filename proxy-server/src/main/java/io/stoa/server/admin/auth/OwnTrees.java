// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.auth;

import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import java.nio.charset.StandardCharsets;

/**
 * Which trees Stoa answers itself; what is asked of the others goes to the directory. Immutable.
 *
 * @param monitor whether {@code cn=monitor} is one of them
 * @param configuration whether {@code cn=configuration} is one of them, and there is an
 *     administrator, whose name is below it
 */
public record OwnTrees(boolean monitor, boolean configuration) {
  /** Both are. */
  public static final OwnTrees BOTH = new OwnTrees(true, true);

  private static final NormalDn MONITOR =
      NormalDn.of("cn=monitor".getBytes(StandardCharsets.US_ASCII), ServerProfile.EXACT);

  /** Whether a name is in one of them. */
  boolean contain(NormalDn name) {
    return (monitor && name.isBelowOrEqual(MONITOR))
        || (configuration && name.isBelowOrEqual(AdministratorConfig.CONFIGURATION));
  }
}
