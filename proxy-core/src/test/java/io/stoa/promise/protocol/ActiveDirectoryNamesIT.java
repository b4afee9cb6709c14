// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.protocol;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names that Active Directory takes and that are no DNs: passed, and cached, octet for octet. */
class ActiveDirectoryNamesIT {
  private static final String ZONES =
      "ldap://DomainDnsZones.example.com/DC=DomainDnsZones,DC=example,DC=com";

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream upstream;
  private RunningProxy proxy;

  @BeforeEach
  void start() {
    upstream = ScriptedUpstream.start();
    proxy = ProxySetup.before(upstream.port()).start();
  }

  @AfterEach
  void stop() {
    proxy.close();
    upstream.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<SID=S-1-5-21-1004336348-1177238915-682003330-512>",
        "<GUID=b3d4bfbd-3c45-4ee4-83a8-f4ddd0d0a2c1>",
        "<WKGUID=a9d1ca15768811d1aded00c04fd8d5cd,DC=example,DC=com>"
      })
  void basesAreForwardedUnchanged(String base) {
    RawRequest read = search(base).baseScope().attributes("marked").request();
    upstream.when(request -> request.isSearchFor("marked"), Answers.entries(new Entry("CN=found")));
    try (RawLdapClient client = proxy.client()) {
      byte[] first = client.call(read).get(0).body();
      assertThat(client.call(read).get(0).body()).isEqualTo(first);
      List<Received> asked = upstream.received(request -> request.isSearchFor("marked"));
      assertThat(asked).as("the second is a hit").hasSize(1);
      assertThat(asked.get(0).message().op()).isEqualTo(read.op());
      client.call(search(base.toLowerCase(Locale.ROOT)).attributes("marked").request());
      assertThat(upstream.received(request -> request.isSearchFor("marked"))).hasSize(2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"EXAMPLE\\alice", "alice@example.com", "S-1-5-21-1-2-3-500"})
  void bindNamesAreForwardedUnchanged(String name) {
    RawRequest read = search("DC=example,DC=com").attributes("marked").request();
    upstream.when(request -> request.isSearchFor("marked"), Answers.entries(new Entry("CN=found")));
    for (int round = 0; round < 2; round++) {
      try (RawLdapClient client = proxy.client().bind(name, "secret")) {
        client.call(read);
      }
    }
    List<Received> asked = upstream.received(request -> request.isSearchFor("marked"));
    assertThat(asked).hasSize(1).allMatch(request -> request.identity().equals(name));
  }

  @Test
  void referencesToOtherPartitionsArePassed() {
    RawRequest read = search("DC=example,DC=com").attributes("marked").request();
    Answer reference =
        (request, link) -> link.send(request.messageId(), Responses.reference(ZONES));
    upstream.when(request -> request.isSearchFor("marked"), reference.then(Answers.success()));
    try (RawLdapClient client = proxy.client()) {
      RawMessage passed = client.call(read).get(0);
      assertThat(passed.body()).isEqualTo(Responses.reference(ZONES).op());
    }
  }
}
