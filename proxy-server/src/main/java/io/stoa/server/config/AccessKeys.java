// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.client.access.AccessRules;
import io.stoa.client.access.ClientAccessRule;
import java.util.List;

/** The keys of the section {@code access}. Threading: immutable. */
final class AccessKeys {
  static final KeySection KEYS = new KeySection("access.");

  static final ConfigKey<List<ClientAccessRule>> RULES =
      KEYS.live(
          "rules",
          AccessRuleItem.TYPE,
          AccessRules.NONE.rules(),
          "Access rules, in order: the first rule that applies allows or denies an operation. Without"
              + " a rule it is allowed. At most "
              + AccessRules.MAX_RULES
              + ".");

  private AccessKeys() {}

  /** Builds the access rules. */
  static AccessRules assemble(Settings settings) {
    return new AccessRules(settings.get(RULES), settings.get(ConfigKeys.READ_ONLY));
  }
}
