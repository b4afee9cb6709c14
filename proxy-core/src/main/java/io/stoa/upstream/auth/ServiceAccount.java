// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.auth;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.stoa.ldap.protocol.BerReader;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.OpType;
import io.stoa.net.transport.FailureText;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.PasswordFile;
import io.stoa.operation.WhoAmI;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The account with which Stoa itself binds. The password is held outside the heap, and zeroed at
 * the end.
 *
 * <p>Threading: thread-safe.
 */
public final class ServiceAccount implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceAccount.class);
  private static final int VERSION = 3;
  private static final int SIMPLE = 0x80;
  private static final int SASL = 0xA3;

  /** Longest authorization identity accepted from a server: 4,096 octets. */
  private static final int MAX_NAME = 4096;

  /**
   * Maximum number of names remembered: 100. Each server has one, which changes with its
   * configuration.
   */
  private static final int MAX_NAMES = 100;

  private final byte[] dn;
  private final @Nullable PasswordFile file;
  private final boolean needsIdentityCheck;
  private final String purpose;
  private final Set<Octets> names = new CopyOnWriteArraySet<>();
  private @Nullable ByteBuf password;
  private int version;

  private ServiceAccount(
      IdentityConfig config, @Nullable PasswordFile file, @Nullable ByteBuf password) {
    this.dn = utf8(config.serviceDn());
    this.needsIdentityCheck = !config.external().isEmpty();
    this.purpose = "the service account";
    this.file = file;
    this.password = password;
  }

  private ServiceAccount(String dn, PasswordFile file) throws IOException {
    this.dn = utf8(dn);
    this.needsIdentityCheck = false;
    this.purpose = "the probe";
    this.file = file;
    this.password = file.read();
  }

  /**
   * Returns the account of the health checks.
   *
   * @throws IOException if the password cannot be read
   */
  public static ServiceAccount ofProbe(String dn, Path passwordFile) throws IOException {
    return new ServiceAccount(dn, new PasswordFile(passwordFile));
  }

  /** Returns the bind DN; empty with EXTERNAL. */
  public String dn() {
    return new String(dn, StandardCharsets.UTF_8);
  }

  /** Returns the purpose of the account, for messages. */
  public String purpose() {
    return purpose;
  }

  /**
   * Returns the account of a configuration; null in pass-through mode.
   *
   * @throws IOException if the password cannot be read
   */
  public static @Nullable ServiceAccount of(IdentityConfig config) throws IOException {
    if (!config.isProxied()) {
      return null;
    }
    if (config.serviceMechanism() == ServiceMechanism.EXTERNAL) {
      return new ServiceAccount(config, null, null);
    }
    PasswordFile file = new PasswordFile(Path.of(config.servicePasswordFile()));
    return new ServiceAccount(config, file, file.read());
  }

  /** True if servers must be asked for the account's identity, so that no rule yields it. */
  public boolean needsIdentityCheck() {
    return needsIdentityCheck;
  }

  /**
   * Called with a server's response to Who Am I.
   *
   * @param answer the response (RFC 4532)
   * @return true if it names an identity
   */
  public boolean onWhoAmI(ByteBuf answer) {
    byte[] authzId = WhoAmI.authzId(answer);
    boolean valid = authzId != null && authzId.length > 0 && authzId.length <= MAX_NAME;
    if (authzId != null && valid && names.size() < MAX_NAMES) {
      names.add(Octets.of(authzId));
    }
    return valid;
  }

  /**
   * True if a rule gives the client an identity that a server uses for the account itself. Its
   * requests must be rejected.
   */
  public boolean isMistakenFor(ClientIdentity client) {
    Octets authzId = client.authzId();
    return needsIdentityCheck && authzId != null && client.isExternal() && isKnownAs(authzId);
  }

  /** True if a server uses this authorization identity for the account. */
  boolean isKnownAs(Octets authzId) {
    return names.stream().anyMatch(name -> NeverProxied.same(name, authzId));
  }

  /**
   * Returns the protocolOp of the bind in a direct buffer. The caller passes it to {@link #wipe}.
   *
   * @throws IllegalStateException after {@link #close}
   */
  public synchronized ByteBuf bindRequest() {
    if (file == null) {
      return Unpooled.directBuffer().writeBytes(external());
    }
    ByteBuf secret = password;
    if (secret == null) {
      throw new IllegalStateException("the service account is closed");
    }
    byte[] prefix = bindPrefix().toByteArray();
    int content = prefix.length + element(secret.readableBytes());
    ByteBuf request = Unpooled.directBuffer(element(content), element(content));
    BerWriter.writeHeader(request, OpType.BIND_REQUEST.tag(), content);
    request.writeBytes(prefix);
    BerWriter.writeHeader(request, SIMPLE, secret.readableBytes());
    return request.writeBytes(secret, secret.readerIndex(), secret.readableBytes());
  }

  private BerWriter bindPrefix() {
    return new BerWriter().integer(BerReader.INTEGER, VERSION).octets(BerReader.OCTET_STRING, dn);
  }

  /** Returns an EXTERNAL bind with an empty authorization identity (RFC 4422, appendix A). */
  private byte[] external() {
    BerWriter request = new BerWriter();
    int op = request.begin(OpType.BIND_REQUEST.tag());
    request.raw(bindPrefix().toByteArray());
    int sasl = request.begin(SASL);
    request.octets(BerReader.OCTET_STRING, utf8("EXTERNAL"));
    request.octets(BerReader.OCTET_STRING, new byte[0]);
    return request.end(sasl).end(op).toByteArray();
  }

  private static int element(int content) {
    return 1 + BerWriter.lengthSize(content) + content;
  }

  /** Zeroes and releases a bind request. */
  public static void wipe(ByteBuf bindRequest) {
    PasswordFile.wipe(bindRequest);
  }

  /** Returns the version of the password. */
  public synchronized int version() {
    return version;
  }

  /**
   * Called when the password of that version was rejected. Reads the file again unless that was
   * done. Returns true if there is a different password now.
   */
  public synchronized boolean reloadPassword(int refused) {
    ByteBuf current = password;
    if (refused != version || file == null || current == null) {
      return refused != version;
    }
    try {
      ByteBuf newPassword = file.read();
      boolean changed = !ByteBufUtil.equals(current, newPassword);
      PasswordFile.wipe(changed ? current : newPassword);
      password = changed ? newPassword : current;
      version += changed ? 1 : 0;
      return changed;
    } catch (IOException e) {
      LOG.warn(
          "password of {} could not be reloaded; the old one stays in use: {}",
          purpose,
          FailureText.of(e));
      return false;
    }
  }

  /** Zeroes the password. */
  @Override
  public synchronized void close() {
    ByteBuf current = password;
    if (current != null) {
      password = null;
      PasswordFile.wipe(current);
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
