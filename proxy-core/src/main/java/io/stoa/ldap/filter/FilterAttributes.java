// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import io.stoa.ldap.protocol.FilterNode;
import io.stoa.ldap.protocol.FilterNode.And;
import io.stoa.ldap.protocol.FilterNode.Approximate;
import io.stoa.ldap.protocol.FilterNode.Equality;
import io.stoa.ldap.protocol.FilterNode.Extensible;
import io.stoa.ldap.protocol.FilterNode.GreaterOrEqual;
import io.stoa.ldap.protocol.FilterNode.LessOrEqual;
import io.stoa.ldap.protocol.FilterNode.Not;
import io.stoa.ldap.protocol.FilterNode.Or;
import io.stoa.ldap.protocol.FilterNode.Present;
import io.stoa.ldap.protocol.FilterNode.Substrings;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestOp.CompareOp;
import io.stoa.ldap.schema.Schema;
import io.stoa.ldap.schema.ServerProfile;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The attributes that a filter evaluates.
 *
 * <p>Threading: immutable.
 *
 * @param keys keys as of {@link ServerProfile#attributeKey}, supertypes and subtypes included
 * @param named keys of the named types and of their subtypes only
 * @param any true if any attribute may be evaluated: for an extensible match without a type, and
 *     for a filter that Stoa cannot interpret
 * @param namesVolatile true if an attribute is evaluated whose values change without a write
 * @param namesOperational true if an attribute is evaluated that the directory may set with any
 *     write
 */
public record FilterAttributes(
    Set<Octets> keys,
    Set<Octets> named,
    boolean any,
    boolean namesVolatile,
    boolean namesOperational) {
  public FilterAttributes {
    keys = Set.copyOf(keys);
    named = Set.copyOf(named);
  }

  public static FilterAttributes of(FilterNode filter, ServerProfile profile) {
    Collector collector = new Collector(profile.schema());
    collector.collect(filter);
    return collector.collected();
  }

  public static FilterAttributes of(CompareOp compare, ServerProfile profile) {
    Collector collector = new Collector(profile.schema());
    collector.addName(compare.attribute());
    return collector.collected();
  }

  /** Returns the attributes of a list, in which each stands for itself. */
  public static FilterAttributes of(List<byte[]> attributes, ServerProfile profile) {
    Collector collector = new Collector(profile.schema());
    attributes.forEach(collector::addName);
    return collector.collected();
  }

  /** True if the filter may evaluate one of these attributes. */
  public boolean touches(Set<Octets> attributeKeys) {
    return (any && !attributeKeys.isEmpty()) || !Collections.disjoint(keys, attributeKeys);
  }

  private static final class Collector {
    private final Schema schema;
    private final Set<Octets> keys = new HashSet<>();
    private final Set<Octets> named = new HashSet<>();
    private boolean any;
    private boolean namesVolatile;
    private boolean namesOperational;

    Collector(Schema schema) {
      this.schema = schema;
    }

    void addName(byte[] attribute) {
      keys.addAll(schema.related(attribute));
      named.addAll(schema.withSubtypes(attribute));
      namesVolatile |= schema.isVolatile(attribute);
      namesOperational |= schema.mayBeOperational(attribute);
    }

    FilterAttributes collected() {
      return new FilterAttributes(keys, named, any, namesVolatile, namesOperational);
    }

    void collect(FilterNode filter) {
      if (filter instanceof And and) {
        and.members().forEach(this::collect);
      } else if (filter instanceof Or or) {
        or.members().forEach(this::collect);
      } else if (filter instanceof Not not) {
        collect(not.member());
      } else {
        byte[] attribute = attribute(filter);
        if (attribute == null) {
          any = true;
        } else {
          addName(attribute);
        }
      }
    }

    private static byte @Nullable [] attribute(FilterNode filter) {
      if (filter instanceof Equality node) {
        return node.attribute();
      } else if (filter instanceof Present node) {
        return node.attribute();
      } else if (filter instanceof Substrings node) {
        return node.attribute();
      } else if (filter instanceof GreaterOrEqual node) {
        return node.attribute();
      } else if (filter instanceof LessOrEqual node) {
        return node.attribute();
      } else if (filter instanceof Approximate node) {
        return node.attribute();
      }
      return filter instanceof Extensible node ? node.attribute() : null;
    }
  }
}
