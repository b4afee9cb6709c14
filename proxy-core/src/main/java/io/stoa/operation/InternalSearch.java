// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.netty.buffer.Unpooled;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.RequestDecoder;
import io.stoa.ldap.RequestEncoder;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A base search of Stoa's own, for what it must know of a directory. */
public final class InternalSearch {
  private InternalSearch() {}

  /**
   * Makes the operation that reads one entry.
   *
   * @param dn the entry's DN
   * @param attributes what is asked for
   * @param outcome hears the entry, or null if it could not be read
   */
  public static Operation read(
      InternalSession session,
      RequestDecoder decoder,
      byte[] dn,
      List<String> attributes,
      Consumer<byte @Nullable []> outcome) {
    byte[] request = RequestEncoder.readEntry(dn, attributes);
    try {
      LdapMessage message = LdapMessage.parse(Unpooled.wrappedBuffer(request));
      return new Operation(
          session, message, decoder, System.nanoTime(), op -> new EntrySink(op, outcome));
    } catch (LdapProtocolException e) {
      throw new IllegalStateException("Stoa's own request is malformed", e);
    }
  }
}
