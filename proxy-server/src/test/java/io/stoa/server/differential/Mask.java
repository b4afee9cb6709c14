// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import io.stoa.testing.RawMessage;
import io.stoa.testing.TlvCursor;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Blanks, in place, what two directories cannot have in common: the {@link VolatileAttributes}
 * attributes, and cookies. Lengths stay as they are, but for {@link Cookies}. Nothing else is
 * touched. Not thread-safe.
 */
final class Mask {
  private static final Set<String> READ_ENTRY = Set.of("1.3.6.1.1.13.1", "1.3.6.1.1.13.2");
  private static final Set<String> WITH_COOKIE =
      Set.of(
          "2.16.840.1.113730.3.4.10", // virtual list view
          "1.3.6.1.4.1.4203.1.9.1.2", // sync state
          "1.3.6.1.4.1.4203.1.9.1.3"); // sync done

  /**
   * Samba names a value that is there twice by its place in an order of its own: in a result, with
   * the lengths before it.
   */
  private static final Pattern VALUE_NUMBER =
      Pattern.compile("(?s)(.).(\\n..\\x04\\x00\\x04).(attribute '[^']*': value #)\\d+( on .*)");

  /** When the data that servers begin with were written, as they have it. */
  private static final String LOADED = "20240101000000Z";

  private static final int SEARCH_ENTRY = 0x64;
  private static final int INTERMEDIATE = 0x79;
  private static final int OCTET_STRING = 0x04;

  private final VolatileAttributes attributes;
  private final Set<String> written = new HashSet<>();
  private int masked;

  Mask(VolatileAttributes attributes) {
    this.attributes = attributes;
  }

  /** From now on what the directory makes up for this entry is masked. */
  void wrote(String dn) {
    written.add(dn.toLowerCase(Locale.ROOT));
  }

  /** Values masked until now. */
  int masked() {
    return masked;
  }

  /** The protocolOp and the controls of a message, masked: octets as text of one character each. */
  String text(RawMessage message) {
    String text = new String(apply(message), StandardCharsets.ISO_8859_1);
    return VALUE_NUMBER.matcher(text).replaceFirst("$1$2$3$4");
  }

  private byte[] apply(RawMessage message) {
    byte[] body = Cookies.shortened(message);
    TlvCursor op = new TlvCursor(body, 0);
    int controls = op.contentEnd();
    if (op.tag() == SEARCH_ENTRY) {
      entry(body, 0);
    } else if (op.tag() == INTERMEDIATE) {
      cookies(body, op.contentStart(), controls);
    }
    if (controls < body.length) {
      controls(body, new TlvCursor(body, controls));
    }
    return body;
  }

  private void controls(byte[] body, TlvCursor list) {
    int end = list.contentEnd();
    TlvCursor control = new TlvCursor(body, list.contentStart());
    for (; control.position() < end; control.skip()) {
      control(body, control.contentStart(), control.contentEnd());
    }
  }

  private void control(byte[] body, int start, int end) {
    TlvCursor part = new TlvCursor(body, start);
    String oid = text(part.content());
    part.skip();
    while (part.position() < end && part.tag() != OCTET_STRING) {
      part.skip();
    }
    if (part.position() >= end) {
      return;
    }
    if (READ_ENTRY.contains(oid)) {
      entry(body, part.contentStart());
    } else if (WITH_COOKIE.contains(oid)) {
      cookies(body, part.contentStart(), part.contentEnd());
    }
  }

  /** Blanks every octet string inside a control's value or a sync info message. */
  private void cookies(byte[] body, int start, int end) {
    TlvCursor part = new TlvCursor(body, start);
    for (; part.position() < end; part.skip()) {
      if ((part.tag() & 0x20) != 0) {
        cookies(body, part.contentStart(), part.contentEnd());
      } else if (part.tag() == OCTET_STRING || (part.tag() & 0xc0) == 0x80) {
        blank(body, part.contentStart(), part.contentEnd());
      }
    }
  }

  private void entry(byte[] body, int position) {
    TlvCursor part = new TlvCursor(body, position).enter();
    boolean ours = written.contains(lower(part.content()));
    part.skip();
    int end = part.contentEnd();
    TlvCursor attribute = new TlvCursor(body, part.contentStart());
    for (; attribute.position() < end; attribute.skip()) {
      attribute(body, attribute.contentStart(), ours);
    }
  }

  private void attribute(byte[] body, int start, boolean ours) {
    TlvCursor part = new TlvCursor(body, start);
    String type = lower(part.content());
    part.skip();
    boolean volatileNow =
        attributes.always().contains(type)
            || (ours && attributes.ofWritten().contains(type))
            || (type.equals("modifytimestamp") && wasModified(body, part.contentStart()));
    if (volatileNow) {
      values(body, part.contentStart(), part.contentEnd());
    }
  }

  /**
   * A plugin may have changed it for the sake of another entry, on each server in its own second.
   */
  private static boolean wasModified(byte[] body, int start) {
    return !text(new TlvCursor(body, start).content()).equals(LOADED);
  }

  private void values(byte[] body, int start, int end) {
    TlvCursor value = new TlvCursor(body, start);
    for (; value.position() < end; value.skip()) {
      blank(body, value.contentStart(), value.contentEnd());
    }
  }

  private void blank(byte[] body, int start, int end) {
    if (start < end) {
      masked++;
      Arrays.fill(body, start, end, (byte) '#');
    }
  }

  private static String lower(byte[] octets) {
    return text(octets).toLowerCase(Locale.ROOT);
  }

  private static String text(byte[] octets) {
    return new String(octets, StandardCharsets.UTF_8);
  }
}
