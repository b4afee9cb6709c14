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
 * Reads a position from the attributes in which servers tell it; what it does not understand is
 * left out. Stateless.
 */
public final class PositionReader {
  /** OpenLDAP: one value for each server ID, draft-ietf-ldup-model's CSN. */
  public static final String CONTEXT_CSN = "contextCSN";

  /** 389-ds: the replica update vector of a replica. */
  public static final String RUV = "nsds50ruv";

  /** Active Directory: what the controller itself has counted. */
  public static final String USN = "highestCommittedUSN";

  /** Active Directory: which controller it is. */
  public static final String SERVICE = "dsServiceName";

  private static final Pattern CSN =
      Pattern.compile("\\d{14}\\.\\d{6}Z#[0-9a-fA-F]{6}#([0-9a-fA-F]{3})#[0-9a-fA-F]{6}");
  private static final Pattern GENERATION =
      Pattern.compile("\\{replicageneration} ([0-9a-fA-F]{20})");
  private static final Pattern REPLICA =
      Pattern.compile("\\{replica (\\d{1,5})[^}]*} ([0-9a-fA-F]{20}) ([0-9a-fA-F]{20})(?: .*)?");
  private static final Pattern NUMBER = Pattern.compile("\\d{1,19}");

  /** So that numbers are in order as text. */
  private static final int DIGITS = 19;

  private PositionReader() {}

  /**
   * What an entry tells of the position in one naming context.
   *
   * @param context told apart by this, if the server has several
   * @param entry the protocolOp of a SearchResultEntry
   */
  public static Position of(String context, byte[] entry) {
    try {
      SearchEntry parsed = SearchEntry.parse(entry);
      Position csn = ofContextCsn(context, texts(parsed, CONTEXT_CSN));
      return csn.merge(ofRuv(context, texts(parsed, RUV)));
    } catch (LdapProtocolException e) {
      return Position.NONE;
    }
  }

  /** What the root DSE of a domain controller tells. */
  public static Position ofRoot(byte[] root) {
    try {
      SearchEntry parsed = SearchEntry.parse(root);
      return ofUsn(first(texts(parsed, SERVICE)), first(texts(parsed, USN)));
    } catch (LdapProtocolException e) {
      return Position.NONE;
    }
  }

  /** The values of an attribute of an entry, as text; none if it cannot be read. */
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

  /** Vectors of different generations say nothing of each other. */
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
