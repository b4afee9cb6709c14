// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

/**
 * A request that a {@link ScriptedUpstream} received: on which of its connections (counted from 1),
 * who that connection was bound as (empty: anonymous), and the exact octets. Immutable.
 */
public record Received(int connection, String identity, RawMessage message) {
  public static final int BIND = 0x60;
  public static final int UNBIND = 0x42;
  public static final int SEARCH = 0x63;
  public static final int MODIFY = 0x66;
  public static final int ADD = 0x68;
  public static final int DELETE = 0x4a;
  public static final int MODIFY_DN = 0x6c;
  public static final int COMPARE = 0x6e;
  public static final int ABANDON = 0x50;
  public static final int EXTENDED = 0x77;

  public int messageId() {
    return message.messageId();
  }

  public boolean is(int opTag) {
    return message.opTag() == opTag;
  }

  /** A search whose octets mention the text: its base, a filter value or an attribute. */
  public boolean isSearchFor(String text) {
    return is(SEARCH) && message.mentions(text);
  }
}
