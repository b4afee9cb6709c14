// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.connection;

import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.PasswordProvider;
import com.unboundid.ldap.sdk.ResultCode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.stoa.operation.PasswordFile;
import java.io.IOException;
import java.io.NotSerializableException;
import java.io.ObjectOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * The password of one bind, held outside the heap until it is zeroed.
 *
 * <p>The SDK gets a copy on the heap while it encodes the request, and zeroes that copy. A
 * connection of the SDK remembers its last bind, and so this object, which is empty by then.
 *
 * <p>Threading: the thread that binds.
 */
final class HeldPassword extends PasswordProvider implements AutoCloseable {
  private static final long serialVersionUID = 1L;

  private transient @Nullable ByteBuf octets;

  /**
   * Reads the password file.
   *
   * @throws IOException if there is no password; the message is for administrators
   */
  HeldPassword(PasswordFile file) throws IOException {
    this.octets = file.read();
  }

  @Override
  public byte[] getPasswordBytes() throws LDAPException {
    ByteBuf held = octets;
    if (held == null) {
      throw new LDAPException(ResultCode.LOCAL_ERROR, "the password has been used and erased");
    }
    return ByteBufUtil.getBytes(held);
  }

  /** Zeroes the password. */
  @Override
  public void close() {
    ByteBuf held = octets;
    if (held != null) {
      octets = null;
      PasswordFile.wipe(held);
    }
  }

  private void writeObject(ObjectOutputStream out) throws IOException {
    throw new NotSerializableException("a password must not be serialized");
  }
}
