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
import java.util.Collection;

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
    KeyWriter key = unfiltered(SEARCH, op, controlsKey);
    if (!schema.isLocal()) {
      key.string(AttributeSelection.key(op.attributes(), schema).array());
    }
    filterKey.write(op.filter(), key);
    return Octets.of(key.toByteArray());
  }

  /**
   * Returns a key of everything in a search that may change how the directory shows an entry. The
   * attribute list and the asserted values are not part of it. A response may reuse an entry of
   * another search only if both have the same entry key.
   *
   * @param controlsKey represents the controls that change the response
   * @param filtered keys of the attributes that the filter names
   */
  public Octets entryKey(SearchOp op, Octets controlsKey, Collection<Octets> filtered) {
    KeyWriter key = unfiltered(ENTRY, op, controlsKey);
    filtered.stream().sorted().forEach(attribute -> key.string(attribute.array()));
    return Octets.of(key.toByteArray());
  }

  private KeyWriter unfiltered(int kind, SearchOp op, Octets controlsKey) {
    byte[] base = DnKey.of(op.base(), schema);
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
    filterKey.writeAssertion(op.attribute(), op.value(), key);
    return Octets.of(key.toByteArray());
  }
}
