// SPDX-License-Identifier: Apache-2.0
package io.stoa.bench;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.SmallDirectory;

/**
 * Messages of the benchmarks: a search that finds one person by name, and its answer.
 *
 * <p>Threading: stateless.
 */
final class Messages {
  private static final String[] ATTRIBUTES = {"cn", "sn", "ou"};

  private Messages() {}

  /** Returns the search for a person. */
  static RawRequest search(int person) {
    return Requests.search(SmallDirectory.CONTEXT)
        .filter("(cn=user." + person + ")")
        .attributes(ATTRIBUTES)
        .request();
  }

  /** Returns the entry of a person. */
  static RawRequest entry(int person) {
    String name = "user." + person;
    return Responses.entry(
        new Entry(
            "cn=" + name + ",ou=people," + SmallDirectory.CONTEXT,
            new Attribute("cn", name),
            new Attribute("sn", "Surname of " + name),
            new Attribute("ou", "people")));
  }

  /** Returns octets in memory outside of the heap, as a connection receives them. */
  static ByteBuf received(byte[] octets) {
    ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer(octets.length);
    return buffer.writeBytes(octets);
  }

  /** Returns a message of received octets, which stay. */
  static LdapMessage message(ByteBuf octets) {
    try {
      return LdapMessage.parse(octets.retainedSlice());
    } catch (LdapProtocolException e) {
      throw new IllegalStateException(e);
    }
  }
}
