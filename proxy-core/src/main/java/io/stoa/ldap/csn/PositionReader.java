// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.csn;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.SearchEntry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads positions from the attributes in which servers publish them. Values that cannot be parsed
 * are skipped.
 *
 * <p>Threading: stateless.
 */
public final class PositionReader {
  /** OpenLDAP: one CSN for each server ID, in the form of draft-ietf-ldup-model. */
  public static final String CONTEXT_CSN = "contextCSN";

  /** 389-ds: the replica update vector of a replica. */
  public static final String RUV = "nsds50ruv";

  /** Active Directory: the update sequence number (USN) of the domain controller itself. */
  public static final String USN = "highestCommittedUSN";

  /** Active Directory: the name of the domain controller's service object. */
  public static final String SERVICE = "dsServiceName";

  private static final Pattern CSN =
      Pattern.compile("\\d{14}\\.\\d{6}Z#[0-9a-fA-F]{6}#([0-9a-fA-F]{3})#[0-9a-fA-F]{6}");
  private static final Pattern GENERATION =
      Pattern.compile("\\{replicageneration} ([0-9a-fA-F]{20})");
  private static final Pattern REPLICA =
      Pattern.compile("\\{replica (\\d{1,5})[^}]*} ([0-9a-fA-F]{20}) ([0-9a-fA-F]{20})(?: .*)?");
  private static final Pattern NUMBER = Pattern.compile("\\d{1,19}");

  /**
   * Digits to which numbers are padded, so that their order as text is their order in value: 19.
   */
  private static final int DIGITS = 19;

  private PositionReader() {}

  /**
   * Returns the position in one naming context that an entry publishes.
   *
   * @param context name of the naming context; it distinguishes the naming contexts of one server
   * @param entry the protocolOp of a SearchResultEntry
   */
  public static Position of(String context, byte[] entry) {
    try {
      return of(context, SearchEntry.parse(entry));
    } catch (LdapProtocolException e) {
      return Position.NONE;
    }
  }

  /** Returns the position in one naming context that a decoded entry publishes. */
  public static Position of(String context, SearchEntry entry) {
    try {
      Position csn = ofContextCsn(context, texts(entry, CONTEXT_CSN));
      return csn.merge(ofRuv(context, texts(entry, RUV)));
    } catch (LdapProtocolException e) {
      return Position.NONE;
    }
  }

  /** Returns the position that the root DSE of a domain controller publishes. */
  public static Position ofRoot(byte[] root) {
    try {
      SearchEntry parsed = SearchEntry.parse(root);
      return ofUsn(first(texts(parsed, SERVICE)), first(texts(parsed, USN)));
    } catch (LdapProtocolException e) {
      return Position.NONE;
    }
  }

  /**
   * Returns the values of an attribute of an entry as text; empty if the entry cannot be parsed.
   */
  public static List<String> values(byte[] entry, String attribute) {
    try {
      return texts(SearchEntry.parse(entry), attribute);
    } catch (LdapProtocolException e) {
      return List.of();
    }
  }

  static Position ofContextCsn(String context, List<String> values) {
    Map<String, String> marks = new HashMap<>();
    for (String value : values) {
      Matcher csn = CSN.matcher(value);
      if (csn.matches()) {
        marks.put(context + "#" + csn.group(1), value);
      }
    }
    return Position.of(marks);
  }

  /**
   * Returns the position of a replica update vector. The generation is part of each origin, since
   * vectors of different generations cannot be compared.
   */
  static Position ofRuv(String context, List<String> values) {
    String generation = "";
    for (String value : values) {
      Matcher found = GENERATION.matcher(value);
      generation = found.matches() ? found.group(1) : generation;
    }
    Map<String, String> marks = new HashMap<>();
    for (String value : values) {
      Matcher replica = REPLICA.matcher(value);
      if (replica.matches()) {
        String origin = context + "#" + generation + "/" + replica.group(1);
        marks.put(origin, replica.group(3).toLowerCase(Locale.ROOT));
      }
    }
    return Position.of(marks);
  }

  static Position ofUsn(@Nullable String service, @Nullable String number) {
    if (number == null || !NUMBER.matcher(number).matches()) {
      return Position.NONE;
    }
    String mark = "0".repeat(DIGITS - number.length()) + number;
    return Position.of(Map.of(service == null ? "USN" : service, mark));
  }

  private static @Nullable String first(List<String> values) {
    return values.isEmpty() ? null : values.get(0);
  }

  private static List<String> texts(SearchEntry entry, String attribute)
      throws LdapProtocolException {
    List<String> texts = new ArrayList<>();
    for (SearchEntry.AttributeOctets candidate : entry.attributes()) {
      if (attribute.equalsIgnoreCase(new String(candidate.type(), StandardCharsets.UTF_8))) {
        for (byte[] value : candidate.values()) {
          texts.add(new String(value, StandardCharsets.UTF_8));
        }
      }
    }
    return texts;
  }
}
