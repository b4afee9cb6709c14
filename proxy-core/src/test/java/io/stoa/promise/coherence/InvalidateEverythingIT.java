// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static io.stoa.promise.coherence.SlapdWithFeed.find;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Where any change is to make everything void, one that concerns nobody else does. */
class InvalidateEverythingIT {
  private static final Modification CITY =
      new Modification(ModificationType.REPLACE, "l", "Athens");

  private static Callable<?> read(LDAPConnection client, int person) {
    return () -> find(client, "(uid=user." + person + ")", "uid", "l");
  }

  @Test
  void everyChangeInvalidatesEverything() throws Exception {
    SlapdWithFeedSetup setup = SlapdWithFeedSetup.of(20, Duration.ofHours(1)).voidingEverything();
    try (SlapdWithFeed people = setup.start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      people.awaitLive();
      remember(people, client);
      people.root().modify(People.dn(5), CITY);
      Await.until("it is asked again", () -> !people.isRemembered(read(client, 3)));
      assertThat(people.isRemembered(read(client, 4))).isFalse();
      remember(people, client);
      client.modify(People.dn(1), CITY);
      assertThat(people.isRemembered(read(client, 3))).isFalse();
      assertThat(people.isRemembered(read(client, 4))).isFalse();
    }
  }

  private static void remember(SlapdWithFeed people, LDAPConnection client) throws Exception {
    read(client, 3).call();
    read(client, 4).call();
    assertThat(people.isRemembered(read(client, 3))).isTrue();
    assertThat(people.isRemembered(read(client, 4))).isTrue();
  }
}
