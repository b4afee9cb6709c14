// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.util.Locale;

/**
 * LDIF text with operational attributes of its own (identifiers, names and timestamps), so that
 * every server of a kind loaded from it is octet for octet the same directory. Not thread-safe.
 */
public final class Ldif {
  private static final String CREATED = "20240101000000Z";

  private final StringBuilder text = new StringBuilder();
  private final String[] identifiers;
  private int entries;

  private Ldif(String... identifiers) {
    this.identifiers = identifiers;
  }

  /** For slapd. */
  public Ldif() {
    this(
        "entryUUID: 5eed0000-0000-4000-8000-%012x",
        "entryCSN: 20240101000000.%06dZ#000000#000#000000");
  }

  /** For 389-ds. */
  public static Ldif forDs389() {
    return new Ldif(
        "entryUUID: 5eed0000-0000-4000-8000-%012x", "nsUniqueId: 5eed0000-00004000-80000000-%08x");
  }

  /** Adds one entry; each line is {@code attribute: value} as LDIF writes it. */
  public Ldif entry(String dn, String... lines) {
    text.append("dn: ").append(dn).append('\n');
    for (String line : lines) {
      text.append(line).append('\n');
    }
    return operational(++entries);
  }

  private Ldif operational(int number) {
    for (String identifier : identifiers) {
      line(identifier, number);
    }
    line("creatorsName: cn=loader%s", "");
    line("modifiersName: cn=loader%s", "");
    line("createTimestamp: %s", CREATED);
    line("modifyTimestamp: %s", CREATED);
    text.append('\n');
    return this;
  }

  private void line(String format, Object value) {
    text.append(String.format(Locale.ROOT, format, value)).append('\n');
  }

  public int size() {
    return entries;
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
