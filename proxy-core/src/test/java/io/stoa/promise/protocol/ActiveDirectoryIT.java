// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.protocol;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.ExpectedLog;
import io.stoa.testing.LdapCommand;
import io.stoa.testing.Pager;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.SambaDirectory;
import io.stoa.testing.TripleReads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Samba's domain controller: Kerberos and NTLM through Stoa, under a name of Stoa's own; ranges of
 * values, and pages.
 */
class ActiveDirectoryIT {
  private static final String STOA = "localhost";
  private static final String TEAM = "CN=group0," + SambaDirectory.GROUPS;
  private static final String[] COMMAND_OPTIONS = {"-Q", "-N", "-LLL", "-o", "ldif-wrap=no"};
  private static final String NTLM =
      """
      import sys, ldb, samba
      from samba.credentials import Credentials, DONT_USE_KERBEROS
      from samba.param import LoadParm
      url, base, user, password, layer = sys.argv[1:]
      parameters = LoadParm()
      parameters.set('client ldap sasl wrapping', layer)
      parameters.set('workgroup', 'EXAMPLE')
      who = Credentials()
      who.guess(parameters)
      who.set_username(user)
      who.set_password(password)
      who.set_domain('EXAMPLE')
      who.set_kerberos_state(DONT_USE_KERBEROS)
      try:
          directory = samba.Ldb(url, lp=parameters, credentials=who)
          for i in range(2):
              for name, wanted in (('', 'tokenGroups'), (base, 'description')):
                  entry = directory.search(name, ldb.SCOPE_BASE, attrs=[wanted])[0]
                  print(entry.dn, list(entry[wanted]))
      except ldb.LdbError as e:
          print(e)
      """;

  private static SambaDirectory samba;
  private static Map<String, Map<String, String>> tickets;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();
  @TempDir static Path directory;

  private RunningProxy proxy;

  @BeforeAll
  static void startSamba() throws IOException {
    samba = SambaDirectory.start();
    samba.knownAs(samba.host(), STOA);
    tickets = Map.of("alice", samba.ticket("alice"), "bob", samba.ticket("bob"));
    Files.writeString(directory.resolve("ntlm.py"), NTLM);
  }

  @AfterAll
  static void stopSamba() {
    samba.close();
  }

  @BeforeEach
  void start() {
    proxy = ProxySetup.beforeUrls(samba.url()).adapt("mergeRanges", true).start();
  }

  @AfterEach
  void stop() {
    proxy.close();
  }

  private String through() {
    return "ldap://" + STOA + ":" + proxy.address().getPort();
  }

  /** The root DSE answers what the filter asserts. */
  @Test
  void netlogonAnswersDependOnTheFilter() {
    String unknown = "(&(DnsDomain=example.com)(User=nobodysuch)(AAC=\\10\\00\\00\\00)";
    List<RawRequest> requests =
        Stream.of(
                "(&(DnsDomain=example.com)(NtVer=\\06\\00\\00\\00))",
                unknown + "(NtVer=\\06\\00\\00\\00))")
            .map(filter -> search("").baseScope().filter(filter).attributes("netlogon").request())
            .toList();
    try (RawLdapClient direct = RawLdapClient.connect(samba.address());
        RawLdapClient client = proxy.client()) {
      assertThat(new TripleReads(proxy, direct, client, requests).run()).isEmpty();
    }
    assertThat(proxy.cache().filterHits()).isZero();
  }

  /** In which groups the client is, which nobody else is in: it says who the client is. */
  private static String groups(String url, String who, String mechanism, String layer) {
    List<String> command = new ArrayList<>(List.of("ldapsearch"));
    command.addAll(List.of(COMMAND_OPTIONS));
    command.addAll(List.of("-Y", mechanism, "-O", layer, "-H", url));
    command.addAll(List.of("-s", "base", "-b", "", "tokenGroups"));
    return LdapCommand.run(tickets.get(who), command.toArray(String[]::new)).text();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "GSSAPI maxssf=0",
        "GSSAPI minssf=56",
        "GSS-SPNEGO maxssf=0",
        "GSS-SPNEGO minssf=56"
      })
  void aKerberosClientHasTheDirectorysIdentity(String mechanism, String layer) {
    String alice = groups(samba.url(), "alice", mechanism, layer);
    assertThat(alice).contains("tokenGroups:: ");
    assertThat(groups(through(), "alice", mechanism, layer)).isEqualTo(alice);
    String bob = groups(samba.url(), "bob", mechanism, layer);
    assertThat(groups(through(), "bob", mechanism, layer)).isEqualTo(bob).isNotEqualTo(alice);
  }

  private static String ntlm(String url, String password, String layer) {
    String program = directory.resolve("ntlm.py").toString();
    String base = SambaDirectory.person("alice");
    String[] command = {"/usr/bin/python3", program, url, base, "alice", password, layer};
    return LdapCommand.run(Map.of(), command).text().replace(url, "");
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "seal"})
  void anNtlmClientHasTheDirectorysIdentity(String layer) {
    String direct = ntlm(samba.url(), "pw-alice", layer);
    assertThat(direct).contains("described alice");
    assertThat(ntlm(through(), "pw-alice", layer)).isEqualTo(direct);
    assertThat(ntlm(through(), "wrong", layer))
        .contains("LDAP_INVALID_CREDENTIALS")
        .isEqualTo(ntlm(samba.url(), "wrong", layer));
  }

  /** Samba cuts no attribute by itself, but returns the range that it is asked for. */
  @Test
  void rangesEqualTheDirectorys() {
    try (RawLdapClient direct = RawLdapClient.connect(samba.address());
        RawLdapClient client = proxy.client()) {
      direct.bind("alice@example.com", "pw-alice");
      client.bind("alice@example.com", "pw-alice");
      for (String range : List.of("", ";range=0-2", ";range=3-5", ";range=29-*", ";range=99-*")) {
        RawRequest read = search(TEAM).baseScope().attributes("cn", "member" + range).request();
        List<String> members = bodies(direct.call(read));
        assertThat(bodies(client.call(read))).isEqualTo(members);
        assertThat(bodies(client.call(read))).as("the second time").isEqualTo(members);
      }
    }
  }

  private static List<String> bodies(List<RawMessage> messages) {
    return messages.stream().map(message -> message.toString().replaceFirst("\\d+", "")).toList();
  }

  @Test
  void pagesGoOnWhenTheDirectoryIsLost() {
    RawRequest people = search(SambaDirectory.PEOPLE).oneLevel().attributes("cn").request();
    List<Pager.Page> pages = new ArrayList<>();
    try (SambaDirectory own = SambaDirectory.start();
        RunningProxy before = ProxySetup.beforeUrls(own.url()).start();
        RawLdapClient client = before.client()) {
      client.bind("alice@example.com", "pw-alice");
      Pager pager = new Pager(client, people);
      pages.add(pager.next(7));
      own.close();
      pages.addAll(pager.rest(7));
    }
    assertThat(pages).hasSize(5).allMatch(page -> page.code() == 0);
    assertThat(pages.stream().mapToInt(page -> page.entries().size()).sum()).isEqualTo(32);
  }
}
