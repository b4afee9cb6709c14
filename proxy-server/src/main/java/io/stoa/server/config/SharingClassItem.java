// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.cache.sharing.Declaration;
import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.server.config.value.ValueType;
import io.stoa.server.config.value.ValueType.ElementField;
import io.stoa.server.config.value.ValueType.Items;
import io.stoa.server.config.value.ValueType.Sequence;
import io.stoa.server.config.value.ValueTypes;
import java.util.List;

/** A sharing class as it is written in the file. Threading: immutable. */
final class SharingClassItem {
  /** Description of the list of classes. */
  static final String MEANING =
      "Sharing classes: identities with equal rights that share cached results. The first class"
          + " that contains the identity and covers the request applies. Empty: each identity has"
          + " its own results.";

  /** Description of the frequency of verification. */
  static final String SAMPLING =
      "Sampling rate of verification: one in this number of shared answers is also read from the"
          + " directory as the client and compared. Each member's first 100 are always verified.";

  private static final ElementField<String> NAME =
      new ElementField<>("name", ValueTypes.TEXT, "Name of the class, for administrators.")
          .asRequired();
  private static final ElementField<List<String>> MEMBERS =
      new ElementField<>(
          "members",
          new Sequence<>(ValueTypes.TEXT, false),
          "Members: bind DNs. '*,DN' means all entries directly below DN, 'uid=*,DN' those of them"
              + " named by uid, '**,DN' all entries below DN.");
  private static final ElementField<List<String>> GROUPS =
      new ElementField<>(
          "groups",
          new Sequence<>(ValueTypes.DN, false),
          "DNs of groups whose values of member and uniqueMember are members too. Groups are read"
              + " as feed.bindDn.");
  private static final ElementField<String> BASE =
      new ElementField<>(
              "base", ValueTypes.DN, "DN of the subtree in which all members have equal rights.")
          .asRequired();
  private static final ElementField<List<String>> INCLUDE =
      new ElementField<>(
          "include",
          new Sequence<>(ValueTypes.ATTRIBUTE, false),
          "Attributes that a request may name. The class does not cover requests for others."
              + " Default: all.");
  private static final ElementField<List<String>> EXCLUDE =
      new ElementField<>(
          "exclude",
          new Sequence<>(ValueTypes.ATTRIBUTE, false),
          "Attributes that a request must not name. The class covers only requests with an"
              + " attribute list. Default: none.");
  private static final ElementField<Boolean> UNIFORM =
      new ElementField<>(
          "uniform",
          ValueTypes.BOOLEAN,
          "True if members see everything in the subtree that the feed's account sees. Default:"
              + " false.");

  /** Type of an item of the list. */
  static final Items<Declaration> TYPE =
      new Items<>(
          "classes",
          List.of(NAME, MEMBERS, GROUPS, BASE, INCLUDE, EXCLUDE, UNIFORM),
          List.of(
              "apps",
              "['uid=*,ou=apps,dc=example,dc=com']",
              "['cn=apps,ou=groups,dc=example,dc=com']",
              "'ou=people,dc=example,dc=com'",
              "[cn, mail]",
              "[employeeNumber]",
              "false"),
          SharingClassItem::of,
          Declaration::name,
          true);

  private SharingClassItem() {}

  private static Declaration of(ValueType.ItemValues values) {
    return new Declaration(
        values.require(NAME),
        values.get(MEMBERS).orElse(List.of()),
        values.get(GROUPS).orElse(List.of()),
        values.require(BASE),
        new Attributes(
            values.get(INCLUDE).orElse(List.of()), values.get(EXCLUDE).orElse(List.of())),
        values.get(UNIFORM).orElse(false));
  }
}
