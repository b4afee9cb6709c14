// SPDX-License-Identifier: Apache-2.0
package io.stoa;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.LongForm;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A directory that answers is up, whatever its answers look like. */
class ProbeIT {
  private static final RawRequest FIND =
      search("ou=people,dc=example,dc=com").filter("(uid=anna)").request();
  private static final Entry ANNA = Answers.person("anna", "written at length");

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream upstream;

  @BeforeEach
  void start() {
    upstream = ScriptedUpstream.start();
  }

  @AfterEach
  void stop() {
    upstream.close();
  }

  private RunningProxy startUntilReady() {
    RunningProxy proxy = ProxySetup.before(upstream.port()).startWithoutUpstream();
    Await.until("the proxy is ready", () -> proxy.status().ready());
    return proxy;
  }

  /**
   * As Active Directory does: a load balancer's check that knows one form only takes it for dead.
   */
  @Test
  void aDirectoryThatWritesItsLengthsInFourOctetsIsUp() {
    Entry rootDse = new Entry("");
    rootDse.addAttribute("namingContexts", "dc=example,dc=com");
    upstream.always(atLength(rootDse));
    upstream.when(request -> request.isSearchFor("anna"), atLength(ANNA));
    try (RunningProxy proxy = startUntilReady();
        RawLdapClient client = proxy.client()) {
      assertThat(client.call(FIND).get(0).mentions("written at length")).isTrue();
      assertThat(client.call(FIND).get(0).mentions("written at length")).isTrue();
      assertThat(proxy.cache().filterHits()).isEqualTo(1);
    }
  }

  private static Answer atLength(Entry entry) {
    return (request, link) -> {
      int id = request.messageId();
      link.sendOctets(LongForm.of(Responses.entry(entry).encode(id)));
      link.sendOctets(LongForm.of(Responses.searchDone(0).encode(id)));
    };
  }

  /** operationsError, inappropriateAuthentication, insufficientAccessRights. */
  @ParameterizedTest
  @ValueSource(ints = {1, 48, 50})
  void aDirectoryThatRefusesAnonymousSearchesIsUp(int code) {
    upstream.when(
        request -> request.is(Received.SEARCH) && request.identity().isEmpty(),
        Answers.result(code));
    upstream.when(
        request -> request.isSearchFor("anna") && !request.identity().isEmpty(),
        Answers.entries(ANNA));
    try (RunningProxy proxy = startUntilReady();
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(FIND)).isEqualTo(code);
      assertThat(client.code(Requests.bind("uid=anna,dc=example,dc=com", "secret"))).isZero();
      assertThat(client.call(FIND)).hasSize(2);
    }
  }
}
