// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import java.util.List;

/** The names that there may be. Stateless. */
final class SimNames {
  static final String SUFFIX = "dc=x";
  static final String ADMIN = "uid=admin,dc=x";
  static final String CLERK = "uid=clerk,dc=x";
  static final String ANONYMOUS = "";

  /** As whom a feed is read that does not see all. */
  static final String FEED = "uid=feed,dc=x";

  /** Who they are, by the number of the client. */
  static final List<String> CLIENTS = List.of(ADMIN, ADMIN, CLERK, ANONYMOUS);

  /** Containers, of which the last is only a name to which another may be renamed. */
  static final int CONTAINERS = 4;

  /** Containers that there are. */
  static final int PRESENT_CONTAINERS = CONTAINERS - 1;

  static final int PEOPLE = 10;
  static final int GROUPS = 2;
  static final String HIDDEN_FROM_FEED = container(1);

  private static final int FLAGS = 3;

  private SimNames() {}

  static String container(int number) {
    return "ou=g" + number + "," + SUFFIX;
  }

  static String person(int number, int container) {
    return "cn=e" + number + "," + container(container);
  }

  static String group(int number) {
    return "cn=t" + number + "," + SUFFIX;
  }

  static String flag(int number) {
    return "f" + number % FLAGS;
  }
}
