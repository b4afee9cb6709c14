// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp;
import io.stoa.ldap.protocol.RequestOp.DeleteOp;
import io.stoa.ldap.protocol.RequestOp.ExtendedOp;
import io.stoa.operation.Restriction;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RestrictionsTest {
  private static final RequestOp PLAIN = new DeleteOp(new byte[0]);

  private static Request with(String oid, boolean critical) {
    return new Request(PLAIN, List.of(new Control(oid, critical, null)), false);
  }

  @ParameterizedTest
  @CsvSource({
    Oids.MANAGE_DSA_IT + ", true, NONE",
    Oids.SORT_REQUEST + ", true, NONE",
    Oids.PAGED + ", false, DEDICATED_CONNECTION",
    Oids.VLV_REQUEST + ", true, DEDICATED_CONNECTION",
    Oids.PERSISTENT_SEARCH + ", true, DEDICATED_CONNECTION",
    Oids.SYNC_REQUEST + ", false, DEDICATED_CONNECTION",
    Oids.TXN_SPEC + ", true, EXCLUSIVE",
    "1.2.3.4, true, DEDICATED_CONNECTION",
    "1.2.3.4, false, NONE"
  })
  void aControlRestrictsAsMuchAsNeeded(String oid, boolean critical, Restriction expected) {
    assertThat(Restrictions.of(with(oid, critical))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    Oids.WHO_AM_I + ", NONE",
    Oids.PASSWORD_MODIFY + ", NONE",
    "1.3.6.1.1.21.1, EXCLUSIVE",
    "1.2.3.4, EXCLUSIVE"
  })
  void anUnknownExtendedOperationMayLeaveState(String oid, Restriction expected) {
    assertThat(Restrictions.of(new Request(new ExtendedOp(oid, -1, -1), List.of(), false)))
        .isEqualTo(expected);
  }

  @Test
  void theStrongestRestrictionHolds() {
    Request request =
        new Request(
            PLAIN,
            List.of(new Control(Oids.TXN_SPEC, true, null), new Control(Oids.PAGED, false, null)),
            false);
    assertThat(Restrictions.of(request)).isEqualTo(Restriction.EXCLUSIVE);
  }

  @Test
  void anIrregularRequestNeedsItsOwnConnection() {
    assertThat(Restrictions.of(new Request(PLAIN, List.of(), true)))
        .isEqualTo(Restriction.DEDICATED_CONNECTION);
    assertThat(Restrictions.of(new Request(PLAIN, List.of(), false))).isEqualTo(Restriction.NONE);
  }
}
