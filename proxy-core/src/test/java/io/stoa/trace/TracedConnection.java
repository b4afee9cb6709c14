// SPDX-License-Identifier: Apache-2.0
package io.stoa.trace;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.SearchBuilder;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;

/** One connection of a client whose every answer goes into a {@link Trace}. Not thread-safe. */
final class TracedConnection implements AutoCloseable {
  private static final Pattern START =
      Pattern.compile("((?:create|modify)Timestamp1\\x11\\x04\\x0f)\\d{14}Z");

  private final Trace trace;
  private final RawLdapClient client;
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
    note("bind " + dn, client.call(Requests.bind(dn, password).with(controls)));
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
    note(shape, client.call(request));
    return this;
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
    List<Integer> ids = new ArrayList<>();
    for (RawRequest request : requests) {
      expectHit(request);
      ids.add(client.send(request));
    }
    ids.forEach(id -> note(shape, client.await(id)));
    return this;
  }

  /** All pages of a result, with the cookies of this connection; the first takes all it needs. */
  TracedConnection pages(int shape, SearchBuilder search, int size) {
    trace.repeatableSearch();
    ASN1OctetString cookie = null;
    do {
      SimplePagedResultsControl page = new SimplePagedResultsControl(size, cookie, true);
      List<RawMessage> answer = client.call(search.request().with(page));
      note(shape, answer);
      cookie = cookie(RawLdapClient.last(answer));
    } while (cookie != null && cookie.getValueLength() > 0);
    return this;
  }

  private static ASN1OctetString cookie(RawMessage done) {
    SimplePagedResultsControl control = page(done);
    return control == null ? null : control.getCookie();
  }

  private static SimplePagedResultsControl page(RawMessage message) {
    for (Control control : message.decoded().getControls()) {
      if (control.getOID().equals(SimplePagedResultsControl.PAGED_RESULTS_OID)) {
        try {
          return new SimplePagedResultsControl(
              control.getOID(), control.isCritical(), control.getValue());
        } catch (LDAPException e) {
          throw new AssertionError("not a paged results control: " + message, e);
        }
      }
    }
    return null;
  }

  private void note(int shape, List<RawMessage> answer) {
    trace.sent(shape);
    note("shape " + shape, answer);
  }

  private void note(String what, List<RawMessage> answer) {
    sent++;
    for (RawMessage message : answer) {
      trace.answered(what + ", request " + sent, text(message));
    }
  }

  /** All octets but the messageID, and but a cookie, which only its server can read. */
  private static String text(RawMessage message) {
    boolean done = message.opTag() == RawMessage.SEARCH_DONE;
    SimplePagedResultsControl page = done ? page(message) : null;
    if (page == null) {
      return withoutStart(new String(message.body(), ISO_8859_1));
    }
    boolean more = page.getCookie().getValueLength() > 0;
    return new String(message.op(), ISO_8859_1)
        + ", page of "
        + page.getSize()
        + (more ? ", more" : ", the last");
  }

  /** The schema of slapd is as old as its process: that is blanked. */
  private static String withoutStart(String message) {
    boolean schema = message.contains("cn=Subschema");
    return schema ? START.matcher(message).replaceAll("$1") : message;
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
