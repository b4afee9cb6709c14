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
 * Which entries a request may read or change, as far as it says itself. Immutable.
 *
 * @param place of the one entry, or of the topmost; null if it may be any
 * @param deep whether those below it are meant too
 * @param wide whether what is seen of other entries may change with it, or depend on them:
 *     directories keep references and memberships in step by themselves
 * @param touched keys of the attributes that a change touches, if it is one of a single entry that
 *     keeps its name and its kind; null for all others, and for what only reads
 */
public record Footprint(
    @Nullable Octets place, boolean deep, boolean wide, @Nullable Set<Octets> touched) {
  private static final int BASE_OBJECT = 0;

  /** What directories derive from other entries. */
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
   * What makes an entry another kind of thing for searches, or refers to others: who is in a group
   * may be seen in other entries, and see others.
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

  /** Who may see what, below the entry. */
  private static final List<String> RULES = List.of("aci", "openldapaci", "ntsecuritydescriptor");

  static final Footprint ANYWHERE = new Footprint(null, true, true, null);

  /** The keys of what directories derive from other entries. */
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
   * Of a request that reads; null if it reads no entry.
   *
   * @param derived as of {@link #derived}
   */
  static @Nullable Footprint read(RequestOp op, ServerProfile profile, Set<Octets> derived) {
    byte[] name = op instanceof BindOp bind ? bind.name() : op.target();
    if (name == null || op instanceof ExtendedOp) {
      return null;
    }
    boolean deep = op instanceof SearchOp search && search.scope() != BASE_OBJECT;
    Octets place = op instanceof SearchOp it && it.followsAliases() ? null : place(name, profile);
    return new Footprint(place, deep, derives(op, profile, derived), null);
  }

  /** Of a request that changes something. */
  static Footprint written(RequestOp op, ServerProfile profile) {
    byte[] name = op.target();
    if (name == null || op instanceof ModifyDnOp) {
      return ANYWHERE;
    }
    List<byte[]> changed = op instanceof ModifyOp modify ? modify.attributes() : List.of();
    boolean more = op instanceof DeleteOp || names(changed, RULES, profile);
    boolean may = op instanceof ModifyOp && !more && !names(changed, KINDS, profile);
    return new Footprint(place(name, profile), more, more, may ? keys(changed, profile) : null);
  }

  /**
   * Of a change of one entry's password, with which a directory may change what it likes there;
   * null if it cannot be said which entry that is.
   */
  static @Nullable Footprint ofPassword(byte[] name, ServerProfile profile) {
    Octets place = place(name, profile);
    return place == null ? null : new Footprint(place, false, false, null);
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

  /** Where an entry is; null if that cannot be said. */
  static @Nullable Octets place(byte[] name, ServerProfile profile) {
    return NormalDn.of(name, profile).place();
  }

  private static boolean derives(RequestOp op, ServerProfile profile, Set<Octets> derived) {
    if (op instanceof CompareOp compare) {
      return FilterAttributes.of(compare, profile).touches(derived);
    }
    return op instanceof SearchOp search
        && (names(search.attributes(), derived, profile)
            || FilterAttributes.of(search.filter(), profile).touches(derived));
  }

  /** The place of the one entry that is meant; null if others may be. */
  @Nullable Octets entry() {
    return deep || wide ? null : place;
  }

  /** Whether what is changed there may be read here. */
  boolean meets(Footprint change) {
    Octets here = place;
    Octets there = change.place;
    return here == null
        || there == null
        || here.equals(there)
        || (deep && there.beginsWith(here))
        || (change.deep && here.beginsWith(there));
  }
}
