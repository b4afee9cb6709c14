// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.matrix;

import static io.stoa.testing.Requests.add;

import io.stoa.server.differential.Directory;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.SambaDirectory;
import io.stoa.testing.SearchBuilder;
import java.util.stream.Stream;

/**
 * What the entries of a column's directory are called: the scripts speak of them in these words.
 * Immutable.
 *
 * @param suffix the naming context
 * @param login the attribute that names people
 * @param plainClass the class of an entry that needs nothing but a name
 * @param manager who may write below {@code work}
 * @param root who may do everything
 */
record Names(
    String suffix,
    String people,
    String groups,
    String work,
    String login,
    String plainClass,
    String groupClass,
    String manager,
    String managerPassword,
    String root,
    String rootPassword) {

  static final Names DIRECTORY =
      new Names(
          Directory.SUFFIX,
          Directory.PEOPLE,
          Directory.GROUPS,
          Directory.WORK,
          "uid",
          "device",
          "groupOfNames",
          Directory.MANAGER,
          "pw-manager",
          Directory.ROOT,
          Directory.ROOT_PASSWORD);

  static final Names ACTIVE_DIRECTORY =
      new Names(
          SambaDirectory.SUFFIX,
          SambaDirectory.PEOPLE,
          SambaDirectory.GROUPS,
          SambaDirectory.WORK,
          "cn",
          "contact",
          "group",
          SambaDirectory.ROOT,
          SambaDirectory.ROOT_PASSWORD,
          SambaDirectory.ROOT,
          SambaDirectory.ROOT_PASSWORD);

  /** alice, bob, and staff0 to staff29. */
  String person(String name) {
    return login + "=" + name + "," + people;
  }

  String password(String name) {
    return "pw-" + name;
  }

  String group(int number) {
    return "cn=group" + number + "," + groups;
  }

  /** The name of an entry for a script to write. */
  String entry(String name) {
    return "cn=" + name + "," + work;
  }

  /** Adds an entry of this name; more lines are LDIF. */
  RawRequest addEntry(String name, String... more) {
    String[] lines = {"objectClass: " + plainClass, "cn: " + name};
    return add(entry(name), Stream.of(lines, more).flatMap(Stream::of).toArray(String[]::new));
  }

  /** The search for one person by the name to log in with. */
  SearchBuilder find(String name) {
    return Requests.search(people).filter("(" + login + "=" + name + ")").attributes("cn", "mail");
  }

  /** The search for what scripts have written. */
  SearchBuilder written() {
    return Requests.search(work)
        .filter("(objectClass=" + plainClass + ")")
        .attributes("cn", "description", "seeAlso");
  }
}
