// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.controls.AssertionRequestControl;
import com.unboundid.ldap.sdk.controls.PostReadRequestControl;
import com.unboundid.ldap.sdk.controls.PreReadRequestControl;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Random writes below a subtree as {@link Tree} fills it. Confined to the thread of the test. */
final class Writes {
  private static final List<String> CITIES = List.of("Paris", "Rome", "Oslo");
  private static final List<ModificationType> TYPES =
      List.of(ModificationType.ADD, ModificationType.DELETE, ModificationType.REPLACE);

  private static final int MODIFY = 0x66;

  private static final List<Control> ASSERTIONS =
      List.of(assertion("(l=Paris)"), assertion("(objectClass=*)"), assertion("(unknown=1)"));
  private static final List<Control> READS =
      List.of(
          new PreReadRequestControl(false, "*", "+"),
          new PostReadRequestControl(true, "l", "modifyTimestamp"));

  private final RandomChoices draws;

  /** What earlier writes have left, by place; a write that was refused may make it wrong. */
  private final Map<String, ExpectedTree> expected = new HashMap<>();

  private ExpectedTree now = ExpectedTree.of("");
  private String target = "";

  Writes(RandomChoices draws) {
    this.draws = draws;
  }

  private static Control assertion(String filter) {
    try {
      return new AssertionRequestControl(Filter.create(filter));
    } catch (LDAPException e) {
      throw new AssertionError(e);
    }
  }

  /** The entry that the last write was about. */
  String target() {
    return target;
  }

  /**
   * A write that most probably succeeds, if the client may write.
   *
   * @param mayWrite true if it changes what is expected
   */
  RawRequest draw(Vocabulary about, boolean mayWrite) {
    now =
        mayWrite
            ? expected.computeIfAbsent(about.place(), place -> ExpectedTree.of(about.suffix()))
            : ExpectedTree.of(about.suffix());
    boolean ordinary = about.changes().isEmpty() || (about.isTree() && draws.oneIn(3));
    RawRequest write = ordinary ? ordinary(about) : change(about);
    if (write.tag() == MODIFY && draws.oneIn(24)) {
      return write.with(draws.of(ASSERTIONS));
    }
    return draws.oneIn(8) ? write.with(draws.of(READS)) : write;
  }

  /** One of those that the set-up offers. */
  private RawRequest change(Vocabulary about) {
    Change change = draws.of(about.changes());
    target = change.dn();
    return draws.oneIn(3)
        ? modify(change.dn(), change.attribute(), draws.of(change.values()))
        : replace(change.dn(), change.attribute(), change.values());
  }

  private RawRequest ordinary(Vocabulary about) {
    String suffix = about.suffix();
    String person = draws.respelled(person(suffix));
    target = person;
    return switch (draws.below(12)) {
      case 0, 1, 2 -> replace(person, "l", CITIES);
      case 3 -> modify(person, "mail", "m" + draws.below(4) + "@example.com");
      case 4 -> modify(person, "manager", person(suffix));
      case 5, 6 -> modify(group(about), "member", person(suffix));
      case 7, 8 -> addOrDelete(about);
      case 9 -> rename(about);
      case 10 -> replace(described(about), "description", CITIES);
      default -> replace(person, "employeeNumber", List.of("0", "1", "2"));
    };
  }

  private String described(Vocabulary about) {
    target = draws.of(about.bases());
    return target;
  }

  /** A write that may be done again and again, with the same answer each time. */
  RawRequest repeatable(Vocabulary about) {
    int number = draws.below(Tree.PEOPLE);
    target = Tree.person(number, about.suffix());
    String password = "pw-" + number;
    return switch (draws.below(3)) {
      case 0 ->
          Requests.extended(
              PasswordModifyExtendedRequest.PASSWORD_MODIFY_REQUEST_OID,
              new PasswordModifyExtendedRequest(target, password, password).getValue().getValue());
      case 1 ->
          Requests.replace(target, "l", draws.of(CITIES))
              .with(new PostReadRequestControl(draws.oneIn(2), "l", "cn", "sn"));
      default ->
          Requests.replace(target, "l", draws.of(CITIES))
              .with(new PreReadRequestControl(draws.oneIn(2), "uid", "sn"));
    };
  }

  private String person(String suffix) {
    return Tree.person(draws.below(Tree.PEOPLE), suffix);
  }

  private String group(Vocabulary about) {
    target = Tree.group(draws.of(now.groups()), about.suffix());
    return target;
  }

  /** Sets another value than the last one. */
  private RawRequest replace(String dn, String attribute, List<String> values) {
    String last = now.value(dn, attribute);
    List<String> others = values.stream().filter(value -> !value.equals(last)).toList();
    String value = draws.of(others.isEmpty() ? values : others);
    now.set(dn, attribute, value);
    return Requests.replace(dn, attribute, value);
  }

  /** Deletes a value that was added, and adds one that was not; seldom any of the three kinds. */
  private RawRequest modify(String dn, String attribute, String value) {
    boolean there = now.has(dn, attribute, value);
    ModificationType type = there ? ModificationType.DELETE : ModificationType.ADD;
    if (draws.oneIn(5)) {
      type = draws.of(TYPES);
    }
    now.modified(dn, attribute, value, type);
    return Requests.modify(dn, new Modification(type, attribute, value));
  }

  /** Adds an entry that is not there, or deletes one that is; seldom the other way round. */
  private RawRequest addOrDelete(Vocabulary about) {
    int number = ExpectedTree.FRESH.get(draws.below(ExpectedTree.FRESH.size()));
    boolean adds = !now.fresh().contains(number) ^ draws.oneIn(10);
    target = Tree.person(number, about.suffix());
    now.fresh(number, adds);
    String uid = "u" + number;
    return adds
        ? Requests.add(
            target,
            "objectClass: inetOrgPerson",
            "uid: " + uid,
            "cn: " + uid,
            "sn: New",
            "l: Paris")
        : Requests.delete(target);
  }

  /** Renames a group or an entry that was added; seldom to a name that is taken. */
  private RawRequest rename(Vocabulary about) {
    if (draws.oneIn(8)) {
      String taken = "uid=u" + draws.below(Tree.PEOPLE);
      return Requests.rename(person(about.suffix()), taken, true);
    }
    if (draws.oneIn(2) || now.fresh().isEmpty()) {
      int from = draws.of(now.groups());
      int to = draws.of(now.otherGroups());
      target = Tree.group(from, about.suffix());
      now.renameGroup(from, to);
      return Requests.rename(target, "cn=g" + to, true);
    }
    List<Integer> free = now.absent();
    return now.isMoved() || free.isEmpty() || draws.oneIn(4)
        ? move(about, free)
        : renameFresh(about, draws.of(free));
  }

  private RawRequest renameFresh(Vocabulary about, int to) {
    int from = draws.of(now.fresh());
    target = Tree.person(from, about.suffix());
    now.fresh(from, false);
    now.fresh(to, true);
    return Requests.rename(target, "uid=u" + to, true);
  }

  /** Moves an entry to the groups, or back to the people. */
  private RawRequest move(Vocabulary about, List<Integer> free) {
    String moved = "uid=u9,ou=groups," + about.suffix();
    if (now.isMoved() && !free.isEmpty()) {
      int to = draws.of(free);
      target = moved;
      now.moved(false);
      now.fresh(to, true);
      return Requests.move(moved, "uid=u" + to, "ou=people," + about.suffix());
    }
    int from = draws.of(now.fresh());
    target = Tree.person(from, about.suffix());
    now.fresh(from, false);
    now.moved(true);
    return Requests.move(target, "uid=u9", "ou=groups," + about.suffix());
  }
}
