// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import com.unboundid.ldap.protocol.SearchRequestProtocolOp;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchScope;
import java.util.List;

/**
 * Builds search requests; what is not said is as ldapsearch would say it: subtree, never deref, no
 * limits, every user attribute. Immutable: each step is a new builder.
 */
public record SearchBuilder(
    String base,
    int scope,
    int deref,
    int sizeLimit,
    int timeLimit,
    boolean typesOnly,
    String filter,
    List<String> attributes) {

  static SearchBuilder under(String base) {
    return new SearchBuilder(base, 2, 0, 0, 0, false, "(objectClass=*)", List.of());
  }

  public SearchBuilder scope(int value) {
    return new SearchBuilder(
        base, value, deref, sizeLimit, timeLimit, typesOnly, filter, attributes);
  }

  public SearchBuilder baseScope() {
    return scope(0);
  }

  public SearchBuilder oneLevel() {
    return scope(1);
  }

  public SearchBuilder deref(int value) {
    return new SearchBuilder(
        base, scope, value, sizeLimit, timeLimit, typesOnly, filter, attributes);
  }

  public SearchBuilder sizeLimit(int value) {
    return new SearchBuilder(base, scope, deref, value, timeLimit, typesOnly, filter, attributes);
  }

  public SearchBuilder timeLimit(int value) {
    return new SearchBuilder(base, scope, deref, sizeLimit, value, typesOnly, filter, attributes);
  }

  public SearchBuilder justTypes() {
    return new SearchBuilder(base, scope, deref, sizeLimit, timeLimit, true, filter, attributes);
  }

  public SearchBuilder filter(String value) {
    return new SearchBuilder(
        base, scope, deref, sizeLimit, timeLimit, typesOnly, value, attributes);
  }

  public SearchBuilder attributes(String... names) {
    return new SearchBuilder(
        base, scope, deref, sizeLimit, timeLimit, typesOnly, filter, List.of(names));
  }

  public RawRequest request() {
    try {
      return Requests.of(
          new SearchRequestProtocolOp(
              base,
              SearchScope.valueOf(scope),
              DereferencePolicy.valueOf(deref),
              sizeLimit,
              timeLimit,
              typesOnly,
              Filter.create(filter),
              attributes));
    } catch (LDAPException e) {
      throw new AssertionError("the test's filter " + filter + " cannot be read", e);
    }
  }
}
