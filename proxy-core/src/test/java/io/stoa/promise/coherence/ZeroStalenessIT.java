// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static io.stoa.promise.coherence.SlapdWithFeed.value;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** With a bound of 0, nothing from memory is older than the request for it. */
class ZeroStalenessIT {
  private static final int READS = 300;
  private static final int OTHERS = 10;

  private static SlapdWithFeed start() {
    return SlapdWithFeedSetup.of(20, Duration.ofSeconds(5)).bound(Duration.ZERO).start();
  }

  private static void move(LDAPConnection who, int person, String city) throws LDAPException {
    who.modify(People.dn(person), new Modification(ModificationType.REPLACE, "l", city));
  }

  /** Writes of others, of which an earlier one may be unfinished when a later one is answered. */
  private static FutureTask<Void> others(SlapdWithFeed people, AtomicBoolean over) {
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              try (LDAPConnection root = people.another()) {
                for (int i = 0; !over.get(); i++) {
                  move(root, OTHERS + i % OTHERS, "Elsewhere " + i);
                }
              }
              return null;
            });
    new Thread(task).start();
    return task;
  }

  @Test
  void acknowledgedDirectWritesAreSeenAtOnce() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    SplittableRandom random = new SplittableRandom(1);
    try (SlapdWithFeed people = start();
        LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      Await.until("the feed is live", people::isListening);
      remembered(people, client);
      FutureTask<Void> others = others(people, over);
      for (int i = 0; i < READS; i++) {
        int person = 2 + random.nextInt(3);
        move(people.root(), person, "City " + i);
        assertThat(value(client, "(uid=user." + person + ")", "l")).isEqualTo("City " + i);
      }
      over.set(true);
      others.get();
      remembered(people, client);
    }
  }

  /** What has not changed comes from memory all the same. */
  private static void remembered(SlapdWithFeed people, LDAPConnection client) {
    Await.until(
        "it is answered from memory",
        () -> people.isRemembered(() -> value(client, "(uid=user.5)", "l")));
  }
}
