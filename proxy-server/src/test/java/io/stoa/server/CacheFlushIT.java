// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static io.stoa.testing.InMemoryDirectory.GROUPS;
import static io.stoa.testing.InMemoryDirectory.PEOPLE;
import static io.stoa.testing.InMemoryDirectory.SUFFIX;
import static io.stoa.testing.InMemoryDirectory.person;
import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Answers;
import io.stoa.testing.Held;
import io.stoa.testing.InMemoryDirectory;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.ScriptedUpstream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is flushed by itself is never shown again, and the rest still is. */
class CacheFlushIT {
  private static final String LONG_LIVED = "cache: {maxAge: 1h}";

  @TempDir Path folder;

  /** Requests by what they are about. */
  private static Map<String, RawRequest> requests() {
    Map<String, RawRequest> requests = new LinkedHashMap<>();
    requests.put("entry", search(person(1)).baseScope().attributes("cn").request());
    requests.put(
        "entry of types", search(person(1)).baseScope().justTypes().attributes("cn").request());
    requests.put("sibling", search(person(2)).baseScope().attributes("cn").request());
    requests.put("parent", search(PEOPLE).baseScope().attributes("cn").request());
    requests.put(
        "from the suffix", search(SUFFIX).filter("(uid=user.2)").attributes("cn").request());
    requests.put(
        "among siblings",
        search(PEOPLE).oneLevel().filter("(uid=user.2)").attributes("cn").request());
    requests.put("nothing", search(PEOPLE).filter("(uid=nobody)").attributes("cn").request());
    requests.put("no such entry", search("uid=x," + PEOPLE).baseScope().attributes("cn").request());
    requests.put("groups", search(GROUPS).filter("(cn=group.0)").attributes("cn").request());
    requests.put(
        "by aliases", search(GROUPS).deref(3).filter("(cn=group.0)").attributes("cn").request());
    requests.put("compare", Requests.compare(person(1), "sn", "Number1"));
    requests.put("compare of sibling", Requests.compare(person(2), "sn", "Number2"));
    return requests;
  }

  /** Which of them are answered from memory. */
  private static Set<String> kept(AdministeredServer stoa, RawLdapClient client) {
    Set<String> kept = new TreeSet<>();
    requests()
        .forEach(
            (name, request) -> {
              long before = hits(stoa);
              client.call(request);
              if (hits(stoa) > before) {
                kept.add(name);
              }
            });
    return kept;
  }

  private static long hits(AdministeredServer stoa) {
    return stoa.cache().filterHits() + stoa.cache().compareHits();
  }

  @Test
  void flushingAnEntryDropsOnlyResultsThatMayShowIt() throws Exception {
    try (InMemoryDirectory directory = InMemoryDirectory.start(50);
        AdministeredServer stoa = AdministeredServer.start(folder, LONG_LIVED, directory.port());
        RawLdapClient client = stoa.client()) {
      kept(stoa, client);
      assertThat(kept(stoa, client)).containsExactlyInAnyOrderElementsOf(requests().keySet());
      stoa.act(AdministeredServer.CACHES, "flush entry UID=User.1, ou=PEOPLE," + SUFFIX);
      assertThat(kept(stoa, client))
          .containsExactlyInAnyOrder(
              "sibling", "parent", "no such entry", "groups", "compare of sibling");
      stoa.act(AdministeredServer.CACHES, "flush subtree " + PEOPLE);
      assertThat(kept(stoa, client)).containsExactly("groups");
      stoa.act(AdministeredServer.CACHES, "flush subtree " + GROUPS);
      assertThat(kept(stoa, client))
          .doesNotContain("groups", "by aliases", "from the suffix")
          .contains("entry", "sibling", "parent", "among siblings", "nothing", "compare");
      stoa.act(AdministeredServer.CACHES, "flush");
      assertThat(stoa.cache().filterCurrent()).isZero();
      assertThat(stoa.cache().entryCurrent()).isZero();
      assertThat(kept(stoa, client)).isEmpty();
    }
  }

  @Test
  void flushingAnIdentityDropsOnlyItsResults() throws Exception {
    try (InMemoryDirectory directory = InMemoryDirectory.start(50);
        AdministeredServer stoa = AdministeredServer.start(folder, LONG_LIVED, directory.port());
        RawLdapClient anonymous = stoa.client();
        RawLdapClient one = stoa.client().bind(person(1), InMemoryDirectory.PASSWORD);
        RawLdapClient two = stoa.client().bind(person(2), InMemoryDirectory.PASSWORD)) {
      List<RawLdapClient> all = List.of(anonymous, one, two);
      all.forEach(client -> kept(stoa, client));
      int everything = requests().size();
      stoa.act(AdministeredServer.CACHES, "flush identity UID=user.1,OU=people," + SUFFIX);
      assertThat(kept(stoa, one)).isEmpty();
      assertThat(kept(stoa, two)).hasSize(everything);
      assertThat(kept(stoa, anonymous)).hasSize(everything);
      stoa.act(AdministeredServer.CACHES, "flush identity anonymous");
      assertThat(kept(stoa, anonymous)).isEmpty();
      assertThat(kept(stoa, one)).hasSize(everything);
      stoa.act(AdministeredServer.CACHES, "flush identity");
      assertThat(kept(stoa, anonymous)).isEmpty();
      assertThat(kept(stoa, two)).hasSize(everything);
    }
  }

  /** What was asked for before is not stored afterwards, and nobody waits for it. */
  @Test
  void aSearchInFlightDuringAFlushIsNotStored() throws Exception {
    RawRequest find = search(SUFFIX).filter("(uid=anna)").request();
    for (String action : List.of("flush", "flush entry uid=anna," + SUFFIX, "flush identity")) {
      try (ScriptedUpstream upstream = ScriptedUpstream.start();
          AdministeredServer stoa = AdministeredServer.start(folder, LONG_LIVED, upstream.port());
          RawLdapClient early = stoa.client();
          RawLdapClient late = stoa.client()) {
        upstream.when(
            request -> request.isSearchFor("anna"), Answers.entries(Answers.person("anna", "new")));
        Held held = upstream.hold(request -> request.isSearchFor("anna"));
        int first = early.send(find);
        held.awaitArrival();
        stoa.act(AdministeredServer.CACHES, action);
        assertThat(late.call(find).get(0).mentions("new")).as("does not wait").isTrue();
        held.answer(Answers.entries(Answers.person("anna", "old")));
        assertThat(early.await(first).get(0).mentions("old")).isTrue();
        for (RawLdapClient client : List.of(early, late)) {
          assertThat(client.call(find).get(0).mentions("new")).as(action).isTrue();
        }
      }
    }
  }

  /**
   * The directory changes behind Stoa, and the entry is flushed, while clients read it all the
   * time: whoever asks after the flush sees the change.
   */
  @Test
  void readsAfterAFlushSeeEarlierChanges() throws Exception {
    try (InMemoryDirectory directory = InMemoryDirectory.start(50);
        AdministeredServer stoa = AdministeredServer.start(folder, LONG_LIVED, directory.port());
        RawLdapClient client = stoa.client()) {
      directory
          .server()
          .modify("dn: " + person(1), "changetype: modify", "replace: title", "title: 0");
      AtomicBoolean ended = new AtomicBoolean();
      ExecutorService threads = Executors.newFixedThreadPool(4);
      List<Future<?>> readers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        readers.add(threads.submit(() -> read(stoa, ended)));
      }
      String[] actions = {
        "flush entry " + person(1), "flush subtree " + PEOPLE, "flush identity anonymous", "flush"
      };
      for (int round = 1; round <= 400; round++) {
        directory
            .server()
            .modify("dn: " + person(1), "changetype: modify", "replace: title", "title: " + round);
        stoa.act(AdministeredServer.CACHES, actions[round % actions.length]);
        for (RawRequest request : reads()) {
          assertThat(title(client.call(request))).isEqualTo(round);
        }
      }
      ended.set(true);
      for (Future<?> reader : readers) {
        reader.get();
      }
      threads.shutdownNow();
      assertThat(stoa.cache().filterHits()).isPositive();
    }
  }

  private static List<RawRequest> reads() {
    return List.of(
        search(person(1)).baseScope().attributes("title").request(),
        search(person(1)).baseScope().attributes("title", "sn").request(),
        search(PEOPLE).oneLevel().filter("(uid=user.1)").attributes("title", "cn").request(),
        search(SUFFIX).filter("(uid=user.1)").attributes("title", "mail").request());
  }

  private static void read(AdministeredServer stoa, AtomicBoolean ended) {
    try (RawLdapClient client = stoa.client()) {
      while (!ended.get()) {
        reads().forEach(client::call);
      }
    }
  }

  private static int title(List<RawMessage> answer) {
    return Integer.parseInt(
        answer.get(0).decoded().getSearchResultEntryProtocolOp().getAttributes().stream()
            .filter(attribute -> attribute.getName().equals("title"))
            .findFirst()
            .orElseThrow()
            .getValue());
  }
}
