// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.auth;

import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import java.nio.charset.StandardCharsets;

/**
 * The trees that Stoa answers itself. Requests for all other names go to the directory.
 *
 * <p>Threading: immutable.
 *
 * @param monitor true if {@code cn=monitor} is answered
 * @param configuration true if {@code cn=configuration} is answered, and so an administrator
 *     exists, as its name is below it
 */
public record OwnTrees(boolean monitor, boolean configuration) {
  /** Both trees. */
  public static final OwnTrees BOTH = new OwnTrees(true, true);

  private static final NormalDn MONITOR =
      NormalDn.of("cn=monitor".getBytes(StandardCharsets.US_ASCII), ServerProfile.EXACT);

  /** True if a name is in one of the trees. */
  boolean contains(NormalDn name) {
    return (monitor && name.isBelowOrEqual(MONITOR))
        || (configuration && name.isBelowOrEqual(AdministratorConfig.CONFIGURATION));
  }
}
