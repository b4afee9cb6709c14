// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.changelog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSearchRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryOperationInterceptor;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import io.stoa.feed.changelog.ChangelogLink.Page;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** However few records the server gives at once, none is taken for not being there. */
class ChangelogLinkTest {
  private static final String IMPORTED = "dc=imported";

  private static InMemoryDirectoryServer server(int limit, int... numbers) throws Exception {
    InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig("dc=log");
    config.setSchema(null);
    config.setMaxSizeLimit(limit);
    config.addInMemoryOperationInterceptor(new OtherChangelog());
    config.setCustomRootDSEAttributes(List.of(new Attribute("lastChangeNumber", "9")));
    InMemoryDirectoryServer server = new InMemoryDirectoryServer(config);
    server.add("dn: dc=log", "objectClass: domain", "dc: log");
    server.modify("dn: dc=log", "changetype: modify", "add: startTime", "startTime: 1");
    for (int number : numbers) {
      server.add(
          "dn: changeNumber=" + number + ",dc=log",
          "objectClass: changeLogEntry",
          "changeNumber: " + number,
          "changeType: modify",
          "targetDn: cn=a,dc=x",
          "targetUniqueId: 5eed0000-00004000-80000000-00000007");
    }
    server.startListening();
    return server;
  }

  /** It has a changelog of its own, in which nothing can be missing: that is not the one meant. */
  private static final class OtherChangelog extends InMemoryOperationInterceptor {
    @Override
    public void processSearchRequest(InMemoryInterceptedSearchRequest intercepted)
        throws LDAPException {
      SearchRequest request = intercepted.getRequest().duplicate();
      if (request.getBaseDN().equals(IMPORTED)) {
        throw new LDAPException(ResultCode.UNWILLING_TO_PERFORM);
      }
      if (Set.of(ChangelogLink.CHANGELOG, "cn=monitor").contains(request.getBaseDN())) {
        request.setBaseDN("dc=log");
        intercepted.setRequest(request);
      }
    }
  }

  private static List<Long> numbers(List<RetroRecord> records) {
    return records.stream().map(RetroRecord::number).toList();
  }

  @Test
  void reportsWhetherMoreRecordsExist() throws Exception {
    try (InMemoryDirectoryServer server = server(3, 5, 6, 8, 9);
        LDAPConnection connection = server.getConnection();
        ChangelogLink link = new ChangelogLink(connection)) {
      Page first = link.records(5);
      assertThat(numbers(first.records())).containsExactly(5L, 6L, 8L);
      assertThat(first.more()).isTrue();
      Page last = link.records(8);
      assertThat(numbers(last.records())).containsExactly(8L, 9L);
      assertThat(last.more()).isFalse();
      assertThat(numbers(link.records(List.of(4L, 6L)))).containsExactly(6L);
    }
  }

  /** What is cut off has been acknowledged, too: whoever asked would be told that all is read. */
  @Test
  void recordsCutOffByTheServerAreReadToo() throws Exception {
    try (InMemoryDirectoryServer server = server(2, 4, 5, 6, 8, 9);
        LDAPConnection connection = server.getConnection();
        ChangelogLink link = new ChangelogLink(connection)) {
      assertThat(numbers(link.records(List.of(3L, 4L, 5L, 6L, 7L, 8L))))
          .containsExactlyInAnyOrder(4L, 5L, 6L, 8L);
      assertThat(link.records(List.of())).isEmpty();
    }
  }

  /** A number below the last one may be of a change that is under way. */
  @Test
  void beginsAfterTheLastRecordAndWatchesMissingOnes() throws Exception {
    try (InMemoryDirectoryServer server = server(3, 4, 5, 6, 8, 9);
        LDAPConnection connection = server.getConnection();
        ChangelogLink link = new ChangelogLink(connection)) {
      ChangelogRange offer = ChangelogRange.of(link, "cn=feed");
      assertThat(offer.last().number()).isEqualTo(9);
      assertThat(offer.unseen()).containsExactly(1L, 2L, 3L, 7L);
    }
  }

  /** No record tells of what is imported. */
  @Test
  void databaseIdsDifferAfterAnImport() throws Exception {
    try (InMemoryDirectoryServer server = server(3, 5);
        LDAPConnection connection = server.getConnection();
        ChangelogLink link = new ChangelogLink(connection)) {
      server.modify("dn: dc=log", "changetype: modify", "add: nsUniqueId", "nsUniqueId: one");
      String before = link.databaseId("dc=log");
      assertThat(link.databaseId("dc=log")).isEqualTo(before);
      server.modify("dn: dc=log", "changetype: modify", "replace: nsUniqueId", "nsUniqueId: other");
      assertThat(link.databaseId("dc=log")).isNotEqualTo(before);
      assertThat(link.databaseId(IMPORTED)).isNull();
    }
  }

  /** What is hidden is not the same each time. */
  @Test
  void aHiddenDatabaseIdIsNoImport() throws Exception {
    try (InMemoryDirectoryServer server = server(3, 5);
        LDAPConnection connection = server.getConnection();
        ChangelogLink link = new ChangelogLink(connection)) {
      assertThat(link.databaseId("dc=log")).isNull();
      server.modify("dn: dc=log", "changetype: modify", "delete: startTime");
      try (LDAPConnection again = server.getConnection();
          ChangelogLink hidden = new ChangelogLink(again)) {
        assertThatThrownBy(() -> hidden.databaseId("dc=log"))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("read startTime of cn=monitor");
      }
    }
  }

  @Test
  void failsIfTheSizeLimitPreventsProgress() throws Exception {
    try (InMemoryDirectoryServer server = server(1, 5, 6);
        LDAPConnection connection = server.getConnection();
        ChangelogLink link = new ChangelogLink(connection)) {
      assertThatThrownBy(() -> link.records(5))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("nsSizeLimit");
    }
  }
}
