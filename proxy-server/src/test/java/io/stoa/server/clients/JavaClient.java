// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.clients;

import java.util.List;

/**
 * A client library of Java, at what the programme asks of it. Each call does what its name says,
 * prints what the library makes of the answer, and returns the result code if the library tells it
 * without throwing.
 */
interface JavaClient {
  /** A step of the programme. */
  @FunctionalInterface
  interface Call {
    int run() throws Exception;
  }

  /** What to search for; no attributes: all of the user's. */
  record Search(String base, int scope, String filter, List<String> attributes) {
    Search(String base, int scope, String filter) {
      this(base, scope, filter, List.of());
    }

    static Search base(String dn) {
      return new Search(dn, 0, "(objectClass=*)");
    }

    Search attributes(String... names) {
      return new Search(base, scope, filter, List.of(names));
    }
  }

  /** Prints what the library says of a failure; returns the result code. */
  int explain(Exception failure);

  int bind(String dn, String password) throws Exception;

  int whoAmI() throws Exception;

  int search(Search search) throws Exception;

  int searchInPages(Search search, int size) throws Exception;

  /** Sorted by an attribute, backwards. */
  int searchSorted(Search search, String attribute) throws Exception;

  /** What the directory refers to is printed and not followed. */
  int searchWithReferrals(Search search) throws Exception;

  int searchManaged(Search search) throws Exception;

  int compare(String dn, String attribute, String value) throws Exception;

  int add(String dn) throws Exception;

  int modify(String dn) throws Exception;

  int rename(String dn, String newRdn, String parent) throws Exception;

  int delete(String dn) throws Exception;

  int passwordModify(String dn, String old, String password) throws Exception;

  /** Abandons a search of everything under a name, and shows that the connection goes on. */
  int abandon(String base) throws Exception;

  int unbind() throws Exception;
}
