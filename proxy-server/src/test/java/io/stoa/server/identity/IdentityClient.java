// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.identity;

import static io.stoa.server.identity.Oracle.ANONYMOUS;
import static io.stoa.server.identity.RandomDirectory.IDENTITIES;

import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.Tlv;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * One connection that is many people one after the other: it pipelines queries, binds again as
 * somebody else, sometimes with a wrong password, sometimes in one segment with the queries around
 * the bind. Used by one thread.
 */
final class IdentityClient {
  private static final int MAX_IN_FLIGHT = 40;
  private static final int BIND_ID = 1_000_000;

  private record Sent(int messageId, int query) {}

  private final RawLdapClient client;
  private final List<RawRequest> queries;
  private final Oracle oracle;
  private final Random random;
  private final List<byte[]> outgoing = new ArrayList<>();
  private int identity = ANONYMOUS;
  private int lastId;
  private int checked;

  IdentityClient(RawLdapClient client, World world, Random random) {
    this.client = client;
    this.queries = world.queries();
    this.oracle = world.oracle();
    this.random = random;
  }

  /** Operations whose answers were compared, binds included. */
  int checked() {
    return checked;
  }

  /** Some queries as somebody, then some as somebody else. */
  void round() {
    List<Sent> before = queue(random.nextInt(4));
    int next = random.nextInt(IDENTITIES);
    boolean right = random.nextInt(4) > 0;
    String password = RandomDirectory.password(next) + (right ? "" : "-wrong");
    queue(BIND_ID, Requests.bind(RandomDirectory.person(next), password));
    List<Sent> after = queue(1 + random.nextInt(MAX_IN_FLIGHT));
    flush();
    expectBind(right ? 0 : 49);
    // A directory may drop what was under way when a bind arrives, but answer it as nobody else.
    before.forEach(sent -> check(sent, client.take(sent.messageId()), true));
    identity = right ? next : ANONYMOUS;
    after.forEach(sent -> check(sent, client.await(sent.messageId()), false));
    queriesOfTheSameIdentity();
  }

  private void queriesOfTheSameIdentity() {
    List<Sent> more = queue(random.nextInt(MAX_IN_FLIGHT));
    flush();
    more.forEach(sent -> check(sent, client.await(sent.messageId()), false));
  }

  private List<Sent> queue(int count) {
    List<Sent> sent = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int query = random.nextInt(queries.size());
      sent.add(new Sent(++lastId, query));
      queue(lastId, queries.get(query));
    }
    return sent;
  }

  private void queue(int messageId, RawRequest request) {
    outgoing.add(request.encode(messageId));
  }

  private void flush() {
    client.sendOctets(Tlv.concat(outgoing.toArray(byte[][]::new)));
    outgoing.clear();
  }

  private void expectBind(int code) {
    int answered = RawLdapClient.last(client.await(BIND_ID)).resultCode();
    checked++;
    if (answered != code) {
      throw new AssertionError("a bind was answered " + answered + " instead of " + code);
    }
  }

  private void check(Sent sent, List<RawMessage> answer, boolean mayBeMissing) {
    if (mayBeMissing && (answer.isEmpty() || !RawLdapClient.last(answer).isFinal())) {
      return;
    }
    checked++;
    if (!oracle.agrees(identity, sent.query(), answer)) {
      throw new AssertionError(oracle.explain(identity, sent.query(), answer));
    }
  }
}
