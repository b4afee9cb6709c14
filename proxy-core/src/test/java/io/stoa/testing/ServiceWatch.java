// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import com.unboundid.ldap.protocol.SearchRequestProtocolOp;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.operation.external.ExternalRule;
import io.stoa.upstream.auth.IdentityConfig;
import io.stoa.upstream.auth.IdentityMode;
import io.stoa.upstream.auth.ServiceMechanism;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * A scripted directory that knows proxied authorization, the account as which Stoa binds to it, and
 * the judge of what it received: whatever a client asked over a connection of that account must
 * name the client, critically, before any other control. Stateless.
 */
public final class ServiceWatch {
  public static final String OID = "2.16.840.1.113730.3.4.18";
  public static final String OID_OF_VERSION_1 = "2.16.840.1.113730.3.4.12";
  public static final String DN = "cn=stoa," + People.SUFFIX;
  public static final String PASSWORD = "service password";

  private static final int CONTROLS = 0xa0;
  private static final byte[] QUESTION =
      Tlv.of(Received.EXTENDED, Tlv.of(0x80, utf8("1.3.6.1.4.1.4203.1.11.3")));

  private ServiceWatch() {}

  /** A directory that says that it honours the control. */
  public static ScriptedUpstream upstream() {
    return ScriptedUpstream.start()
        .when(ServiceWatch::isRootDse, Answers.entries(rootDse("supportedControl", OID)));
  }

  /** Whether it is a search for the root DSE. */
  public static boolean isRootDse(Received request) {
    RawMessage message = request.message();
    return request.is(Received.SEARCH)
        && new TlvCursor(message.octets(), message.bodyStart()).enter().content().length == 0;
  }

  /** A root DSE with one attribute more. */
  public static Entry rootDse(String attribute, String value) {
    Entry entry = new Entry("");
    entry.addAttribute("objectClass", "top");
    entry.addAttribute("namingContexts", People.SUFFIX);
    entry.addAttribute("subschemaSubentry", "cn=Subschema");
    entry.addAttribute(attribute, value);
    return entry;
  }

  /** The configuration of proxied mode, with the password in a file below the directory. */
  public static IdentityConfig identity(Path directory) {
    return proxied(DN, passwordFile(directory, PASSWORD).toString());
  }

  /** The same with rules about clients that bind by EXTERNAL. */
  public static IdentityConfig identity(Path directory, String... rules) {
    List<ExternalRule> external = Arrays.stream(rules).map(ExternalRule::parse).toList();
    return Records.with(identity(directory), "external", external);
  }

  /** The configuration in which Stoa binds as the peer that the server sees. */
  public static IdentityConfig byPeer(String... rules) {
    return new IdentityConfig(
        IdentityMode.PROXIED,
        "",
        "",
        ServiceMechanism.EXTERNAL,
        IdentityConfig.DEFAULT_NEVER_PROXIED,
        Arrays.stream(rules).map(ExternalRule::parse).toList());
  }

  /** Lets the account act for clients that read the root DSE and the schema of 389-ds. */
  public static void letActOnRoot(Ds389 server) {
    String aci =
        "(targetattr=\"*\")(version 3.0; acl \"Stoa\"; allow (proxy) userdn=\"ldap:///%s\";)";
    Modification more = new Modification(ModificationType.ADD, "aci", aci.formatted(DN));
    int port = server.address().getPort();
    try (LDAPConnection root =
        new LDAPConnection("127.0.0.1", port, Ds389Config.ROOT, Ds389Config.ROOT_PASSWORD)) {
      root.modify("", more);
      root.modify("cn=schema", more);
    } catch (LDAPException e) {
      throw new AssertionError(e);
    }
  }

  public static Path passwordFile(Path directory, String password) {
    try {
      return Files.writeString(directory.resolve("service-password"), password + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What came over connections of the service account; not what Stoa itself has to say there. */
  public static List<Received> received(ScriptedUpstream upstream) {
    List<Received> all = upstream.received();
    return all.stream()
        .filter(request -> request.identity().equals(DN))
        .filter(request -> !request.is(Received.UNBIND) && !request.is(Received.ABANDON))
        .filter(request -> !isOwnBind(request) && !isOwnQuestion(request, all))
        .toList();
  }

  /**
   * On a connection of its own Stoa asks for the root DSE before it binds, or who its account is,
   * under a messageID that no client gets; and from then on for the root DSE, now and then, how far
   * the server has got, the identifiers of its top entries, and for nothing else.
   */
  private static boolean isOwnQuestion(Received request, List<Received> all) {
    List<Received> there = all.stream().filter(one -> sameConnection(one, request)).toList();
    boolean own = isForRootDse(there.get(0)) || there.stream().anyMatch(ServiceWatch::isWhoAmI);
    return isWhoAmI(request)
        || (own && (isForRootDse(request) || asks(request, "contextCSN") || isForTop(request)));
  }

  private static boolean isForTop(Received request) {
    return asks(request, "entryUUID", "nsUniqueId", "objectGUID", "objectClass");
  }

  private static boolean asks(Received request, String... attributes) {
    return request.is(Received.SEARCH)
        && request
            .message()
            .decoded()
            .getSearchRequestProtocolOp()
            .getAttributes()
            .equals(List.of(attributes));
  }

  private static boolean sameConnection(Received one, Received other) {
    return one.connection() == other.connection();
  }

  private static boolean isWhoAmI(Received request) {
    return request.is(Received.EXTENDED)
        && request.messageId() == Integer.MAX_VALUE
        && Arrays.equals(request.message().body(), QUESTION);
  }

  private static boolean isForRootDse(Received request) {
    if (!request.is(Received.SEARCH)) {
      return false;
    }
    SearchRequestProtocolOp search = request.message().decoded().getSearchRequestProtocolOp();
    return search.getBaseDN().isEmpty() && search.getScope().equals(SearchScope.BASE);
  }

  private static boolean isOwnBind(Received request) {
    return request.is(Received.BIND)
        && request.message().decoded().getBindRequestProtocolOp().getBindDN().equals(DN);
  }

  /**
   * What came over connections of the service account, but not in the name of its client.
   *
   * @param client the DN of the client that sent a request
   */
  public static List<Received> violations(
      ScriptedUpstream upstream, Function<Received, String> client) {
    return received(upstream).stream()
        .filter(request -> !names(request.message(), "dn:" + client.apply(request)))
        .toList();
  }

  /** Abandons that have more in them than Stoa's own: it has no control for them. */
  public static List<Received> strayAbandons(ScriptedUpstream upstream) {
    return upstream.received(
        request ->
            request.identity().equals(DN)
                && request.is(Received.ABANDON)
                && request.message().body().length != request.message().op().length);
  }

  private static boolean names(RawMessage message, String authzId) {
    byte[] control =
        Tlv.of(
            0x30,
            Tlv.of(0x04, utf8(OID)),
            new byte[] {0x01, 0x01, (byte) 0xff},
            Tlv.of(0x04, utf8(authzId)));
    byte[] octets = message.octets();
    TlvCursor controls = new TlvCursor(octets, message.bodyStart()).skip();
    if (controls.atEnd() || controls.tag() != CONTROLS || controls.contentEnd() != octets.length) {
      return false;
    }
    int first = controls.contentStart();
    int end = first + control.length;
    return Arrays.equals(octets, first, Math.min(end, octets.length), control, 0, control.length)
        && !mentionsAnIdentity(Arrays.copyOfRange(octets, end, octets.length));
  }

  private static boolean mentionsAnIdentity(byte[] otherControls) {
    String text = new String(otherControls, StandardCharsets.ISO_8859_1);
    return text.contains(OID) || text.contains(OID_OF_VERSION_1);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Configuration in proxied mode, with a simple bind of the service account. */
  public static IdentityConfig proxied(String serviceDn, String passwordFile) {
    return new IdentityConfig(
        IdentityMode.PROXIED,
        serviceDn,
        passwordFile,
        ServiceMechanism.SIMPLE,
        IdentityConfig.DEFAULT_NEVER_PROXIED,
        List.of());
  }
}
