// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.server.StoaProcess;
import io.stoa.testing.Await;
import io.stoa.testing.DirectoryServer;
import io.stoa.testing.Ds389;
import io.stoa.testing.Leftovers;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Slapd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * While a feed is live, Stoa adds attributes to what clients ask for. Clients are shown nothing of
 * that: each entry of another kind, by each of its attributes, by all lists that stand for many,
 * and to each of several identities, is octet for octet what the directory shows.
 */
class AddedAttributesIT {
  private static final String RETRO = "cn=Retro Changelog Plugin,cn=plugins,cn=config";

  private static final List<List<String>> LISTS =
      List.of(
          List.of(),
          List.of("*"),
          List.of("+"),
          List.of("*", "+"),
          List.of("1.1"),
          List.of("1.1", "cn"),
          List.of("*", "aci"),
          List.of("ACI"),
          List.of("*", "nsUniqueId"),
          List.of("*", "modifyTimestamp", "entryUUID"));

  @Test
  void addedAttributesAreHiddenOnDs389() throws Exception {
    try (Ds389 ds389 =
        Ds389.start(
            Directory.ds389().set(RETRO, "nsslapd-attribute", "nsuniqueid:targetUniqueId"))) {
      assertAttributesEqualTheDirectorys(ds389);
    }
  }

  @Test
  void addedAttributesAreHiddenOnSlapd() throws Exception {
    try (Slapd slapd = Slapd.start(Directory.config())) {
      assertAttributesEqualTheDirectorys(slapd);
    }
  }

  private static void assertAttributesEqualTheDirectorys(DirectoryServer server)
      throws LDAPException, IOException {
    Path secrets = Leftovers.directory("stoa-fed-selections");
    String secret = Files.writeString(secrets.resolve("feed"), Directory.ROOT_PASSWORD).toString();
    String config =
        """
        upstream:
          servers: ['%s']
        feed: {bindDn: '%s', passwordFile: '%s', assumeCoverage: true}
        monitor: {readers: ['*']}
        log: {access: {format: openldap, destination: '%s'}}
        """
            .formatted(server.url(), Directory.ROOT, secret, secrets.resolve("access.log"));
    try (LDAPConnection root = root(server);
        StoaProcess stoa = StoaProcess.configured(config)) {
      root.modify(Directory.ALICE, new Modification(ModificationType.REPLACE, "l", "here"));
      Await.until("the feed is live", () -> isLive(stoa));
      Map<Set<String>, String> kinds = kinds(root);
      assertThat(kinds).hasSizeGreaterThan(15);
      for (String who : List.of("", Directory.MANAGER, Directory.ROOT)) {
        compare(server, stoa, who, kinds);
      }
      assertLogHasTheListsOfClients(stoa, secrets.resolve("access.log"), kinds.keySet());
    } finally {
      Leftovers.delete(secrets);
    }
  }

  /** The attributes that Stoa adds are in no line of the access log. */
  private static void assertLogHasTheListsOfClients(
      StoaProcess stoa, Path log, Set<Set<String>> types) throws IOException {
    Set<String> lists = new TreeSet<>(Set.of("ready", "stoaFeedState", "last"));
    LISTS.forEach(list -> lists.add(String.join(" ", list)));
    types.forEach(lists::addAll);
    try (RawLdapClient client = stoa.client()) {
      client.call(search(Directory.SUFFIX).baseScope().attributes("last").request());
    }
    Await.until("the last line", () -> Files.readString(log).contains("SRCH attr=last\n"));
    assertThat(Files.readAllLines(log))
        .filteredOn(line -> line.contains(" SRCH attr="))
        .extracting(line -> line.substring(line.indexOf("attr=") + "attr=".length()))
        .hasSizeGreaterThan(100)
        .isSubsetOf(lists);
  }

  private static LDAPConnection root(DirectoryServer server) throws LDAPException {
    int port = server.address().getPort();
    return new LDAPConnection("127.0.0.1", port, Directory.ROOT, Directory.ROOT_PASSWORD);
  }

  private static boolean isLive(StoaProcess stoa) {
    try (LDAPConnection client = new LDAPConnection("127.0.0.1", stoa.address().getPort())) {
      return client
          .search("cn=Feeds,cn=Monitor", SearchScope.SUB, "(objectClass=*)", "stoaFeedState")
          .getSearchEntries()
          .stream()
          .filter(entry -> entry.getDN().contains("example"))
          .anyMatch(entry -> "live".equals(entry.getAttributeValue("stoaFeedState")));
    } catch (LDAPException e) {
      return false;
    }
  }

  /** One entry with each set of attributes. */
  private static Map<Set<String>, String> kinds(LDAPConnection root) throws LDAPException {
    Map<Set<String>, String> kinds = new LinkedHashMap<>();
    for (SearchResultEntry entry :
        root.search(Directory.SUFFIX, SearchScope.SUB, "(objectClass=*)", "*", "+")
            .getSearchEntries()) {
      Set<String> types = new TreeSet<>();
      entry.getAttributes().stream().map(Attribute::getName).forEach(types::add);
      kinds.putIfAbsent(types, entry.getDN());
    }
    return kinds;
  }

  private static void compare(
      DirectoryServer server, StoaProcess stoa, String who, Map<Set<String>, String> kinds) {
    try (RawLdapClient direct = RawLdapClient.connect(server.address());
        RawLdapClient client = stoa.client()) {
      String password =
          who.isEmpty() ? "" : who.equals(Directory.ROOT) ? Directory.ROOT_PASSWORD : "pw-manager";
      direct.bind(who, password);
      client.bind(who, password);
      kinds.forEach(
          (types, dn) -> {
            List<List<String>> lists = new ArrayList<>(LISTS);
            types.forEach(type -> lists.add(List.of(type)));
            lists.forEach(list -> compare(direct, client, who, dn, list));
          });
    }
  }

  private static void compare(
      RawLdapClient direct, RawLdapClient client, String who, String dn, List<String> list) {
    RawRequest request = search(dn).baseScope().attributes(list.toArray(String[]::new)).request();
    List<String> expected = answer(direct, request);
    for (String time : List.of("cold", "warm")) {
      assertThat(answer(client, request))
          .as("%s of %s to %s, %s", list, dn, who, time)
          .isEqualTo(expected);
    }
  }

  private static List<String> answer(RawLdapClient who, RawRequest request) {
    return who.call(request).stream().map(it -> Arrays.toString(it.op())).toList();
  }
}
