// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.tree;

import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.RequestOp;
import io.stoa.ldap.RequestOp.BindOp;
import io.stoa.match.NormalDn;
import io.stoa.match.ServerProfile;
import io.stoa.operation.Operation;
import io.stoa.operation.TargetName;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Where a tree begins, and which operations are about it. Immutable. */
public final class TreeSuffix {
  private final String name;
  private final byte[] lastLetters;
  private final NormalDn place;

  /**
   * @param name one RDN whose value has ASCII letters only
   */
  public TreeSuffix(String name) {
    this.name = name;
    String value = name.substring(name.indexOf('=') + 1).toLowerCase(Locale.ROOT);
    this.lastLetters = value.getBytes(StandardCharsets.US_ASCII);
    this.place = NormalDn.of(name.getBytes(StandardCharsets.UTF_8), ServerProfile.EXACT);
  }

  /** As it is spelled in answers. */
  public String name() {
    return name;
  }

  /**
   * Whether the operation, which may be a bind, names the tree's first entry or what is below it.
   * Of what does not it reads a few octets only.
   */
  public boolean covers(Operation operation) throws LdapProtocolException {
    if (!TargetName.mayEndWith(operation.message(), lastLetters)) {
      return false;
    }
    byte[] octets = name(operation.request().op());
    return octets != null && NormalDn.of(octets, ServerProfile.EXACT).isBelowOrEqual(place);
  }

  private static byte @Nullable [] name(RequestOp op) {
    return op instanceof BindOp bind ? bind.name() : op.target();
  }
}
