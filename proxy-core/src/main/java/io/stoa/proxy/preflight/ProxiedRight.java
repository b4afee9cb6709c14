// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.preflight;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.proxy.preflight.DirectoryConnection.Answer;
import io.stoa.proxy.preflight.DirectoryConnection.Search;
import io.stoa.proxy.preflight.ServerCheck.CheckSettings;
import io.stoa.upstream.auth.ServiceAccount;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the service account may act for a client, by one search with the control of RFC 4370.
 * The client is the configured one, or else the first person that an account of Stoa can find.
 *
 * <p>Threading: confined to one thread that may block.
 */
final class ProxiedRight {
  private static final String CHECK = "proxied authorization";
  private static final String PEOPLE = "(|(objectClass=person)(objectClass=account))";
  private static final int SUBTREE = 2;
  private static final List<String> NO_ATTRIBUTES = List.of("1.1");

  private final CheckSettings settings;
  private final Findings findings;
  private final Opener opener;

  /** Opens another connection to the server. */
  interface Opener {
    DirectoryConnection open() throws IOException;
  }

  ProxiedRight(CheckSettings settings, Findings findings, Opener opener) {
    this.settings = settings;
    this.findings = findings;
    this.opener = opener;
  }

  /** Checks it on a connection that is bound as the service account. */
  void check(DirectoryConnection connection, @Nullable RootDse root, String account)
      throws IOException {
    List<String> contexts = root == null ? List.of() : root.values("namingContexts");
    if (contexts.isEmpty()) {
      findings.skipped(CHECK, "no naming context is known");
      return;
    }
    // 389-ds ends if its Directory Manager uses the control with a wrong name
    if (isSame(account, "cn=Directory Manager")) {
      findings.failed(
          CHECK,
          "389-ds refuses proxied authorization by its Directory Manager",
          "use an ordinary entry as identity.serviceDn, with an aci that allows proxy");
      return;
    }
    String given = settings.actsFor();
    String client = given.isEmpty() ? anyone(connection, contexts) : given;
    if (client == null) {
      findings.note(
          CHECK,
          "supported; the right to act for clients was not tried, because no account found one",
          "name a client: check-config --probe --as DN");
    } else {
      act(connection, contexts.get(0), client, !given.isEmpty());
    }
  }

  private static boolean isSame(String one, String other) {
    try {
      return DN.equals(one, other);
    } catch (LDAPException e) {
      return false;
    }
  }

  private @Nullable String anyone(DirectoryConnection connection, List<String> contexts)
      throws IOException {
    String found = first(connection, contexts);
    ServiceAccount feed = settings.accounts().feed();
    if (found != null || feed == null) {
      return found;
    }
    try (DirectoryConnection reading = opener.open()) {
      return reading.bind(feed).isSuccess() ? first(reading, contexts) : null;
    }
  }

  private @Nullable String first(DirectoryConnection connection, List<String> contexts)
      throws IOException {
    for (String context : contexts) {
      Answer found = connection.search(new Search(context, SUBTREE, PEOPLE, NO_ATTRIBUTES, 1));
      SearchEntry entry = found.entry();
      if (entry != null) {
        return new String(entry.dn(), UTF_8);
      }
    }
    return null;
  }

  private void act(DirectoryConnection connection, String context, String client, boolean named)
      throws IOException {
    byte[] authzId = ("dn:" + client).getBytes(UTF_8);
    Control control = new Control(Oids.PROXIED_AUTHZ_V2, true, authzId);
    Answer answer = connection.search(Search.entry(context, NO_ATTRIBUTES), control);
    boolean allowed =
        answer.code() == ResultCode.SUCCESS_INT_VALUE
            || answer.code() == ResultCode.NO_SUCH_OBJECT_INT_VALUE;
    String remedy =
        "let the account act for clients: authzTo and olcAuthzPolicy in OpenLDAP, an aci that "
            + "allows proxy in 389-ds";
    if (allowed) {
      findings.ok(CHECK, "the service account may act for " + client);
    } else if (named) {
      findings.failed(
          CHECK, "the service account may not act for " + client + ": " + answer.text(), remedy);
    } else {
      findings.warning(
          CHECK,
          "the service account may not act for " + client + ": " + answer.text(),
          remedy + "; try another client with --as DN");
    }
  }
}
