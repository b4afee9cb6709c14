// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.localtree;

import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.server.admin.action.Action;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * An entry whose values are text. Threading: confined to the thread that fills it, then immutable.
 */
public final class TreeEntry {
  private final String dn;
  private final NormalDn normalDn;
  private final Map<String, TreeAttribute> attributes = new LinkedHashMap<>();
  private List<Action> entryActions = List.of();

  /**
   * @param name name as in answers
   */
  private record TreeAttribute(String name, boolean operational, List<String> values) {}

  /** Creates an entry without attributes. */
  public TreeEntry(String dn) {
    this.dn = dn;
    this.normalDn = NormalDn.of(utf8(dn), ServerProfile.EXACT);
  }

  /** Adds a user attribute. Without values, nothing is added. */
  public TreeEntry add(String name, String... values) {
    return add(name, List.of(values));
  }

  /** Adds a user attribute. Without values, nothing is added. */
  public TreeEntry add(String name, List<String> values) {
    return put(new TreeAttribute(name, false, List.copyOf(values)));
  }

  /** Adds an operational attribute, which is returned only on request. */
  public TreeEntry operational(String name, String... values) {
    return put(new TreeAttribute(name, true, List.of(values)));
  }

  private TreeEntry put(TreeAttribute attribute) {
    if (!attribute.values().isEmpty()) {
      attributes.put(fold(attribute.name()), attribute);
    }
    return this;
  }

  /** Returns the name as in answers. */
  public String dn() {
    return dn;
  }

  /** Returns the values of an attribute, whose name may have any case; empty if there are none. */
  public List<String> values(String name) {
    TreeAttribute attribute = attributes.get(fold(name));
    return attribute == null ? List.of() : attribute.values();
  }

  /** Returns the name for comparisons. */
  public NormalDn normalDn() {
    return normalDn;
  }

  /** Returns the names of the attributes as in answers. */
  public List<String> names() {
    return attributes.values().stream().map(TreeAttribute::name).toList();
  }

  /** Returns the names of the attributes in lower case. */
  Set<String> keys() {
    return attributes.keySet();
  }

  /** Sets the actions of the entry, and adds the attribute that lists them. */
  public TreeEntry setActions(List<Action> actions) {
    entryActions = List.copyOf(actions);
    return operational(
        Action.OFFERED,
        actions.stream()
            .filter(action -> action.attribute().equals(Action.ATTRIBUTE))
            .map(Action::form)
            .toArray(String[]::new));
  }

  /** Returns the actions of the entry. */
  public List<Action> entryActions() {
    return entryActions;
  }

  /** True if the entry has that name. */
  public boolean isNamed(byte[] name) {
    NormalDn other = NormalDn.of(name, ServerProfile.EXACT);
    return other.isBelowOrEqual(normalDn) && normalDn.isBelowOrEqual(other);
  }

  /** Encodes the whole entry as a protocolOp. */
  public byte[] encode() {
    return encode(AttributeList.EVERYTHING, false);
  }

  /** Encodes the selected attributes as a protocolOp. */
  byte[] encode(AttributeList selection, boolean typesOnly) {
    List<byte[]> encoded = new ArrayList<>();
    attributes.forEach(
        (key, attribute) -> {
          if (selection.selects(key, attribute.operational())) {
            encoded.add(encode(attribute, typesOnly));
          }
        });
    return SearchEntry.encode(utf8(dn), encoded);
  }

  static String fold(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  private static byte[] encode(TreeAttribute attribute, boolean typesOnly) {
    List<String> values = typesOnly ? List.of() : attribute.values();
    return SearchEntry.encodeAttribute(
        utf8(attribute.name()), values.stream().map(TreeEntry::utf8).toList());
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
