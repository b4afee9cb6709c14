// SPDX-License-Identifier: Apache-2.0
package io.stoa.filter;

import io.stoa.ldap.FilterNode;
import io.stoa.ldap.Octets;
import io.stoa.match.FilterAttributes;
import io.stoa.match.NormalDn;
import io.stoa.match.ServerKind;
import io.stoa.match.ServerProfile;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Makes the nodes of a {@link FilterProgram}. Confined to one thread; for one filter. */
final class FilterCompiler {
  private final ServerProfile profile;
  private final SchemaRules rules;
  private final Set<Octets> attributes;
  private boolean namesHidden;

  /**
   * @param attributes is filled with the keys of what the filter names
   */
  FilterCompiler(ServerProfile profile, SchemaRules rules, Set<Octets> attributes) {
    this.profile = profile;
    this.rules = rules;
    this.attributes = attributes;
  }

  /** Whether values decide that change without anybody being told. */
  boolean namesHidden() {
    return namesHidden;
  }

  Node compile(FilterNode filter) {
    if (filter instanceof FilterNode.And and) {
      return combined(members(and.members()), Node.And::new);
    } else if (filter instanceof FilterNode.Or or) {
      return combined(members(or.members()), Node.Or::new);
    } else if (filter instanceof FilterNode.Not not) {
      Node member = compile(not.member());
      return member instanceof Node.Unknown ? new Node.Unknown(null) : new Node.Not(member);
    }
    namesHidden |= FilterAttributes.of(filter, profile).namesVolatile();
    return leaf(filter);
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
      return of(node.attribute(), name -> new Node.Unknown(name.type()));
    } else if (filter instanceof FilterNode.GreaterOrEqual node) {
      return of(node.attribute(), name -> new Node.Unknown(name.type()));
    } else if (filter instanceof FilterNode.LessOrEqual node) {
      return of(node.attribute(), name -> new Node.Unknown(name.type()));
    } else if (filter instanceof FilterNode.Approximate node) {
      return of(node.attribute(), name -> new Node.Unknown(name.type()));
    }
    return new Node.Unknown(null);
  }

  /** What can be said of an assertion before its value is looked at. */
  private Node of(byte[] description, Function<AttributeName, Node> assertion) {
    attributes.add(rules.typeKey(description));
    AttributeName name = AttributeName.of(description, rules);
    if (name == null) {
      return rules.leavesUnknownNamesUndefined() ? new Node.Undefined() : new Node.Unknown(null);
    }
    TypeRules type = name.type();
    namesHidden |= type.isDerived();
    return type.isDerived() || type.isSecret() ? new Node.Unknown(null) : assertion.apply(name);
  }

  private Node equal(AttributeName name, byte[] value) {
    TypeRules type = name.type();
    if (type.isObjectClass()) {
      return ofClass(name, value);
    }
    if (type.isEntryDn()) {
      return new Node.Named(new Scope(NormalDn.of(value, profile), Scope.BASE));
    }
    if (!type.equality().exists()) {
      return withoutRule(type);
    }
    Comparison comparison = type.equality().comparison();
    Prepared prepared = Prepared.of(value, type, comparison, profile);
    if (prepared.invalid()) {
      return new Node.Undefined();
    }
    Octets key = prepared.key();
    return key == null || comparison == null
        ? new Node.Unknown(type)
        : new Node.Equal(name, comparison, key);
  }

  /** slapd takes an assertion without a rule for Undefined; others compare nevertheless. */
  private static Node withoutRule(TypeRules type) {
    return type.kind() == ServerKind.OPENLDAP ? new Node.Undefined() : new Node.Unknown(type);
  }

  private Node ofClass(AttributeName name, byte[] value) {
    Octets key = rules.classes().key(value);
    boolean evaluated = rules.kind() == ServerKind.OPENLDAP && name.options().isEmpty();
    return key == null || !evaluated ? new Node.Unknown(null) : new Node.OfClass(name.type(), key);
  }
}
