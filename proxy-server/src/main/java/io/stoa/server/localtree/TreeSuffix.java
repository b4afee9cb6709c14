// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.localtree;

import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.Operation;
import io.stoa.operation.TargetName;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Suffix of a tree, and the test which operations concern the tree. Threading: immutable. */
public final class TreeSuffix {
  private final String name;
  private final byte[] lastOctets;
  private final NormalDn normalDn;

  /**
   * @param name one RDN whose value has ASCII letters only
   */
  public TreeSuffix(String name) {
    this.name = name;
    String value = name.substring(name.indexOf('=') + 1).toLowerCase(Locale.ROOT);
    this.lastOctets = value.getBytes(StandardCharsets.US_ASCII);
    this.normalDn = NormalDn.of(name.getBytes(StandardCharsets.UTF_8), ServerProfile.EXACT);
  }

  /** Returns the name as in answers. */
  public String name() {
    return name;
  }

  /**
   * True if the operation, which may be a bind, names the suffix or an entry below it. For other
   * names only a few octets of the request are read. A large request is not decoded.
   */
  public boolean covers(Operation operation) {
    if (!TargetName.mayEndWith(operation.message(), lastOctets)) {
      return false;
    }
    byte[] name = TargetName.decidingPart(operation.message());
    boolean covered =
        name != null && NormalDn.of(name, ServerProfile.EXACT).isBelowOrEqual(normalDn);
    if (covered && !TreeAnswer.isLarge(operation)) {
      operation.request();
    }
    return covered;
  }
}
