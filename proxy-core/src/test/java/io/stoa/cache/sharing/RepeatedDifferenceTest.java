// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.testing.ExpectedLog;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A member of a uniform class is given something else than the account of the feed sees: once that
 * may be of what was changed and changed back, as memberships of groups are.
 */
class RepeatedDifferenceTest {
  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final SharingClassState declared =
      new SharingClassState(
          new Declaration("apps", List.of("cn=a"), List.of(), "dc=x", Attributes.ALL, true),
          () -> Octets.EMPTY);
  private final ClassMember one =
      declared.join(
          Octets.ofUtf8("cn=one"), new CanonicalIdentity(Octets.EMPTY, Octets.ofUtf8("cn=one")));
  private final List<SharingClassState> demoted = new ArrayList<>();
  private final Verifier verifier = new Verifier(1, demoted::add, n -> true, () -> 0);

  RepeatedDifferenceTest() {
    verifier.setMaxLag(VerifierTest.SETTLE);
  }

  private ScriptedHit compared(Boolean... answers) throws LdapProtocolException {
    ScriptedHit upstream = new ScriptedHit(32);
    upstream.ofFeed = true;
    upstream.atFirst = Arrays.asList(answers);
    upstream.alike = true;
    verifier.onHit(one, () -> upstream);
    return upstream;
  }

  @Test
  void aSingleDifferenceIsComparedAgain() throws Exception {
    assertThat(compared(false).compared).isEqualTo(2);
    assertThat(demoted).isEmpty();
  }

  @Test
  void aRepeatedDifferenceDemotesTheClass() throws Exception {
    compared(false, false);
    assertThat(demoted).containsExactly(declared);
    assertThat(log.warnings()).hasSize(1);
  }

  /** What it is about changes all the time. */
  @Test
  void anUndecidedDifferenceIsComparedRepeatedly() throws Exception {
    compared(false, null, null, false);
    assertThat(demoted).containsExactly(declared);
    assertThat(log.warnings()).hasSize(1);
  }

  @Test
  void anUndecidedDifferenceProvesNothing() throws Exception {
    assertThat(compared(false, null, null, null, null, null).compared).isEqualTo(6);
    assertThat(demoted).isEmpty();
  }
}
