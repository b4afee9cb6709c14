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
 * The identity of a session. Two spellings of one name are two identities: that costs hits, and
 * never shows a result to the wrong client.
 *
 * <p>Threading: immutable, except for its credentials.
 */
public final class ClientIdentity {
  /** Identity of clients that did not bind, bound without a password, or failed to bind. */
  public static final ClientIdentity ANONYMOUS =
      new ClientIdentity(Octets.EMPTY, null, Octets.EMPTY);

  /** First octet of identities that are not simple bind names: see {@link #mayBeBound}. */
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

  /** True until it is checked whether the name is a DN; few callers need it. */
  private boolean authzIdOpen;

  private ClientIdentity(Octets name, @Nullable Credentials credentials, @Nullable Octets authzId) {
    this.name = name;
    this.credentials = credentials;
    this.authzId = authzId;
  }

  /** Returns the identity of a client that has bound with a name and a password. */
  public static ClientIdentity simple(byte[] name, @Nullable Credentials credentials) {
    ClientIdentity identity = new ClientIdentity(Octets.of(name), credentials, null);
    identity.authzIdOpen = true;
    return identity;
  }

  /**
   * Returns the key that separates identities in caches. For a simple bind it is the name, octet
   * for octet. For a SASL bind it is a name that no simple bind can have. For anonymous clients it
   * is empty.
   */
  public Octets name() {
    return name;
  }

  /**
   * Returns the credentials for a rebind. Null for anonymous clients, after a SASL bind, and where
   * passwords are not kept.
   */
  public @Nullable Credentials credentials() {
    return credentials;
  }

  /**
   * Returns the authorization identity (RFC 4513, section 5.2.1.8), as used in proxied
   * authorization. Empty for anonymous clients; null if it is not known.
   */
  public @Nullable Octets authzId() {
    if (authzIdOpen) {
      boolean dn = NormalDn.of(name.array(), ServerProfile.EXACT).isDn();
      authzId = dn ? concat(DN, name.array()) : null;
      authzIdOpen = false;
    }
    return authzId;
  }

  /** Returns the DN of its entry; null if the directory does not know the client by a DN. */
  public byte @Nullable [] dn() {
    Octets id = authzId();
    byte[] value = id == null ? new byte[0] : id.array();
    boolean hasDn = value.length > DN.length && begins(value, DN);
    return hasDn ? Arrays.copyOfRange(value, DN.length, value.length) : null;
  }

  /**
   * Returns the identity of a client that has bound by a SASL mechanism. A directory's access rules
   * may depend on the mechanism.
   *
   * @param authzId authorization identity reported by the directory (RFC 4532); empty for anonymous
   */
  public static ClientIdentity sasl(String mechanism, byte[] authzId) {
    byte[] upper = mechanism.toUpperCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8);
    return new ClientIdentity(
        concat(SASL, upper, new byte[] {NUL}, authzId), null, Octets.of(authzId));
  }

  /**
   * Returns the DN of the client with this {@link #name}; empty for anonymous clients, null if it
   * is not known.
   */
  public static byte @Nullable [] dnOf(Octets name) {
    byte[] value = name.array();
    if (begins(value, FROM)) {
      value = Arrays.copyOfRange(value, FROM.length + 1 + value[FROM.length], value.length);
    }
    if (!begins(value, SASL)) {
      return value.length > 0 && value[0] == NUL ? null : value;
    }
    int mechanism = SASL.length;
    while (value[mechanism] != NUL) {
      mechanism++;
    }
    byte[] authzId = Arrays.copyOfRange(value, mechanism + 1, value.length);
    return begins(authzId, DN) ? Arrays.copyOfRange(authzId, DN.length, authzId.length) : null;
  }

  /**
   * Returns the identity with this {@link #name} as logs show it: its DN, or the authorization
   * identity of a client without one. Empty for anonymous clients.
   */
  public static byte[] labelOf(Octets name) {
    byte[] dn = dnOf(name);
    if (dn != null) {
      return dn;
    }
    byte[] value = name.array();
    if (begins(value, FROM)) {
      value = Arrays.copyOfRange(value, FROM.length + 1 + value[FROM.length], value.length);
    }
    if (begins(value, ADMINISTRATOR)) {
      return Arrays.copyOfRange(value, ADMINISTRATOR.length, value.length);
    }
    int start = value.length;
    while (start > 0 && value[start - 1] != NUL) {
      start--;
    }
    return Arrays.copyOfRange(value, start, value.length);
  }

  private static boolean begins(byte[] octets, byte[] start) {
    return octets.length >= start.length
        && Arrays.equals(octets, 0, start.length, start, 0, start.length);
  }

  /**
   * Returns the identity for a directory that receives the client's address. Access rules may
   * depend on the address, so two addresses are two identities.
   *
   * @param address address of the client; null for clients of local sockets
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
   * Returns the identity of a client that has bound by EXTERNAL, on the evidence of its connection
   * to Stoa. The mechanism is never forwarded, so no directory assigns this identity.
   */
  public static ClientIdentity external(Octets authzId) {
    return sasl(EXTERNAL, authzId.array());
  }

  /** True if the client was authenticated by its connection to Stoa, and by no directory. */
  public boolean isExternal() {
    return !authzIdOpen && authzId != null && name.equals(sasl(EXTERNAL, authzId.array()).name);
  }

  /**
   * Returns the identity of Stoa's own administrator. The directories do not know it, and its
   * requests are not sent there.
   */
  public static ClientIdentity administrator(String dn) {
    byte[] octets = dn.getBytes(StandardCharsets.UTF_8);
    ClientIdentity identity =
        new ClientIdentity(concat(ADMINISTRATOR, octets), null, concat(DN, octets));
    identity.administrator = true;
    return identity;
  }

  /** True for the identity of Stoa's own administrator. */
  public boolean isAdministrator() {
    return administrator;
  }

  /**
   * Returns the identity for servers where the password must not go: no rebind is possible there.
   */
  public ClientIdentity withoutCredentials() {
    return new ClientIdentity(name, null, authzId());
  }

  /** Returns the identity with a copy of the credentials, which is released independently. */
  public ClientIdentity withCopiedCredentials() {
    Credentials copy = credentials == null ? null : credentials.copy();
    return new ClientIdentity(name, copy, authzId());
  }

  /** Zeroes the password, and returns the identity without it. */
  public ClientIdentity wipeCredentials() {
    if (credentials != null) {
      credentials.release();
    }
    return withoutCredentials();
  }

  /** True if a simple bind may have this name, which must not look like that of a SASL bind. */
  public static boolean mayBeBound(byte[] name) {
    return name.length == 0 || name[0] != NUL;
  }

  /** True for the anonymous identity. */
  public boolean isAnonymous() {
    return name.length() == 0;
  }

  /** True if further connections can act as this identity. After a SASL bind there is only one. */
  public boolean canRebind() {
    return isAnonymous() || (credentials != null && credentials.isHeld());
  }

  /** Returns no name, which would otherwise reach the logs. */
  @Override
  public String toString() {
    return isAnonymous() ? "anonymous" : "bound identity";
  }

  private static Octets concat(byte[]... parts) {
    ByteArrayOutputStream octets = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      octets.writeBytes(part);
    }
    return Octets.of(octets.toByteArray());
  }
}
