// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest;

import com.unboundid.ldap.sdk.SearchScope;
import io.gatling.javaapi.core.Session;
import io.stoa.loadtest.engine.Label;
import io.stoa.loadtest.engine.Text;
import java.util.function.Function;

/** The operations of LDAP under one name in the reports. Threading: immutable. */
public final class LdapOperations {
  private static final int BIND = 0x60;
  private static final int DELETE = 0x4A;
  private static final int COMPARE = 0x6E;
  private static final int VERSION = 3;
  private static final int COMPARE_FALSE = 5;
  private static final int COMPARE_TRUE = 6;

  private final Label label;

  LdapOperations(Label label) {
    this.label = label;
  }

  /**
   * Selects another connection of the user. Such a connection is never shared, and begins without a
   * bind.
   */
  public LdapOperations on(String line) {
    return new LdapOperations(new Label(label.name(), line));
  }

  /** Opens the connection, with the protocol's bind, if there is none yet. Sends no request. */
  public LdapStep connect() {
    return LdapStep.of(label, (out, session) -> {}, 0);
  }

  /** A simple bind on the user's own connection. */
  public LdapStep bind(String dn, String password) {
    Text who = Text.el(dn);
    Text secret = Text.el(password);
    return LdapStep.bind(
        label,
        (out, session) -> {
          int op = out.begin(BIND);
          out.integer(0x02, VERSION)
              .octets(0x04, who.octets(session))
              .octets(0x80, secret.octets(session))
              .end(op);
        });
  }

  /** A subtree search, for all entries unless a filter is set. */
  public SearchStep search(String base) {
    return new SearchStep(label, Text.el(base), SearchScope.SUB, Text.el("(objectClass=*)"));
  }

  /** A search whose base depends on the user. */
  public SearchStep search(Function<Session, String> base) {
    return new SearchStep(label, Text.of(base), SearchScope.SUB, Text.el("(objectClass=*)"));
  }

  /** A compare. Succeeds if the answer is true or false. */
  public LdapStep compare(String dn, String attribute, String value) {
    Text target = Text.el(dn);
    Text type = Text.el(attribute);
    Text assertion = Text.el(value);
    return LdapStep.of(
        label,
        (out, session) -> {
          int op = out.begin(COMPARE);
          out.octets(0x04, target.octets(session));
          int pair = out.begin(0x30);
          out.octets(0x04, type.octets(session))
              .octets(0x04, assertion.octets(session))
              .end(pair)
              .end(op);
        },
        COMPARE_FALSE,
        COMPARE_TRUE);
  }

  public AddStep add(String dn) {
    return new AddStep(label, Text.el(dn));
  }

  public ModifyStep modify(String dn) {
    return new ModifyStep(label, Text.el(dn));
  }

  public ModifyDnStep modifyDN(String dn, String newRdn) {
    return new ModifyDnStep(label, Text.el(dn), Text.el(newRdn));
  }

  public LdapStep delete(String dn) {
    Text target = Text.el(dn);
    return LdapStep.of(label, (out, session) -> out.octets(DELETE, target.octets(session)), 0);
  }
}
