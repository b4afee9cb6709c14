// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The canned answers pass the checks of the experiments. */
class CannedServerIT {
  @Test
  void answersAsTheDirectoryWould() throws Exception {
    try (CannedServer server = CannedServer.start();
        LDAPConnection client =
            new LDAPConnection("127.0.0.1", server.target().address().getPort())) {
      assertThat(client.bind(Directory.dn(7), Directory.PASSWORD).getResultCode().intValue())
          .isZero();
      List<SearchResultEntry> exact = search(client, SearchScope.SUB, "(uid=user.7)");
      assertThat(exact).hasSize(1);
      assertThat(exact.get(0).getDN()).isEqualTo(Directory.dn(7));
      assertThat(exact.get(0).getAttributeValue("uid")).isEqualTo("user.7");
      assertThat(search(client, SearchScope.SUB, "(departmentNumber=3)")).hasSize(10);
      assertThat(search(client, SearchScope.SUB, "(cn=User 0003*)")).hasSize(10);
      assertThat(search(client, SearchScope.BASE, "(objectClass=*)"))
          .singleElement()
          .satisfies(entry -> assertThat(entry.getDN()).isEqualTo(Directory.PEOPLE));
      assertThat(client.compare(Directory.dn(7), "userPassword", "password").compareMatched())
          .isTrue();
      Modification change = new Modification(ModificationType.REPLACE, "cn", "x".repeat(300));
      assertThat(client.modify(Directory.dn(7), change).getResultCode().intValue()).isZero();
    }
  }

  private static List<SearchResultEntry> search(
      LDAPConnection client, SearchScope scope, String filter) throws Exception {
    return client.search(Directory.PEOPLE, scope, filter, "uid", "cn").getSearchEntries();
  }
}
