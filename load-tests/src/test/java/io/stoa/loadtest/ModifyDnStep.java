// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest;

import io.gatling.core.session.Session;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.loadtest.engine.Label;
import io.stoa.loadtest.engine.LdapRequest;
import io.stoa.loadtest.engine.Text;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A modify DN operation. The old RDN is deleted unless it is kept. Threading: immutable. */
public final class ModifyDnStep extends LdapStep {
  private static final int MODIFY_DN = 0x6C;

  private final Label label;
  private final Text dn;
  private final Text newRdn;
  private final boolean deleteOld;
  private final @Nullable Text newSuperior;

  ModifyDnStep(Label label, Text dn, Text newRdn) {
    this(label, dn, newRdn, true, null);
  }

  private ModifyDnStep(
      Label label, Text dn, Text newRdn, boolean deleteOld, @Nullable Text newSuperior) {
    super(
        new LdapRequest(
            label,
            (out, session) -> {
              int op = out.begin(MODIFY_DN);
              out.octets(0x04, dn.octets(session))
                  .octets(0x04, newRdn.octets(session))
                  .bool(0x01, deleteOld);
              superior(out, session, newSuperior);
              out.end(op);
            },
            new int[] {0},
            false,
            List.of()));
    this.label = label;
    this.dn = dn;
    this.newRdn = newRdn;
    this.deleteOld = deleteOld;
    this.newSuperior = newSuperior;
  }

  /** Keeps the value of the old RDN in the entry. */
  public ModifyDnStep keepOldRdn() {
    return new ModifyDnStep(label, dn, newRdn, false, newSuperior);
  }

  public ModifyDnStep newSuperior(String superior) {
    return new ModifyDnStep(label, dn, newRdn, deleteOld, Text.el(superior));
  }

  private static void superior(BerWriter out, Session session, @Nullable Text newSuperior) {
    if (newSuperior != null) {
      out.octets(0x80, newSuperior.octets(session));
    }
  }
}
