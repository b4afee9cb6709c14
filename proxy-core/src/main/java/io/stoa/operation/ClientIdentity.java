// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * As whom a session acts. Two spellings of one name are two identities, which costs hits and never
 * shows anything to the wrong one. Immutable, but for its credentials.
 */
public final class ClientIdentity {
  /** Clients that did not bind, bound without a password, or failed to bind. */
  public static final ClientIdentity ANONYMOUS =
      new ClientIdentity(Octets.EMPTY, null, Octets.EMPTY);

  /** No name of a simple bind that may succeed begins with it: see {@link #mayBeBound}. */
  private static final byte NUL = 0;

  private static final byte[] SASL = {NUL, 's', 'a', 's', 'l', NUL};
  private static final byte[] FROM = {NUL, 'f', 'r', 'o', 'm', NUL};
  private static final byte[] DN = {'d', 'n', ':'};
  private static final byte[] ADMINISTRATOR = {NUL, 'a', 'd', 'm', 'i', 'n', NUL};
  private static final String EXTERNAL = "EXTERNAL";

  private final Octets name;
  private final @Nullable Credentials credentials;
  private @Nullable Octets authzId;

  private boolean administrator;

  /** Whether it is still to be found out whether the name is a DN, which few ask for. */
  private boolean authzIdOpen;

  private ClientIdentity(Octets name, @Nullable Credentials credentials, @Nullable Octets authzId) {
    this.name = name;
    this.credentials = credentials;
    this.authzId = authzId;
  }

  /** Whoever has bound with a name and a password. */
  public static ClientIdentity simple(byte[] name, @Nullable Credentials credentials) {
    ClientIdentity identity = new ClientIdentity(Octets.of(name), credentials, null);
    identity.authzIdOpen = true;
    return identity;
  }

  /**
   * What the caches keep apart: the name of a simple bind, octet for octet; for a SASL bind octets
   * that no simple bind can have; empty for anonymous clients.
   */
  public Octets name() {
    return name;
  }

  /**
   * What binds as this identity again; null for anonymous clients and after a SASL bind, and where
   * passwords are not kept.
   */
  public @Nullable Credentials credentials() {
    return credentials;
  }

  /**
   * The same as an authorization identity (RFC 4513, section 5.2.1.8), which is what proxied
   * authorization takes: empty for anonymous; null if it is not known.
   */
  public @Nullable Octets authzId() {
    if (authzIdOpen) {
      boolean dn = NormalDn.of(name.array(), ServerProfile.EXACT).isDn();
      authzId = dn ? concat(DN, name.array()) : null;
      authzIdOpen = false;
    }
    return authzId;
  }

  /** The name of its entry; null if the directory does not know it by one. */
  public byte @Nullable [] dn() {
    Octets id = authzId();
    byte[] own = id == null ? new byte[0] : id.array();
    boolean named = own.length > DN.length && begins(own, DN);
    return named ? Arrays.copyOfRange(own, DN.length, own.length) : null;
  }

  /**
   * Whoever has bound by a SASL mechanism, on which a directory may let depend what is to be seen.
   *
   * @param authzId as which the directory knows the client (RFC 4532); empty for anonymous
   */
  public static ClientIdentity sasl(String mechanism, byte[] authzId) {
    byte[] upper = mechanism.toUpperCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8);
    return new ClientIdentity(
        concat(SASL, upper, new byte[] {NUL}, authzId), null, Octets.of(authzId));
  }

  /**
   * The name of the entry of whoever has that {@link #name}; empty for anonymous clients, null if
   * it cannot be told.
   */
  public static byte @Nullable [] dnOf(Octets name) {
    byte[] own = name.array();
    if (begins(own, FROM)) {
      own = Arrays.copyOfRange(own, FROM.length + 1 + own[FROM.length], own.length);
    }
    if (!begins(own, SASL)) {
      return own.length > 0 && own[0] == NUL ? null : own;
    }
    int mechanism = SASL.length;
    while (own[mechanism] != NUL) {
      mechanism++;
    }
    byte[] authzId = Arrays.copyOfRange(own, mechanism + 1, own.length);
    return begins(authzId, DN) ? Arrays.copyOfRange(authzId, DN.length, authzId.length) : null;
  }

  private static boolean begins(byte[] octets, byte[] start) {
    return octets.length >= start.length
        && Arrays.equals(octets, 0, start.length, start, 0, start.length);
  }

  /**
   * The same as the directory sees it that is told the client's address: access rules may depend on
   * that, so two addresses are two identities.
   *
   * @param address null for clients of local sockets, who have none to be told
   */
  public ClientIdentity from(@Nullable InetAddress address) {
    if (address == null) {
      return this;
    }
    byte[] octets = address.getAddress();
    Octets apart = concat(FROM, new byte[] {(byte) octets.length}, octets, name.array());
    return new ClientIdentity(apart, credentials, authzId());
  }

  /**
   * Whoever has proved to Stoa by its connection who it is, and has bound by EXTERNAL. That
   * mechanism is never forwarded, so the directory makes nobody this identity.
   */
  public static ClientIdentity external(Octets authzId) {
    return sasl(EXTERNAL, authzId.array());
  }

  /** Whether Stoa itself knows the client, by its connection, and only Stoa does. */
  public boolean isExternal() {
    return !authzIdOpen && authzId != null && name.equals(sasl(EXTERNAL, authzId.array()).name);
  }

  /**
   * Stoa's own administrator, of whom no directory knows: it is nobody there, and nothing of it
   * goes there.
   */
  public static ClientIdentity administrator(String dn) {
    byte[] octets = dn.getBytes(StandardCharsets.UTF_8);
    ClientIdentity identity =
        new ClientIdentity(concat(ADMINISTRATOR, octets), null, concat(DN, octets));
    identity.administrator = true;
    return identity;
  }

  /** Whether this is Stoa's own administrator. */
  public boolean isAdministrator() {
    return administrator;
  }

  /** The same where its password may not go: nothing can be bound as it there. */
  public ClientIdentity withoutCredentials() {
    return new ClientIdentity(name, null, authzId());
  }

  /** The same with a password of its own, if there is one, which is to be forgotten on its own. */
  public ClientIdentity deputy() {
    Credentials own = credentials == null ? null : credentials.copy();
    return new ClientIdentity(name, own, authzId());
  }

  /** The same without its password, which is zeroed. */
  public ClientIdentity forgetting() {
    if (credentials != null) {
      credentials.release();
    }
    return withoutCredentials();
  }

  /** Whether a simple bind may have the name: it must not be mistaken for one of a SASL bind. */
  public static boolean mayBeBound(byte[] name) {
    return name.length == 0 || name[0] != NUL;
  }

  /** Whether this is the anonymous identity. */
  public boolean anonymous() {
    return name.length() == 0;
  }

  /** Whether further connections can act as it: who has bound by SASL has the only one. */
  public boolean bindsAgain() {
    return anonymous() || (credentials != null && credentials.held());
  }

  /** Prints no name: it would reach logs. */
  @Override
  public String toString() {
    return anonymous() ? "anonymous" : "bound identity";
  }

  private static Octets concat(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return Octets.of(all.toByteArray());
  }
}
