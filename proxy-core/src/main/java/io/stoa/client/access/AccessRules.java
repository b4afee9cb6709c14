// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.access;

import static io.stoa.net.transport.InvalidConfigException.refuse;

import java.util.List;

/**
 * The access rules in their order. The first rule that applies decides; an operation without a rule
 * is allowed.
 *
 * <p>Threading: immutable.
 *
 * @param rules the rules
 * @param readOnly true if all operations that may write are refused
 */
public record AccessRules(List<ClientAccessRule> rules, boolean readOnly) {
  /** Maximum number of rules: 1,000. Each operation may be compared with all of them. */
  public static final int MAX_RULES = 1_000;

  /** No rules: everything is allowed. */
  public static final AccessRules NONE = new AccessRules(List.of(), false);

  public AccessRules {
    rules = List.copyOf(rules);
    refuse(rules.size() > MAX_RULES, "rules", " has more than " + MAX_RULES + " items");
  }

  /** True if some operation may be refused. */
  boolean isActive() {
    return readOnly || !rules.isEmpty();
  }
}
