// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import java.util.List;

/** Random writes below a subtree as {@link Tree} fills it. Confined to the thread of the test. */
final class Writes {
  private static final List<String> CITIES = List.of("Paris", "Rome", "Oslo");
  private static final List<ModificationType> TYPES =
      List.of(ModificationType.ADD, ModificationType.DELETE, ModificationType.REPLACE);

  private final Draws draws;
  private String target = "";

  Writes(Draws draws) {
    this.draws = draws;
  }

  /** The entry that the last write was about. */
  String target() {
    return target;
  }

  RawRequest draw(Vocabulary about) {
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
