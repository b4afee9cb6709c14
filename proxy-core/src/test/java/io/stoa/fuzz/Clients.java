// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The connections of all identities to one address. Confined to the thread of the test. */
final class Clients implements AutoCloseable {
  private static final int MAX_PAGES = 50;
  private static final int BIND = 0x60;

  private final InetSocketAddress address;
  private final List<Identity> identities;
  private final Map<Integer, RawLdapClient> open = new HashMap<>();

  /** Last bind of a client: repeated where its connection is opened again. */
  private final Map<Integer, RawRequest> binds = new HashMap<>();

  private boolean anonymousAfterRefusal;
  private long sent;

  Clients(InetSocketAddress address, List<Identity> identities) {
    this.address = address;
    this.identities = identities;
  }

  /**
   * Makes each client anonymous after a refused bind, as RFC 4513, section 4, demands: Samba leaves
   * the client its former identity, and Stoa does not.
   */
  void becomeAnonymousAfterRefusedBinds() {
    anonymousAfterRefusal = true;
  }

  /** How many requests were sent until now. */
  long sent() {
    return sent;
  }

  /** The answer to an act; {@link NormalizedResponse#CLOSED} if the connection ended first. */
  List<String> answer(ScriptStep act) {
    RawLdapClient client = open.computeIfAbsent(act.identity(), this::connect);
    try {
      return switch (act.kind()) {
        case WALK -> walk(client, act.request(), act.page());
        case ABANDON -> abandon(client, act.request());
        default -> NormalizedResponse.of(send(act.identity(), client, act.request()));
      };
    } catch (AssertionError | UncheckedIOException e) {
      open.remove(act.identity()).close();
      return NormalizedResponse.CLOSED;
    }
  }

  private List<RawMessage> send(int who, RawLdapClient client, RawRequest request) {
    List<RawMessage> answer = call(client, request);
    if (request.tag() == BIND) {
      boolean refused = RawLdapClient.last(answer).resultCode() != 0;
      binds.put(who, refused ? Requests.anonymousBind() : request);
      if (refused && anonymousAfterRefusal) {
        call(client, Requests.anonymousBind());
      }
    }
    return answer;
  }

  private List<RawMessage> call(RawLdapClient client, RawRequest request) {
    sent++;
    return client.call(request);
  }

  private List<String> abandon(RawLdapClient client, RawRequest request) {
    sent += 2;
    client.send(Requests.abandon(client.send(request)));
    return List.of();
  }

  /**
   * Entries of all pages, in the order of their octets; how many pages have entries; and the last
   * result. Some servers end a walk by a page without entries.
   */
  private List<String> walk(RawLdapClient client, RawRequest request, int size) {
    List<String> entries = new ArrayList<>();
    String result = "";
    ASN1OctetString cookie = null;
    int pages = 0;
    for (int page = 0; page < MAX_PAGES && (page == 0 || cookie != null); page++) {
      Control control = new SimplePagedResultsControl(size, cookie, true);
      List<RawMessage> answer = call(client, request.with(control));
      List<String> told = NormalizedResponse.of(answer);
      entries.addAll(told.subList(0, told.size() - 1));
      pages += told.size() > 1 ? 1 : 0;
      result = told.get(told.size() - 1);
      cookie = cookie(RawLdapClient.last(answer));
    }
    entries.sort(null);
    entries.add(pages + " pages");
    entries.add(result);
    return entries;
  }

  /** The cookie for the next page; null after the last page. */
  private static @Nullable ASN1OctetString cookie(RawMessage done) {
    for (Control control : done.decoded().getControls()) {
      if (control.getOID().equals(SimplePagedResultsControl.PAGED_RESULTS_OID)) {
        try {
          SimplePagedResultsControl page =
              new SimplePagedResultsControl(control.getOID(), false, control.getValue());
          return page.moreResultsToReturn() ? page.getCookie() : null;
        } catch (LDAPException e) {
          return null;
        }
      }
    }
    return null;
  }

  private RawLdapClient connect(int who) {
    RawLdapClient client = RawLdapClient.connect(address);
    RawRequest last = binds.get(who);
    if (last != null) {
      client.call(last);
      return client;
    }
    Identity identity = identities.get(who);
    return identity.dn().isEmpty() ? client : client.bind(identity.dn(), identity.password());
  }

  @Override
  public void close() {
    open.values().forEach(RawLdapClient::close);
    open.clear();
  }
}
