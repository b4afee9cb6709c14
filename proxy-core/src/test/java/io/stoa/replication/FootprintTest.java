// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.FilterNode.Present;
import io.stoa.ldap.protocol.RequestOp.DeleteOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.schema.ServerProfile;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a read may show of what was written. */
class FootprintTest {
  private static boolean meets(String base, int deref, String written) {
    SearchOp search =
        new SearchOp(octets(base), 0, deref, 0, 0, false, new Present(octets("cn")), List.of());
    Footprint read = Footprint.read(search, ServerProfile.EXACT, Set.of());
    assertThat(read).isNotNull();
    return read.overlaps(
        Footprint.written(new DeleteOp(octets(written)), null, ServerProfile.EXACT));
  }

  private static byte[] octets(String text) {
    return text.getBytes(UTF_8);
  }

  /** RFC 4511, section 4.5.1.3: the base itself may be an alias of another entry. */
  @Test
  void aSearchThatFollowsAliasesMayShowAnyEntry() {
    assertThat(meets("cn=a,dc=x", 0, "cn=b,dc=y")).isFalse();
    for (int deref = 1; deref <= 3; deref++) {
      assertThat(meets("cn=a,dc=x", deref, "cn=b,dc=y")).as("deref %d", deref).isTrue();
    }
  }
}
