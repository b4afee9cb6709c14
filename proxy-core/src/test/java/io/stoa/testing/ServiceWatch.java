// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.identity.IdentityConfig;
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
    return IdentityConfig.proxied(DN, passwordFile(directory, PASSWORD).toString());
  }

  public static Path passwordFile(Path directory, String password) {
    try {
      return Files.writeString(directory.resolve("service-password"), password + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What came over connections of the service account. */
  public static List<Received> received(ScriptedUpstream upstream) {
    return upstream.received(
        request ->
            request.identity().equals(DN)
                && !request.is(Received.UNBIND)
                && !request.is(Received.ABANDON)
                && !isOwnBind(request));
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
}
