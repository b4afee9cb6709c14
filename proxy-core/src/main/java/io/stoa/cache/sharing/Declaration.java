// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.cache.sharing.SharingClass.Attributes;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A sharing class as declared in the configuration: identities that the directory gives the same
 * answers.
 *
 * <p>Threading: immutable.
 *
 * @param name name of the class for administrators
 * @param members patterns of DNs: see {@link NamePattern}
 * @param groups DNs of groups whose values of member or uniqueMember are members of the class
 * @param base DN of the subtree to which the declaration applies
 * @param attributes attributes to which the declaration applies
 * @param uniform true if members see all that the account of the feed sees in {@code base} and
 *     {@code attributes}
 */
public record Declaration(
    String name,
    List<String> members,
    List<String> groups,
    String base,
    Attributes attributes,
    boolean uniform) {
  /** Pattern of valid names: they become part of DNs and of meter names. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

  public Declaration {
    members = List.copyOf(members);
    groups = List.copyOf(groups);
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "invalid class name (1 to 64 letters, digits, '.', '_' or '-', starting "
              + "with a letter or digit): '"
              + name
              + "'");
    }
    if (members.isEmpty() && groups.isEmpty()) {
      throw new IllegalArgumentException("class " + name + " must have members or groups");
    }
    members.forEach(NamePattern::check);
  }
}
