// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import io.stoa.ldap.filter.FilterAttributes;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestOp;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.ldap.protocol.RequestOp.CompareOp;
import io.stoa.ldap.protocol.RequestOp.DeleteOp;
import io.stoa.ldap.protocol.RequestOp.ExtendedOp;
import io.stoa.ldap.protocol.RequestOp.ModifyDnOp;
import io.stoa.ldap.protocol.RequestOp.ModifyOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The entries that a request may read or change, as far as the request names them.
 *
 * <p>Places can be compared only if both were computed by the same schema. Otherwise a write may
 * concern any read.
 *
 * <p>Threading: immutable.
 *
 * @param profile schema by which the place was computed
 * @param place place of the entry, or of the top entry of a subtree; null if it may be any entry
 * @param deep true if the entries below are included
 * @param wide for a write: other entries may look different after it; for a read: the answer may
 *     depend on other entries. Directories maintain references and memberships by themselves.
 * @param touched keys of the changed attributes, if the write modifies one entry and keeps its name
 *     and kind; null for all other writes, and for reads
 */
public record Footprint(
    ServerProfile profile,
    @Nullable Octets place,
    boolean deep,
    boolean wide,
    @Nullable Set<Octets> touched) {
  private static final int BASE_OBJECT = 0;

  /** Attributes that directories derive from other entries. */
  private static final List<String> DERIVED =
      List.of(
          "memberof",
          "ismemberof",
          "nsrole",
          "tokengroups",
          "hassubordinates",
          "numsubordinates",
          "+");

  /**
   * Attributes that change the kind of an entry for searches, or refer to other entries. A change
   * of group membership may show in other entries, and may change what the members can read.
   */
  private static final List<String> KINDS =
      List.of(
          "objectclass",
          "ref",
          "aliasedobjectname",
          "member",
          "uniquemember",
          "memberof",
          "memberurl",
          "memberuid",
          "roleoccupant",
          "owner",
          "manager",
          "seealso");

  /** Attributes with access rules for the entry and those below it. */
  private static final List<String> RULES = List.of("aci", "openldapaci", "ntsecuritydescriptor");

  static final Footprint ANYWHERE = new Footprint(ServerProfile.EXACT, null, true, true, null);

  /** Returns the keys of the attributes that directories derive from other entries. */
  static Set<Octets> derived(ServerProfile profile) {
    return named(DERIVED, profile);
  }

  private static Set<Octets> named(List<String> names, ServerProfile profile) {
    return keys(
        names.stream().map(name -> name.getBytes(StandardCharsets.UTF_8)).toList(), profile);
  }

  private static Set<Octets> keys(List<byte[]> names, ServerProfile profile) {
    Set<Octets> keys = new HashSet<>();
    names.forEach(name -> keys.add(profile.attributeKey(name)));
    return Collections.unmodifiableSet(keys);
  }

  /**
   * Returns the entries that a request reads; null if it reads none.
   *
   * @param derivedTypes keys from {@link #derived}
   */
  static @Nullable Footprint read(RequestOp op, ServerProfile profile, Set<Octets> derivedTypes) {
    byte[] name = op instanceof BindOp bind ? bind.name() : op.target();
    if (name == null || op instanceof ExtendedOp) {
      return null;
    }
    boolean deep = op instanceof SearchOp search && search.scope() != BASE_OBJECT;
    Octets place = op instanceof SearchOp it && it.followsAliases() ? null : place(name, profile);
    return new Footprint(profile, place, deep, derives(op, profile, derivedTypes), null);
  }

  /**
   * Returns the entries that a request may change.
   *
   * @param owner name of the user whose password a request without a target changes, with which a
   *     directory may set any attribute of the entry; null for other requests
   */
  static Footprint written(RequestOp op, byte @Nullable [] owner, ServerProfile profile) {
    Footprint password = owner == null ? null : ofEntry(owner, profile);
    return password == null ? written(op, profile) : password;
  }

  private static Footprint written(RequestOp op, ServerProfile profile) {
    byte[] name = op.target();
    if (name == null || op instanceof ModifyDnOp) {
      return ANYWHERE;
    }
    List<byte[]> changed = op instanceof ModifyOp modify ? modify.attributes() : List.of();
    boolean more = op instanceof DeleteOp || names(changed, RULES, profile);
    boolean may = op instanceof ModifyOp && !more && !names(changed, KINDS, profile);
    return new Footprint(
        profile, place(name, profile), more, more, may ? keys(changed, profile) : null);
  }

  /** Returns the footprint of one entry with any of its attributes; null if the name is no DN. */
  static @Nullable Footprint ofEntry(byte[] name, ServerProfile profile) {
    Octets place = place(name, profile);
    return place == null ? null : new Footprint(profile, place, false, false, null);
  }

  /** Returns the footprint of the written entry alone. */
  Footprint entryOnly() {
    return new Footprint(profile, place, false, false, null);
  }

  private static boolean names(List<byte[]> changed, List<String> ones, ServerProfile profile) {
    return names(changed, named(ones, profile), profile);
  }

  private static boolean names(List<byte[]> names, Set<Octets> ones, ServerProfile profile) {
    for (byte[] name : names) {
      if (ones.contains(profile.attributeKey(name))) {
        return true;
      }
    }
    return false;
  }

  /** Returns the place of an entry in the tree; null if the name is not a DN. */
  static @Nullable Octets place(byte[] name, ServerProfile profile) {
    return NormalDn.of(name, profile).treePosition();
  }

  private static boolean derives(RequestOp op, ServerProfile profile, Set<Octets> derivedTypes) {
    if (op instanceof CompareOp compare) {
      return FilterAttributes.of(compare, profile).touches(derivedTypes);
    }
    return op instanceof SearchOp search
        && (names(search.attributes(), derivedTypes, profile)
            || FilterAttributes.of(search.filter(), profile).touches(derivedTypes));
  }

  /** Returns the place of the entry if no other entry can be concerned; null otherwise. */
  @Nullable Octets entry() {
    return deep || wide ? null : place;
  }

  /** True if a read with this footprint may see what a write with that footprint changes. */
  boolean overlaps(Footprint change) {
    Octets ownPlace = place;
    Octets changedPlace = change.place;
    return ownPlace == null
        || changedPlace == null
        || profile != change.profile
        || ownPlace.equals(changedPlace)
        || (deep && changedPlace.beginsWith(ownPlace))
        || (change.deep && ownPlace.beginsWith(changedPlace));
  }
}
