// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.sim.check.LeakChecker;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The names that there may be, and who may see what of them: the administrator all; others no
 * telephone numbers; nobody who has not bound anything below one of the containers. Stateless.
 */
final class World {
  static final String SUFFIX = "dc=x";
  static final String ADMIN = "uid=admin,dc=x";
  static final String CLERK = "uid=clerk,dc=x";
  static final String NOBODY = "";

  /** Who they are, by the number of the client. */
  static final List<String> CLIENTS = List.of(ADMIN, ADMIN, CLERK, NOBODY);

  /** Containers, of which the last is only a name to which another may be renamed. */
  static final int CONTAINERS = 4;

  static final int PEOPLE = 10;

  private static final int FLAGS = 3;
  private static final String HIDDEN = container(2);

  private World() {}

  static String container(int number) {
    return "ou=g" + number + "," + SUFFIX;
  }

  static String person(int number, int container) {
    return "cn=e" + number + "," + container(container);
  }

  static String flag(int number) {
    return "f" + number % FLAGS;
  }

  /** An entry as somebody may see it; null if it is hidden. */
  static @Nullable Entry visible(String identity, Entry entry) {
    if (identity.equals(ADMIN)) {
      return entry;
    }
    if (identity.equals(NOBODY) && isHidden(entry.getDN())) {
      return null;
    }
    Entry less = entry.duplicate();
    less.removeAttribute(SimTree.PHONE);
    return less;
  }

  private static boolean isHidden(String dn) {
    return dn.equals(HIDDEN) || dn.endsWith("," + HIDDEN);
  }

  /** The same rules, by what was shown. */
  static LeakChecker.Rules rules() {
    return (identity, dn, shown) ->
        (identity.equals(NOBODY) && isHidden(dn))
            || (!identity.equals(ADMIN) && shown.contains(SimTree.PHONE));
  }
}
