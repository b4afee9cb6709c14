// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.ldap.filter.FilterAttributes;
import io.stoa.ldap.protocol.FilterNode;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestOp;
import io.stoa.ldap.protocol.RequestOp.CompareOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.event.ClientChoice;
import io.stoa.operation.event.ClientStatus;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Determines which clients, client networks, connections to servers, search digests or advice an
 * operation can concern. Building the entries of thousands takes long. The choice is all of them
 * when in doubt.
 *
 * <p>The first client is always included, so that the tree has the same attributes and containers
 * as with all clients.
 *
 * <p>Threading: immutable.
 */
final class ClientSelection {
  private static final NormalDn TREE = dn("cn=monitor");
  private static final Pattern NAME =
      Pattern.compile("cn=connection (\\d{1,18}),.*", Pattern.CASE_INSENSITIVE);

  /** Names of the containers above connections to servers. */
  private static final Pattern CONTAINER =
      Pattern.compile("cn=(server|tier) .*", Pattern.CASE_INSENSITIVE);

  /** The attribute of the top entry that lists all clients. */
  private static final String LIST = "connection";

  private static final Set<Octets> LIST_KEY =
      Set.of(ServerProfile.EXACT.attributeKey(LIST.getBytes(UTF_8)));

  private static final String CONNECTION = "cn=connection ";

  private static final int BASE = 0;
  private static final int ONE = 1;

  private final RequestOp op;
  private final Parent parent;
  private final byte[] target;
  private final NormalDn place;

  /**
   * The parent of the entries of clients or connections.
   *
   * <p>Threading: immutable.
   *
   * @param place name of the parent
   * @param classes object classes of such an entry, in lower case
   * @param deep true if the entries are below further containers
   * @param prefix beginning of the entries' names, as text. Filters compare names as text.
   */
  record Parent(NormalDn place, Set<String> classes, boolean deep, String prefix) {
    /**
     * The parent in the form of OpenLDAP. The list of clients in the top entry needs the same
     * clients.
     */
    static final Parent CONNECTIONS =
        new Parent(
            dn("cn=connections,cn=monitor"),
            Set.of("monitorconnection", "monitor", "top"),
            false,
            CONNECTION);

    /** The parent of clients in the form of lloadd. */
    static final Parent INCOMING =
        new Parent(
            dn("cn=incoming connections,cn=load balancer,cn=backends,cn=monitor"),
            Set.of("olmbalancerconnection", "top"),
            false,
            CONNECTION);

    /**
     * The parent of connections to directory servers in the form of lloadd. These connections have
     * numbers of their own.
     */
    static final Parent SERVERS =
        new Parent(
            dn("cn=backend tiers,cn=load balancer,cn=backends,cn=monitor"),
            Set.of("olmbalancerconnection", "top"),
            true,
            CONNECTION);

    /** The parent of client networks. */
    static final Parent NETWORKS =
        new Parent(dn("cn=networks,cn=monitor"), Set.of("stoanetwork", "top"), false, "cn=");

    /** The parent of search digests. */
    static final Parent DIGESTS =
        new Parent(dn("cn=digests,cn=monitor"), Set.of("stoasearchdigest", "top"), false, "cn=");

    /** The parent of advice. */
    static final Parent ADVICE =
        new Parent(
            dn("cn=advice,cn=monitor"), Set.of("stoaadvice", "stoasizecurve", "top"), false, "cn=");
  }

  /**
   * Creates the analysis of one operation.
   *
   * @param parent parent of the entries in question
   */
  ClientSelection(RequestOp op, Parent parent) {
    this.op = op;
    this.parent = parent;
    this.target = Objects.requireNonNull(op.target());
    this.place = NormalDn.of(target, ServerProfile.EXACT);
  }

  private static NormalDn dn(String name) {
    return NormalDn.of(name.getBytes(UTF_8), ServerProfile.EXACT);
  }

  /** Returns the clients or connections that the operation can concern. */
  ClientChoice choice() {
    Matcher name = NAME.matcher(text(target));
    if (isBelowParent() && name.matches()) {
      return ClientChoice.one(Long.parseLong(name.group(1)));
    }
    return isReached() ? ClientChoice.ALL : ClientChoice.EXAMPLE;
  }

  /** Returns those of the given clients that the operation can concern. */
  List<ClientStatus> select(List<ClientStatus> clients) {
    Long number = choice().number();
    if (number == null) {
      return clients;
    }
    Stream<ClientStatus> selected = clients.stream().filter(client -> client.number() == number);
    return Stream.concat(selected, clients.stream().limit(1)).distinct().toList();
  }

  /** True if the operation can concern an entry below the parent. */
  boolean isAnyReached() {
    return isBelowParent() || isReached();
  }

  private boolean isBelowParent() {
    boolean container = parent.deep && CONTAINER.matcher(text(target)).matches();
    return isWithin() && !is(parent.place) && !container;
  }

  private boolean isWithin() {
    return place.isBelowOrEqual(parent.place);
  }

  private boolean is(NormalDn other) {
    return place.isBelowOrEqual(other) && other.isBelowOrEqual(place);
  }

  private boolean isReached() {
    if (op instanceof SearchOp search) {
      return isListed(search) || (reaches(search.scope()) && mayMatch(search.filter()));
    }
    boolean list = op instanceof CompareOp compare && isList(text(compare.attribute()));
    return isBelowParent() || (list && parent.equals(Parent.CONNECTIONS));
  }

  /**
   * True if the top entry may be returned with its list of all clients, or matched by that list.
   */
  private boolean isListed(SearchOp search) {
    return parent.equals(Parent.CONNECTIONS)
        && is(TREE)
        && search.scope() != ONE
        && (search.attributes().isEmpty()
            || search.attributes().stream()
                .map(ClientSelection::text)
                .anyMatch(ClientSelection::isList)
            || FilterAttributes.of(search.filter(), ServerProfile.EXACT).touches(LIST_KEY));
  }

  private static boolean isList(String name) {
    return name.equals("*") || name.equalsIgnoreCase(LIST);
  }

  private boolean reaches(int scope) {
    return switch (scope) {
      case BASE -> isBelowParent();
      case ONE -> parent.deep ? isWithin() : is(parent.place);
      default -> isWithin() || parent.place.isBelowOrEqual(place);
    };
  }

  /** False only if no client's entry matches. */
  private boolean mayMatch(FilterNode filter) {
    if (filter instanceof FilterNode.And and) {
      return and.members().stream().allMatch(this::mayMatch);
    }
    if (filter instanceof FilterNode.Or or) {
      return or.members().stream().anyMatch(this::mayMatch);
    }
    return !(filter instanceof FilterNode.Equality equality)
        || mayBe(lower(equality.attribute()), lower(equality.value()));
  }

  private boolean mayBe(String attribute, String value) {
    return switch (attribute) {
      case "objectclass" -> parent.classes.contains(value);
      case "entrydn" -> value.startsWith(parent.prefix);
      default -> true;
    };
  }

  private static String lower(byte[] octets) {
    return text(octets).toLowerCase(Locale.ROOT);
  }

  private static String text(byte[] octets) {
    return new String(octets, UTF_8);
  }
}
