// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestOp.CompareOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.schema.AttributeSelection;
import io.stoa.ldap.schema.DnKey;
import io.stoa.ldap.schema.KeyWriter;
import io.stoa.ldap.schema.Schema;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.ldap.schema.SiblingNames;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Makes cache keys of requests. Two requests have one key only if the directory must answer both
 * alike.
 *
 * <p>Size limit and time limit are not part of a key. The attribute list is part of it unless the
 * directory is proved to be local ({@link Schema#isLocal}). Elsewhere the list may decide which
 * entries match.
 *
 * <p>Threading: immutable.
 */
public final class QueryNormalizer {
  private static final int SEARCH = 0;
  private static final int COMPARE = 1;
  private static final int ENTRY = 2;
  private static final int NAMED_ENTRY = 3;
  private static final int SEARCH_TEMPLATE = 4;
  private static final int ENTRY_TEMPLATE = 5;
  private static final int COMPARE_TEMPLATE = 6;
  private static final int NAMED_COMPARE_TEMPLATE = 7;

  private final Schema schema;
  private final FilterKey filterKey;

  public QueryNormalizer(ServerProfile profile) {
    schema = profile.schema();
    filterKey = new FilterKey(schema);
  }

  /**
   * Returns the key of a search.
   *
   * @param controlsKey represents the controls that change the response
   */
  public Octets searchKey(SearchOp op, Octets controlsKey) {
    KeyWriter key = unfiltered(SEARCH, op, DnKey.of(op.base(), schema), controlsKey);
    writeSelection(op, key);
    filterKey.write(op.filter(), key, ValueSlots.NONE);
    return Octets.of(key.toByteArray());
  }

  /**
   * Returns the key of all searches with the shape of this one.
   *
   * @param names the entries that they name; null if they all have this base
   * @return null if the order of the values in a key depends on the values
   */
  public @Nullable QueryTemplate searchTemplate(
      SearchOp op, @Nullable SiblingNames names, Octets controlsKey) {
    KeyWriter key =
        names == null
            ? unfiltered(SEARCH_TEMPLATE, op, DnKey.of(op.base(), schema), controlsKey)
            : unfiltered(ENTRY_TEMPLATE, op, names.key(), controlsKey);
    writeSelection(op, key);
    ValueSlots slots = new ValueSlots();
    filterKey.write(op.filter(), key, slots);
    return template(key, names, slots);
  }

  private @Nullable QueryTemplate template(
      KeyWriter key, @Nullable SiblingNames names, ValueSlots slots) {
    return slots.isAmbiguous()
        ? null
        : new QueryTemplate(Octets.of(key.toByteArray()), names, slots.inOrder(), filterKey);
  }

  private void writeSelection(SearchOp op, KeyWriter key) {
    if (!schema.isLocal()) {
      key.string(AttributeSelection.key(op.attributes(), schema).array());
    }
  }

  /**
   * Returns a key of everything in a search that may change how the directory shows an entry. The
   * attribute list and the asserted values are not part of it. A response may reuse an entry of
   * another search only if both have the same entry key.
   *
   * @param controlsKey represents the controls that change the response
   * @param names the entries that searches of this shape name, for a key of all of them. The DN of
   *     a returned entry tells which one was named. Null for a key of this base
   * @param filtered keys of the attributes that the filter names
   */
  public Octets entryKey(
      SearchOp op, @Nullable SiblingNames names, Octets controlsKey, Collection<Octets> filtered) {
    KeyWriter key =
        names == null
            ? unfiltered(ENTRY, op, DnKey.of(op.base(), schema), controlsKey)
            : unfiltered(NAMED_ENTRY, op, names.key(), controlsKey);
    filtered.stream().sorted().forEach(attribute -> key.string(attribute.array()));
    return Octets.of(key.toByteArray());
  }

  private KeyWriter unfiltered(int kind, SearchOp op, byte[] base, Octets controlsKey) {
    KeyWriter key = new KeyWriter(96 + base.length + controlsKey.length());
    key.octet(kind).string(base).number(op.scope()).number(op.derefAliases());
    key.octet(op.typesOnly() ? 1 : 0).string(controlsKey.array());
    return key.octet(schema.isLocal() ? 1 : 0);
  }

  /**
   * Returns the key of a compare.
   *
   * @param controlsKey represents the controls that change the response
   */
  public Octets compareKey(CompareOp op, Octets controlsKey) {
    byte[] entry = DnKey.of(op.entry(), schema);
    KeyWriter key = new KeyWriter(64 + entry.length + controlsKey.length());
    key.octet(COMPARE).string(entry).string(controlsKey.array());
    filterKey.writeAssertion(op.attribute(), op.value(), key, ValueSlots.NONE);
    return Octets.of(key.toByteArray());
  }

  /**
   * Returns the key of all compares with the shape of this one.
   *
   * @param names the entries that they name; null if they all name this one
   */
  public @Nullable QueryTemplate compareTemplate(
      CompareOp op, @Nullable SiblingNames names, Octets controlsKey) {
    KeyWriter key = new KeyWriter(96);
    key.octet(names == null ? COMPARE_TEMPLATE : NAMED_COMPARE_TEMPLATE);
    key.string(names == null ? DnKey.of(op.entry(), schema) : names.key());
    key.string(controlsKey.array());
    ValueSlots slots = new ValueSlots();
    filterKey.writeAssertion(op.attribute(), op.value(), key, slots);
    return template(key, names, slots);
  }
}
