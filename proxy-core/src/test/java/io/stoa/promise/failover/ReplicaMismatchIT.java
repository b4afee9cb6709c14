// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldif.LDIFException;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.Ldif;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import io.stoa.upstream.connection.ProbeConfig;
import io.stoa.upstream.connection.ProbeConfig.Mismatch;
import io.stoa.upstream.server.BackendState;
import io.stoa.upstream.server.BackendStatus;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Servers that are said to be replicas of each other are compared before they are believed. */
class ReplicaMismatchIT {
  private static final String TOP = "dc=example,dc=com";
  private static final String ONE = "00000000-0000-4000-8000-000000000001";
  private static final String OTHER = "00000000-0000-4000-8000-000000000002";

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final ScriptedUpstream first = ScriptedUpstream.start();
  private final ScriptedUpstream second = ScriptedUpstream.start();

  private static void holds(ScriptedUpstream server, String uuid, String... contexts) {
    Entry root = new Entry("");
    root.addAttribute("namingContexts", contexts);
    Entry top = new Entry(contexts[0]);
    top.addAttribute("entryUUID", uuid);
    server.when(request -> request.message().mentions("namingContexts"), Answers.entries(root));
    server.when(request -> request.message().mentions("nsUniqueId"), Answers.entries(top));
  }

  private static ProxySetup setup(Mismatch mismatch, int... ports) {
    ProbeConfig probe = new ProbeConfig("", "", "", "", "", Duration.ofMillis(50), mismatch);
    return ProxySetup.before(ports).upstream("probe", probe);
  }

  private static List<BackendState> states(RunningProxy proxy) {
    return proxy.status().backends().stream().map(BackendStatus::state).toList();
  }

  private static void awaitStates(RunningProxy proxy, BackendState... wanted) {
    Await.until("the servers are " + List.of(wanted), () -> states(proxy).equals(List.of(wanted)));
  }

  private static Slapd slapd(Ldif ldif) {
    return Slapd.start(SlapdConfig.stock().database(TOP, "", ldif));
  }

  /** The server itself gives the entry its identifier. */
  private static void addTop(Slapd server) {
    try (LDAPConnection root =
        new LDAPConnection(
            "127.0.0.1",
            server.port(),
            SlapdConfig.ROOT_RDN + "," + TOP,
            SlapdConfig.ROOT_PASSWORD)) {
      root.add("dn: " + TOP, "objectClass: domain", "dc: example");
    } catch (LDAPException | LDIFException e) {
      throw new AssertionError(e);
    }
  }

  /** Two servers that were each loaded by hand have different identifiers for one suffix. */
  @Test
  void anotherEntryUuidOfTheSuffixIsWarnedOfAndTheServerServes() {
    try (Slapd one = slapd(People.tree(1));
        Slapd other = slapd(new Ldif());
        RunningProxy proxy = setup(Mismatch.WARN, one.port(), other.port()).start()) {
      proxy.awaitReason(2, "entry " + TOP + " is missing");
      addTop(other);
      proxy.awaitReason(2, "entryUUID of entry " + TOP + " differs");
      awaitStates(proxy, BackendState.UP, BackendState.UP);
      String reason = proxy.status().backends().get(1).reason();
      assertThat(reason).contains("health check passed", "entryUUID", ":" + one.port());
      assertThat(log.awaitWarningsOf("Health", 2)).as("differences").hasSize(2);
    }
  }

  /** The primary is the measure, whichever of the two has come up first. */
  @Test
  void aServerOfOtherNamingContextsIsRefusedUntilTheyAgree() {
    holds(first, ONE, TOP);
    holds(second, ONE, "dc=other,dc=com");
    try (RunningProxy proxy =
        setup(Mismatch.REFUSE, first.port(), second.port()).startWithoutUpstream()) {
      proxy.awaitReason(2, "naming contexts differ: [dc=other,dc=com]", "[" + TOP + "]");
      awaitStates(proxy, BackendState.UP, BackendState.DOWN);
      assertThat(IntStream.range(0, 20).map(i -> read(proxy)).distinct().toArray()).containsOnly(0);
      assertThat(second.received(request -> request.isSearchFor("uid=anna"))).isEmpty();
      holds(second, OTHER, TOP);
      proxy.awaitReason(2, "entryUUID of entry", OTHER, ONE);
      holds(second, ONE, TOP);
      awaitStates(proxy, BackendState.UP, BackendState.UP);
    }
  }

  /** Half of the contents would hide the difference. */
  @Test
  void aServerWithUnreadableContentsIsRefused() {
    holds(first, ONE, TOP);
    holds(second, OTHER, TOP);
    Held top = second.hold(request -> request.message().mentions("nsUniqueId"));
    try (RunningProxy proxy =
        setup(Mismatch.REFUSE, first.port(), second.port())
            .upstream("connectTimeout", Duration.ofMillis(500))
            .startWithoutUpstream()) {
      top.awaitArrival();
      proxy.awaitReason(2, "health check could not read the naming contexts");
      awaitStates(proxy, BackendState.UP, BackendState.DOWN);
    }
  }

  /** Logs of a server, and whatever the account may not read, make no difference. */
  @Test
  void serverSpecificContextsAreNotCompared() {
    holds(first, ONE, TOP, "cn=accesslog", "cn=Monitor");
    holds(second, ONE, "DC=Example, dc=com", "cn=changelog");
    try (RunningProxy proxy = setup(Mismatch.REFUSE, first.port(), second.port()).start()) {
      awaitStates(proxy, BackendState.UP, BackendState.UP);
      second.when(request -> request.message().mentions("nsUniqueId"), Answers.result(50));
      assertThat(read(proxy)).isZero();
      assertThat(log.warningsOf("Health")).isEmpty();
    }
  }

  private static int read(RunningProxy proxy) {
    try (RawLdapClient client = proxy.client()) {
      return client.code(Requests.search("uid=anna," + TOP).baseScope().request());
    }
  }
}
