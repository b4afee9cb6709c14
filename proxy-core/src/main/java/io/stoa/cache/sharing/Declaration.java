// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.cache.sharing.SharingClass.Attributes;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A class as an administrator declares it: identities that are given the same by the directory.
 * Immutable.
 *
 * @param name by which administrators know it
 * @param members who belongs to it, as {@link NamePattern} has it
 * @param groups DNs of entries whose values of member or uniqueMember belong to it
 * @param base what is said holds of this entry and all below it
 * @param attributes of which attributes it holds
 * @param uniform whether it is the same whatever the members ask
 */
public record Declaration(
    String name,
    List<String> members,
    List<String> groups,
    String base,
    Attributes attributes,
    boolean uniform) {
  /** It becomes part of names of entries and of meters. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");

  public Declaration {
    members = List.copyOf(members);
    groups = List.copyOf(groups);
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "the name of a class is made of letters, digits, '.', '_' and '-': '" + name + "'");
    }
    if (members.isEmpty() && groups.isEmpty()) {
      throw new IllegalArgumentException("class " + name + " has neither members nor groups");
    }
    members.forEach(NamePattern::check);
  }
}
