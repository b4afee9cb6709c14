// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.TransactionSpecificationRequestControl;
import com.unboundid.ldap.sdk.extensions.EndTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedResult;
import io.stoa.proxy.feeds.CoherenceConfig.Apply;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** I9: what OpenLDAP tells of transactions that it aborts is given for a moment, or never. */
class PhantomIT {
  /** Settling, what is gathered, and what a busy machine adds. */
  private static final long MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

  /** Of an aborted transaction slapd 2.5 dies now and then: then nothing is proved. */
  private static final int TRIES = 5;

  private static final String PHANTOM = "Phantom";
  private static final String ONE = "(uid=user.3)";
  private static final String SET = "(l=" + PHANTOM + ")";

  @Test
  void aPhantomIsServedOnlyForAMoment() throws Exception {
    boolean proved = false;
    for (int left = TRIES; left > 0 && !proved; left--) {
      try (SlapdWithFeed people = UniformSlapdWithFeed.of(10).start();
          LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
        people.awaitHeldByFeed(client, ONE, SET);
        abort(people);
        long told = System.nanoTime();
        long last = lastShown(client, told);
        Await.until("it is known to be none", () -> isDead(people) || abortedChanges(people) > 0);
        proved = !isDead(people);
        if (proved) {
          assertThat(people.report().domain().updates()).isPositive();
          assertThat(last).isLessThan(MAX_NANOS);
          people.awaitHeldByFeed(client, ONE, SET);
        }
      }
    }
    assertThat(proved).isTrue();
  }

  @Test
  void aPhantomIsNeverServedWithoutUpdatesInPlace() throws Exception {
    boolean proved = false;
    for (int left = TRIES; left > 0 && !proved; left--) {
      try (SlapdWithFeed people = UniformSlapdWithFeed.of(10).apply(Apply.INVALIDATE).start();
          LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
        people.awaitHeldByFeed(client, ONE, SET);
        abort(people);
        Await.until(
            "it has been told", () -> isDead(people) || people.report().domain().changes() > 0);
        long shown = lastShown(client, System.nanoTime());
        proved = !isDead(people);
        if (proved) {
          assertThat(shown).isZero();
          assertThat(people.report().domain().updates()).isZero();
        }
      }
    }
    assertThat(proved).isTrue();
  }

  private static long abortedChanges(SlapdWithFeed people) {
    return people.report().domain().abortedChanges();
  }

  private static boolean isDead(SlapdWithFeed people) {
    try (LDAPConnection again = people.another()) {
      return again.getRootDSE() == null;
    } catch (LDAPException | AssertionError e) {
      return true;
    }
  }

  /** Asks for a while, and how long after that time who was shown it had asked; 0 if it was not. */
  private static long lastShown(LDAPConnection client, long since) {
    long last = 0;
    for (long now = since; now - since < 2 * MAX_NANOS; now = System.nanoTime()) {
      if (isShown(client)) {
        last = now - since;
      }
    }
    return last;
  }

  private static boolean isShown(LDAPConnection client) {
    try {
      List<SearchResultEntry> found =
          client.search(People.PEOPLE, SearchScope.SUB, ONE, "uid", "l").getSearchEntries();
      return found.stream().anyMatch(entry -> entry.hasAttributeValue("l", PHANTOM));
    } catch (LDAPException e) {
      return false;
    }
  }

  private static void abort(SlapdWithFeed people) {
    try {
      LDAPConnection root = people.root();
      StartTransactionExtendedResult begun =
          (StartTransactionExtendedResult)
              root.processExtendedOperation(new StartTransactionExtendedRequest());
      for (String dn : List.of(People.dn(3), "uid=nobody," + People.PEOPLE)) {
        ModifyRequest modify =
            new ModifyRequest(dn, new Modification(ModificationType.REPLACE, "l", PHANTOM));
        modify.addControl(new TransactionSpecificationRequestControl(begun.getTransactionID()));
        root.modify(modify);
      }
      root.processExtendedOperation(
          new EndTransactionExtendedRequest(begun.getTransactionID(), true));
    } catch (LDAPException e) {
      assertThat(isDead(people)).as("slapd died at the end of the transaction: %s", e).isTrue();
    }
  }
}
