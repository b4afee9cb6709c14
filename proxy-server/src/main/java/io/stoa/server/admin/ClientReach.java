// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.ldap.FilterNode;
import io.stoa.ldap.Octets;
import io.stoa.ldap.RequestOp;
import io.stoa.ldap.RequestOp.CompareOp;
import io.stoa.ldap.RequestOp.SearchOp;
import io.stoa.match.FilterAttributes;
import io.stoa.match.NormalDn;
import io.stoa.match.ServerProfile;
import io.stoa.origin.ClientStatus;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Which clients an operation can be about: to make the entries of thousands takes long. When in
 * doubt these are all. The first client stands for the others, so that the tree has the same
 * attributes and containers as with all. Immutable.
 */
final class ClientReach {
  private static final NormalDn TREE = dn("cn=monitor");
  private static final List<NormalDn> PARENTS =
      List.of(
          dn("cn=connections,cn=monitor"),
          dn("cn=incoming connections,cn=load balancer,cn=backends,cn=monitor"));

  private static final Pattern NAME =
      Pattern.compile("cn=connection (\\d{1,18}),.*", Pattern.CASE_INSENSITIVE);

  private static final Set<String> CLASSES =
      Set.of("monitorconnection", "olmbalancerconnection", "monitor", "top");

  /** The attribute of the first entry that lists all clients. */
  private static final String LIST = "connection";

  private static final Set<Octets> LIST_KEY =
      Set.of(ServerProfile.EXACT.attributeKey(LIST.getBytes(UTF_8)));

  private static final int BASE = 0;
  private static final int ONE = 1;

  private final RequestOp op;
  private final byte[] target;
  private final NormalDn place;

  ClientReach(RequestOp op) {
    this.op = op;
    this.target = Objects.requireNonNull(op.target());
    this.place = NormalDn.of(target, ServerProfile.EXACT);
  }

  private static NormalDn dn(String name) {
    return NormalDn.of(name.getBytes(UTF_8), ServerProfile.EXACT);
  }

  /** Those of all clients. */
  List<ClientStatus> of(List<ClientStatus> all) {
    Matcher name = NAME.matcher(text(target));
    if (isBelowParent() && name.matches()) {
      long number = Long.parseLong(name.group(1));
      Stream<ClientStatus> meant = all.stream().filter(client -> client.number() == number);
      return Stream.concat(meant, all.stream().limit(1)).distinct().toList();
    }
    return isReached() ? all : all.stream().limit(1).toList();
  }

  private boolean isBelowParent() {
    return PARENTS.stream().anyMatch(parent -> place.isBelowOrEqual(parent) && !is(parent));
  }

  private boolean is(NormalDn other) {
    return place.isBelowOrEqual(other) && other.isBelowOrEqual(place);
  }

  private boolean isReached() {
    if (op instanceof SearchOp search) {
      return isListed(search) || (reaches(search.scope()) && mayMatch(search.filter()));
    }
    return isBelowParent()
        || (op instanceof CompareOp compare && text(compare.attribute()).equalsIgnoreCase(LIST));
  }

  /** Whether the first entry may be shown with its list of all clients, or found by it. */
  private boolean isListed(SearchOp search) {
    return is(TREE)
        && search.scope() != ONE
        && (search.attributes().isEmpty()
            || search.attributes().stream().map(ClientReach::text).anyMatch(ClientReach::isList)
            || FilterAttributes.of(search.filter(), ServerProfile.EXACT).touches(LIST_KEY));
  }

  private static boolean isList(String name) {
    return name.equals("*") || name.equalsIgnoreCase(LIST);
  }

  private boolean reaches(int scope) {
    return switch (scope) {
      case BASE -> isBelowParent();
      case ONE -> PARENTS.stream().anyMatch(this::is);
      default -> isBelowParent() || PARENTS.stream().anyMatch(one -> one.isBelowOrEqual(place));
    };
  }

  /** False only if no client's entry matches. */
  private static boolean mayMatch(FilterNode filter) {
    if (filter instanceof FilterNode.And and) {
      return and.members().stream().allMatch(ClientReach::mayMatch);
    }
    if (filter instanceof FilterNode.Or or) {
      return or.members().stream().anyMatch(ClientReach::mayMatch);
    }
    return !(filter instanceof FilterNode.Equality equality)
        || !text(equality.attribute()).equalsIgnoreCase("objectClass")
        || CLASSES.contains(text(equality.value()).toLowerCase(Locale.ROOT));
  }

  private static String text(byte[] octets) {
    return new String(octets, UTF_8);
  }
}
