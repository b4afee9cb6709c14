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
import java.util.List;

/** Random writes below a subtree as {@link Tree} fills it. Confined to the thread of the test. */
final class Writes {
  private static final List<String> CITIES = List.of("Paris", "Rome", "Oslo");
  private static final List<ModificationType> TYPES =
      List.of(ModificationType.ADD, ModificationType.DELETE, ModificationType.REPLACE);

  private static final List<Control> ASSERTIONS =
      List.of(assertion("(l=Paris)"), assertion("(cn=*)"), assertion("(unknown=1)"));
  private static final List<Control> READS =
      List.of(
          new PreReadRequestControl(false, "*", "+"),
          new PostReadRequestControl(true, "l", "modifyTimestamp"));

  private final Draws draws;
  private String target = "";

  Writes(Draws draws) {
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

  RawRequest draw(Vocabulary about) {
    boolean ordinary = about.changes().isEmpty() || (about.isTree() && draws.oneIn(3));
    RawRequest write = ordinary ? ordinary(about) : change(about);
    if (draws.oneIn(12)) {
      return write.with(draws.of(ASSERTIONS));
    }
    return draws.oneIn(8) ? write.with(draws.of(READS)) : write;
  }

  /** One of those that the set-up offers. */
  private RawRequest change(Vocabulary about) {
    Change change = draws.of(about.changes());
    target = change.dn();
    String value = draws.of(change.values());
    return draws.oneIn(3)
        ? modify(change.dn(), change.attribute(), value)
        : Requests.replace(change.dn(), change.attribute(), value);
  }

  private RawRequest ordinary(Vocabulary about) {
    String suffix = about.suffix();
    String person = draws.spelt(person(suffix));
    target = person;
    return switch (draws.below(12)) {
      case 0, 1, 2 -> Requests.replace(person, "l", draws.of(CITIES));
      case 3 -> modify(person, "mail", "m" + draws.below(4) + "@example.com");
      case 4 -> modify(person, "manager", person(suffix));
      case 5, 6 -> modify(group(suffix), "member", person(suffix));
      case 7 -> add(suffix);
      case 8 -> Requests.delete(fresh(suffix));
      case 9 -> rename(suffix);
      case 10 -> modify(draws.of(about.bases()), "description", draws.of(CITIES));
      default -> modify(person, "employeeNumber", "" + draws.below(3));
    };
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

  private String group(String suffix) {
    target = Tree.group(draws.below(Tree.GROUPS), suffix);
    return target;
  }

  /** The name of an entry that is added and deleted. */
  private String fresh(String suffix) {
    target = Tree.person(Tree.PEOPLE + draws.below(3), suffix);
    return target;
  }

  private RawRequest modify(String dn, String attribute, String value) {
    return Requests.modify(dn, new Modification(draws.of(TYPES), attribute, value));
  }

  private RawRequest add(String suffix) {
    String dn = fresh(suffix);
    String uid = dn.substring("uid=".length(), dn.indexOf(','));
    return Requests.add(
        dn, "objectClass: inetOrgPerson", "uid: " + uid, "cn: " + uid, "sn: New", "l: Paris");
  }

  private RawRequest rename(String suffix) {
    return switch (draws.below(4)) {
      case 0 -> Requests.rename(person(suffix), "uid=u" + draws.below(Tree.PEOPLE), true);
      case 1 -> Requests.rename(fresh(suffix), "uid=u" + (Tree.PEOPLE + draws.below(3)), true);
      case 2 -> Requests.rename(group(suffix), "cn=g" + draws.below(4), true);
      default -> Requests.move(fresh(suffix), "uid=u9", "ou=groups," + suffix);
    };
  }
}
