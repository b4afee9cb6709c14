// SPDX-License-Identifier: Apache-2.0
package io.stoa.change;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A change sequence number of OpenLDAP, as entryCSN and contextCSN hold it: time, count, server ID
 * and modification number, in order as text. Immutable.
 */
public record Csn(String text) implements Comparable<Csn> {
  private static final Pattern FORM =
      Pattern.compile("\\d{14}\\.\\d{6}Z#[0-9a-fA-F]{6}#[0-9a-fA-F]{3}#[0-9a-fA-F]{6}");

  private static final int ORIGIN_FROM = 30;
  private static final int ORIGIN_TO = 33;

  public Csn {
    if (!FORM.matcher(text).matches()) {
      throw new IllegalArgumentException("not a change sequence number");
    }
  }

  /** Null for what is none. */
  public static @Nullable Csn parse(byte[] octets) {
    String text = new String(octets, StandardCharsets.ISO_8859_1);
    return FORM.matcher(text).matches() ? new Csn(text) : null;
  }

  /** The ID of the server where the change was made. */
  public String origin() {
    return text.substring(ORIGIN_FROM, ORIGIN_TO);
  }

  /**
   * The position of who has this change of a naming context, and nothing else.
   *
   * @param context as positions name it, {@link PositionReader}
   */
  public Position in(String context) {
    return Position.of(Map.of(context + Position.CONTEXT_END + origin(), text));
  }

  @Override
  public int compareTo(Csn other) {
    return text.compareTo(other.text);
  }
}
