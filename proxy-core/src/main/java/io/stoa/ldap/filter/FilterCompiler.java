// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import io.stoa.ldap.protocol.Ascii;
import io.stoa.ldap.protocol.FilterNode;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.AttributeDescription;
import io.stoa.ldap.schema.AttributeType;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.Prepared;
import io.stoa.ldap.schema.Schema;
import io.stoa.ldap.schema.ServerKind;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.ldap.schema.Syntax;
import io.stoa.ldap.schema.ValueComparison;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Compiles the nodes of a {@link FilterProgram}.
 *
 * <p>Threading: confined to one thread; used for one filter.
 */
final class FilterCompiler {
  private final ServerProfile profile;
  private final Schema rules;
  private final Set<Octets> attributes;
  private boolean namesUnreported;

  /**
   * Creates a compiler.
   *
   * @param attributes receives the keys of the attributes that the filter names
   */
  FilterCompiler(ServerProfile profile, Set<Octets> attributes) {
    this.profile = profile;
    rules = profile.evaluationSchema();
    this.attributes = attributes;
  }

  /** True if the filter evaluates values that change without being reported by a feed. */
  boolean namesUnreported() {
    return namesUnreported;
  }

  Node compile(FilterNode filter) {
    if (filter instanceof FilterNode.And and) {
      List<Node> members = members(and.members());
      return mayMissMatches(and) ? new Node.Unknown(null) : combined(members, Node.And::new);
    } else if (filter instanceof FilterNode.Or or) {
      List<Node> members = members(or.members());
      return mayMissMatches(or) ? new Node.Unknown(null) : combined(members, Node.Or::new);
    } else if (filter instanceof FilterNode.Not not) {
      return negation(not.member());
    }
    namesUnreported |= FilterAttributes.of(filter, profile).namesVolatile();
    return leaf(filter);
  }

  /**
   * True if 389-ds may miss matches of this conjunction. The case is a conjunction whose only
   * member is a disjunction that contains another disjunction or an extensible match.
   */
  private boolean mayMissMatches(FilterNode.And filter) {
    return rules.kind() != ServerKind.OPENLDAP
        && filter.members().size() == 1
        && filter.members().get(0) instanceof FilterNode.Or or
        && (or.members().stream().anyMatch(FilterNode.Or.class::isInstance)
            || holds(or, FilterNode.Extensible.class));
  }

  /** True if 389-ds may miss matches of this disjunction, because it contains a negation. */
  private boolean mayMissMatches(FilterNode.Or filter) {
    return rules.kind() != ServerKind.OPENLDAP && holds(filter, FilterNode.Not.class);
  }

  private static boolean holds(FilterNode filter, Class<? extends FilterNode> kind) {
    if (filter instanceof FilterNode.And and) {
      return and.members().stream().anyMatch(one -> holds(one, kind));
    } else if (filter instanceof FilterNode.Or or) {
      return or.members().stream().anyMatch(one -> holds(one, kind));
    }
    return kind.isInstance(filter);
  }

  /**
   * Compiles a negation. For servers other than slapd it is unknown: 389-ds deviates from RFC 4511
   * for negations beside other conditions.
   */
  private Node negation(FilterNode filter) {
    Node member = compile(filter);
    boolean evaluated = rules.kind() == ServerKind.OPENLDAP && !(member instanceof Node.Unknown);
    return evaluated ? new Node.Not(member) : new Node.Unknown(null);
  }

  private static Node combined(List<Node> members, Function<List<Node>, Node> combination) {
    boolean unknown =
        !members.isEmpty() && members.stream().allMatch(Node.Unknown.class::isInstance);
    return unknown ? new Node.Unknown(null) : combination.apply(members);
  }

  private List<Node> members(List<FilterNode> members) {
    return members.stream().map(this::compile).toList();
  }

  private Node leaf(FilterNode filter) {
    if (filter instanceof FilterNode.Equality node) {
      return of(node.attribute(), name -> equal(name, node.value()));
    } else if (filter instanceof FilterNode.Present node) {
      return of(node.attribute(), Node.Present::new);
    } else if (filter instanceof FilterNode.Substrings node) {
      return of(node.attribute(), name -> parts(name, node));
    } else if (filter instanceof FilterNode.GreaterOrEqual node) {
      return of(node.attribute(), name -> ordered(name, node.value(), true));
    } else if (filter instanceof FilterNode.LessOrEqual node) {
      return of(node.attribute(), name -> ordered(name, node.value(), false));
    } else if (filter instanceof FilterNode.Approximate node) {
      return of(node.attribute(), name -> new Node.Unknown(name.type()));
    }
    return new Node.Unknown(null);
  }

  /** Compiles an assertion. Derived and secret types are unknown, whatever the value is. */
  private Node of(byte[] description, Function<AttributeDescription, Node> assertion) {
    attributes.add(rules.typeKey(description));
    AttributeDescription name = AttributeDescription.forEvaluation(description, rules);
    if (name == null) {
      return unnamed();
    }
    AttributeType type = name.type();
    namesUnreported |= type.isUnreported();
    if (type.isDerived() || type.isSecret()) {
      return new Node.Unknown(null);
    }
    return isTakenLiterally(name)
        ? new Node.Unknown(type)
        : assertion.apply(profile.shared(name, description.length));
  }

  /**
   * True if the server is not slapd and the name has options. 389-ds compares such names literally,
   * and ignores other names of the type.
   */
  private boolean isTakenLiterally(AttributeDescription name) {
    return rules.kind() != ServerKind.OPENLDAP && !name.options().isEmpty();
  }

  /**
   * Compiles an assertion about an undefined attribute type. No entry has it; the result of its
   * negation differs between servers.
   */
  private Node unnamed() {
    if (!rules.knowsAllNames()) {
      return new Node.Unknown(null);
    }
    boolean slapd = rules.kind() == ServerKind.OPENLDAP;
    return new Node.Undefined(slapd ? Truth.UNDEFINED : Truth.NO_MATCH);
  }

  private Node equal(AttributeDescription name, byte[] value) {
    AttributeType type = name.type();
    if (type.isObjectClass()) {
      return ofClass(name, value);
    }
    if (type.isEntryDn()) {
      return named(NormalDn.of(value, profile));
    }
    if (!type.equality().exists()) {
      return withoutRule(type);
    }
    ValueComparison comparison = type.equality().comparison();
    Prepared prepared = Prepared.of(value, type, comparison, profile);
    if (prepared.invalid()) {
      return new Node.Undefined(Truth.UNDEFINED);
    }
    Octets key = prepared.key();
    return key == null || comparison == null
        ? new Node.Unknown(type)
        : new Node.Equal(name, comparison, key, prepared.exact());
  }

  private Node named(NormalDn dn) {
    boolean evaluated = dn.isPlain() && rules.kind() == ServerKind.OPENLDAP;
    return evaluated ? new Node.Named(new Scope(dn, Scope.BASE)) : new Node.Unknown(null);
  }

  private Node ordered(AttributeDescription name, byte[] value, boolean atLeast) {
    AttributeType type = name.type();
    if (!type.ordering().exists()) {
      return withoutRule(type);
    }
    ValueComparison comparison = type.ordering().comparison();
    Prepared prepared = Prepared.of(value, type, comparison, profile);
    if (prepared.invalid() && comparison != null && !comparison.isText()) {
      return new Node.Undefined(Truth.UNDEFINED);
    }
    Octets key = prepared.key();
    return key == null || comparison == null || !prepared.exact()
        ? new Node.Unknown(type)
        : new Node.Ordered(name, comparison, key, atLeast);
  }

  private Node parts(AttributeDescription name, FilterNode.Substrings filter) {
    AttributeType type = name.type();
    if (!type.substrings().exists()) {
      return withoutRule(type);
    }
    ValueComparison comparison = type.substrings().comparison();
    List<byte[]> parts = new ArrayList<>(filter.any());
    Stream.of(filter.initial(), filter.last()).filter(Objects::nonNull).forEach(parts::add);
    Syntax syntax = type.syntax();
    boolean asEquality = comparison == type.equality().comparison();
    return comparison == null
            || syntax == null
            || !asEquality
            || !parts.stream().allMatch(part -> comparison.isPart(part, syntax))
        ? new Node.Unknown(type)
        : new Node.Parts(
            name,
            comparison,
            part(comparison, filter.initial()),
            filter.any().stream().map(comparison::part).toList(),
            part(comparison, filter.last()));
  }

  private static @Nullable Octets part(ValueComparison comparison, byte @Nullable [] part) {
    return part == null ? null : comparison.part(part);
  }

  /**
   * Compiles an assertion without a matching rule. slapd evaluates it to Undefined; other servers
   * compare nevertheless.
   */
  private static Node withoutRule(AttributeType type) {
    return type.kind() == ServerKind.OPENLDAP
        ? new Node.Undefined(Truth.UNDEFINED)
        : new Node.Unknown(type);
  }

  /**
   * Compiles an assertion about objectClass. slapd resolves class names and superclasses; 389-ds
   * compares names.
   */
  private Node ofClass(AttributeDescription name, byte[] value) {
    Octets key = rules.classes().key(value);
    if (key == null || !name.options().isEmpty()) {
      return new Node.Unknown(null);
    }
    boolean meant = rules.kind() == ServerKind.OPENLDAP;
    return new Node.OfClass(name.type(), key, meant ? null : Ascii.lowerKey(value, value.length));
  }
}
