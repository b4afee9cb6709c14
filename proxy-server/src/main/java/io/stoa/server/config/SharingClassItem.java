// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import io.stoa.cache.sharing.Declaration;
import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.server.config.value.ValueType;
import io.stoa.server.config.value.ValueType.Field;
import io.stoa.server.config.value.ValueType.Items;
import io.stoa.server.config.value.ValueType.Sequence;
import io.stoa.server.config.value.ValueTypes;
import java.util.List;

/** A sharing class as it is written in the file. Threading: immutable. */
final class SharingClassItem {
  /** Description of the list of classes. */
  static final String MEANING =
      "Identities that the directory gives the same, and that share what is kept: the first class"
          + " that an identity belongs to and a request lies in. None, and each has its own.";

  /** Description of the frequency of verification. */
  static final String SAMPLING =
      "One of so many answers that members of a class share is asked for again upstream as the"
          + " client; and each of a member's first 100.";

  private static final Field<String> NAME =
      new Field<>("name", ValueTypes.TEXT, "By which it is known to administrators.");
  private static final Field<List<String>> MEMBERS =
      new Field<>(
          "members",
          new Sequence<>(ValueTypes.TEXT, false),
          "Who belongs to it: bind DNs; with '*,' before a DN all directly below it, with 'uid=*,'"
              + " those of them that are named by uid, with '**,' all below it.");
  private static final Field<List<String>> GROUPS =
      new Field<>(
          "groups",
          new Sequence<>(ValueTypes.DN, false),
          "DNs of groups: their values of member and uniqueMember belong to it, too. They are read as"
              + " feed.bindDn.");
  private static final Field<String> BASE =
      new Field<>(
          "base",
          ValueTypes.DN,
          "All members are given the same of this entry and those below it.");
  private static final Field<List<String>> INCLUDE =
      new Field<>(
          "include",
          new Sequence<>(ValueTypes.ATTRIBUTE, false),
          "Only for requests that name no other attributes than these.");
  private static final Field<List<String>> EXCLUDE =
      new Field<>(
          "exclude",
          new Sequence<>(ValueTypes.ATTRIBUTE, false),
          "Only for requests that name their attributes, and none of these.");
  private static final Field<Boolean> UNIFORM =
      new Field<>(
          "uniform",
          ValueTypes.BOOLEAN,
          "Whether they are given all of it that the account of the feed is given; false.");

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

  private static Declaration of(ValueType.ItemValues given) {
    return new Declaration(
        given.get(NAME).orElseThrow(() -> new IllegalArgumentException("a class needs a name")),
        given.get(MEMBERS).orElse(List.of()),
        given.get(GROUPS).orElse(List.of()),
        given.get(BASE).orElseThrow(() -> new IllegalArgumentException("a class needs a base")),
        new Attributes(given.get(INCLUDE).orElse(List.of()), given.get(EXCLUDE).orElse(List.of())),
        given.get(UNIFORM).orElse(false));
  }
}
