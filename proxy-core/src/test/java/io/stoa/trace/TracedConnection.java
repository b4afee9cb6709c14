// SPDX-License-Identifier: Apache-2.0
package io.stoa.trace;

import com.unboundid.ldap.sdk.Control;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.SearchBuilder;
import java.net.InetSocketAddress;
import java.util.List;
import javax.net.ssl.SSLContext;

/** One connection of a client whose every answer goes into a {@link Trace}. Not thread-safe. */
final class TracedConnection implements AutoCloseable {
  private final Trace trace;
  private final RawLdapClient client;
  private String identity = "";
  private int sent;

  TracedConnection(InetSocketAddress address, Trace trace) {
    this.trace = trace;
    this.client = RawLdapClient.connect(address);
  }

  TracedConnection startTls(SSLContext tls) {
    client.startTls(tls);
    return this;
  }

  TracedConnection bind(String dn, String password, Control... controls) {
    identity = "";
    List<RawMessage> answer = call(Requests.bind(dn, password).with(controls));
    identity = RawLdapClient.last(answer).resultCode() == 0 ? dn : "";
    note("bind " + dn, answer);
    return this;
  }

  /** A read that hits when it is repeated. */
  TracedConnection lookup(int shape, RawRequest request) {
    expectHit(request);
    return always(shape, request);
  }

  private void expectHit(RawRequest request) {
    if (request.tag() == Received.COMPARE) {
      trace.repeatableCompare();
    } else {
      trace.repeatableSearch();
    }
  }

  /** A read that reaches the directory each time. */
  TracedConnection always(int shape, RawRequest request) {
    note(shape, call(request));
    return this;
  }

  private List<RawMessage> call(RawRequest request) {
    TracedRequest question = new TracedRequest(identity, request);
    trace.witness().asks(question);
    long sent = System.nanoTime();
    List<RawMessage> answer = client.call(request);
    trace.witness().answered(question, 0, sent, TracedRequest.text(answer));
    return answer;
  }

  /** The same in a form of its own, such as other length octets. */
  TracedConnection lookup(int shape, byte[] message, int messageId) {
    trace.repeatableSearch();
    client.sendOctets(message);
    note(shape, client.await(messageId));
    return this;
  }

  /** Sends all of them before it reads an answer. */
  TracedConnection pipeline(int shape, List<RawRequest> requests) {
    List<TracedRequest> questions =
        requests.stream().map(r -> new TracedRequest(identity, r)).toList();
    questions.forEach(trace.witness()::asks);
    requests.forEach(this::expectHit);
    long sent = System.nanoTime();
    List<Integer> ids = requests.stream().map(client::send).toList();
    for (int i = 0; i < ids.size(); i++) {
      List<RawMessage> answer = client.await(ids.get(i));
      trace.witness().answered(questions.get(i), 0, sent, TracedRequest.text(answer));
      note(shape, answer);
    }
    return this;
  }

  /** All pages of a result, with the cookies of this connection; the first takes all it needs. */
  TracedConnection pages(int shape, SearchBuilder search, int size) {
    trace.repeatableSearch();
    TracedRequest question = new TracedRequest(identity, search.request(), size);
    trace.witness().asks(question);
    long sent = System.nanoTime();
    List<List<RawMessage>> pages = question.ask(client);
    for (int page = 0; page < pages.size(); page++) {
      trace.witness().answered(question, page, sent, TracedRequest.text(pages.get(page)));
      note(shape, pages.get(page));
    }
    return this;
  }

  private void note(int shape, List<RawMessage> answer) {
    trace.sent(shape);
    note("shape " + shape, answer);
  }

  private void note(String what, List<RawMessage> answer) {
    sent++;
    for (RawMessage message : answer) {
      trace.answered(what + ", request " + sent, TracedRequest.text(message));
    }
  }

  /** Leaves as polite clients do. */
  void unbind(Control... controls) {
    client.send(Requests.unbind().with(controls));
    client.drain();
    client.close();
  }

  @Override
  public void close() {
    client.close();
  }
}
