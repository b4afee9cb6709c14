// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.client.access.AccessOperation;
import io.stoa.client.access.ClientAccessRule;
import io.stoa.client.access.ClientAccessRule.ClientCondition;
import io.stoa.client.access.ClientAccessRule.RequestCondition;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.net.peer.Network;
import io.stoa.server.config.value.JsonSchema;
import io.stoa.server.config.value.ValueType;
import io.stoa.server.config.value.ValueType.ElementField;
import io.stoa.server.config.value.ValueType.Items;
import io.stoa.server.config.value.ValueType.Scalar;
import io.stoa.server.config.value.ValueType.Sequence;
import io.stoa.server.config.value.ValueTypes;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** An access rule as it is written in the file. Threading: immutable. */
final class AccessRuleItem {
  private static final Pattern NUMERIC_OID = Pattern.compile("\\d+(\\.\\d+)+");
  private static final Pattern METHOD_NAME = Pattern.compile("[a-zA-Z0-9_-]{1,20}");

  private static final Scalar<String> OID =
      new Scalar<>(
          "OID",
          JsonSchema.plain(NUMERIC_OID.pattern()),
          text -> checked(NUMERIC_OID, text, "is not an OID such as 1.3.6.1.4.1.4203.1.11.1"),
          ValueTypes::quote);
  private static final Scalar<String> METHOD =
      new Scalar<>(
          "bind method",
          JsonSchema.plain(METHOD_NAME.pattern()),
          text -> checked(METHOD_NAME, text, "is not a bind method such as simple or GSSAPI"),
          ValueTypes::quote);

  /** Decision of a rule. */
  enum Decision {
    ALLOW,
    DENY
  }

  private static final ElementField<String> NAME =
      field("name", ValueTypes.TEXT, "Name of the rule, for logs.").asRequired();
  private static final ElementField<Decision> DECISION =
      field(
              "decision",
              ValueTypes.choice(Decision.class),
              "Decision about the operations to which the rule applies.")
          .asRequired();
  private static final ElementField<List<String>> NETWORKS =
      field(
          "networks",
          new Sequence<>(ValueTypes.NETWORK, false),
          "Networks of clients; a local socket is in none. Default: all clients.");
  private static final ElementField<List<ListenerConfig>> LISTENERS =
      field(
          "listeners",
          new Sequence<>(ValueTypes.LISTENER, false),
          "Listeners, as written in listen. Default: all.");
  private static final ElementField<Boolean> TLS =
      field(
          "tls",
          ValueTypes.BOOLEAN,
          "true: clients with TLS or at a local socket. false: all others. Default: both.");
  private static final ElementField<List<String>> IDENTITIES =
      field(
          "identities",
          new Sequence<>(ValueTypes.TEXT, false),
          "Identities: anonymous, a DN, '*,DN' (directly below DN), '**,DN' (below DN), or a bind"
              + " name that is not a DN. Default: all.");
  private static final ElementField<List<AccessOperation>> OPERATIONS =
      field(
          "operations",
          new Sequence<>(ValueTypes.choice(AccessOperation.class, AccessOperation::label), false),
          "Operations. Default: all, or those of extended and bindMethods.");
  private static final ElementField<List<String>> EXTENDED =
      field(
          "extended",
          new Sequence<>(OID, false),
          "OIDs of extended operations. Default: all of them.");
  private static final ElementField<List<String>> BASES =
      field(
          "bases",
          new Sequence<>(ValueTypes.DN, false),
          "DNs of subtrees. A rule that denies also applies to a search that reaches into one."
              + " Default: all entries.");
  private static final ElementField<List<String>> BIND_METHODS =
      field(
          "bindMethods",
          new Sequence<>(METHOD, false),
          "Bind methods: anonymous, unauthenticated, simple, sasl, or SASL mechanisms. Default: all"
              + " of them.");

  /** Type of an item of the list. */
  static final Items<ClientAccessRule> TYPE =
      new Items<>(
          "rules",
          List.of(
              NAME,
              DECISION,
              NETWORKS,
              LISTENERS,
              TLS,
              IDENTITIES,
              OPERATIONS,
              EXTENDED,
              BASES,
              BIND_METHODS),
          List.of(
              "no writes from branch offices",
              "deny",
              "[10.20.0.0/16]",
              "['127.0.0.1:1389']",
              "false",
              "['**,ou=apps,dc=example,dc=com']",
              "[bind, add, delete, modify, modifyDN, extended]",
              "[1.3.6.1.4.1.4203.1.11.1]",
              "['ou=people,dc=example,dc=com']",
              "[anonymous]"),
          AccessRuleItem::of,
          ClientAccessRule::name,
          true);

  private AccessRuleItem() {}

  private static <T> ElementField<T> field(String name, ValueType<T> type, String meaning) {
    return new ElementField<>(name, type, meaning, true);
  }

  private static String checked(Pattern pattern, String text, String otherwise) {
    if (!pattern.matcher(text).matches()) {
      throw new IllegalArgumentException("'" + text + "' " + otherwise);
    }
    return text;
  }

  private static ClientAccessRule of(ValueType.ItemValues values) {
    return new ClientAccessRule(
        values.require(NAME),
        new ClientCondition(
            values.get(NETWORKS).orElse(List.of()).stream().map(Network::parse).toList(),
            values.get(LISTENERS).orElse(List.of()).stream().map(Object::toString).toList(),
            values.get(TLS).orElse(null),
            values.get(IDENTITIES).orElse(List.of())),
        new RequestCondition(
            Set.copyOf(values.get(OPERATIONS).orElse(List.of())),
            values.get(EXTENDED).orElse(List.of()),
            values.get(BASES).orElse(List.of()),
            values.get(BIND_METHODS).orElse(List.of())),
        values.require(DECISION) == Decision.ALLOW);
  }
}
