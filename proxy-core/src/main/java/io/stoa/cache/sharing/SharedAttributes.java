// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.ldap.filter.FilterAttributes;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestOp.CompareOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Computes which sharing classes cover a request. A class covers it if all entries in reach are at
 * or below its base, and all named attributes, subtypes included, are among its attributes. The
 * result has one bit for each class, in their order.
 *
 * <p>Threading: immutable.
 */
public final class SharedAttributes {
  private static final String NONE = "1.1";

  private final ServerProfile profile;
  private final List<Extent> extents;

  /** Base and attributes of one class. Threading: immutable. */
  private record Extent(NormalDn base, boolean all, Set<Octets> include, Set<Octets> exclude) {
    boolean holds(FilterAttributes named) {
      return all
          || (!named.any()
              && !named.touches(exclude)
              && (include.isEmpty() || include.containsAll(named.named())));
    }
  }

  /** Creates the table for the current rules of name comparison. */
  public SharedAttributes(List<Declaration> classes, ServerProfile profile) {
    this.profile = profile;
    this.extents = classes.stream().map(this::extent).toList();
  }

  private Extent extent(Declaration declaration) {
    Attributes attributes = declaration.attributes();
    return new Extent(
        NormalDn.of(declaration.base().getBytes(UTF_8), profile),
        attributes.isAll(),
        keys(attributes.include()),
        keys(attributes.exclude()));
  }

  private Set<Octets> keys(List<String> names) {
    return names.stream()
        .map(name -> profile.attributeKey(name.getBytes(UTF_8)))
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Returns the classes that cover a search; none if it follows aliases, which may lead anywhere.
   */
  public long of(SearchOp search, FilterAttributes filter) {
    if (extents.isEmpty() || search.followsAliases()) {
      return 0;
    }
    List<String> wanted =
        search.attributes().stream().map(name -> new String(name, UTF_8)).toList();
    boolean listed = !wanted.isEmpty() && wanted.stream().allMatch(SharedAttributes::isName);
    List<byte[]> names =
        wanted.stream().filter(name -> !name.equals(NONE)).map(n -> n.getBytes(UTF_8)).toList();
    FilterAttributes named = FilterAttributes.of(names, profile);
    NormalDn base = NormalDn.of(search.base(), profile);
    return in(
        base, extent -> extent.all() || (listed && extent.holds(named) && extent.holds(filter)));
  }

  /** Returns the classes that cover a compare. */
  public long of(CompareOp compare, FilterAttributes assertion) {
    return extents.isEmpty()
        ? 0
        : in(NormalDn.of(compare.entry(), profile), extent -> extent.holds(assertion));
  }

  /** True if a class may cover some entries below a parent, but not others. */
  public boolean distinguishesBelow(NormalDn parent) {
    return extents.stream().anyMatch(extent -> extent.base().mayBeBelow(parent));
  }

  /** True for the name of one attribute; {@code *}, {@code +} and {@code @class} select several. */
  private static boolean isName(String item) {
    return !item.isEmpty() && Character.isLetterOrDigit(item.charAt(0));
  }

  private long in(NormalDn base, Predicate<Extent> rest) {
    long covered = 0;
    for (int bit = 0; bit < extents.size(); bit++) {
      Extent extent = extents.get(bit);
      if (base.isDn() && base.isSurelyBelowOrEqual(extent.base()) && rest.test(extent)) {
        covered |= 1L << bit;
      }
    }
    return covered;
  }
}
