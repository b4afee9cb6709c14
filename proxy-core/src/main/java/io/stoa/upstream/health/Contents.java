// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.health;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.LDAPException;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import io.stoa.operation.InternalSearch.Found;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The naming contexts of a server with the top entry of each, as far as the health check may read
 * them. Replicas of one directory have the same contexts, and their top entries have the same
 * identifiers.
 *
 * <p>Threading: immutable.
 *
 * @param contexts top entries by the normalized DN of their context; empty if the root DSE names
 *     none or cannot be read
 */
public record Contents(Map<String, Top> contexts) {
  /** Attributes that identify an entry (RFC 4530, 389-ds, Active Directory). */
  public static final List<String> IDENTIFIERS = List.of("entryUUID", "nsUniqueId", "objectGUID");

  private static final int NO_SUCH_OBJECT = 32;
  private static final String LOG_CLASS = "auditcontainer";

  /** Contexts that each server has for itself: logs, configuration, monitor and schema. */
  private static final Set<String> OWN =
      Set.of("cn=accesslog", "cn=changelog", "cn=config", "cn=deltalog", "cn=monitor", "cn=schema");

  public Contents {
    contexts = Map.copyOf(contexts);
  }

  /**
   * The top entry of a naming context.
   *
   * <p>Threading: immutable.
   *
   * @param absent true if the server has answered that the entry does not exist
   * @param ofLog true if the context is the server's log of its own operations
   * @param identifiers readable identifiers by their attribute
   */
  public record Top(boolean absent, boolean ofLog, Map<String, String> identifiers) {
    public Top {
      identifiers = Map.copyOf(identifiers);
    }

    /** Creates the top entry from a search result. */
    public static Top of(Found found) {
      Map<String, List<byte[]>> values = values(found.entry());
      Map<String, String> identifiers = new LinkedHashMap<>();
      for (String name : IDENTIFIERS) {
        values.getOrDefault(name.toLowerCase(Locale.ROOT), List.of()).stream()
            .findFirst()
            .ifPresent(value -> identifiers.put(name, printable(value)));
      }
      boolean log =
          values.getOrDefault("objectclass", List.of()).stream()
              .anyMatch(value -> text(value).equalsIgnoreCase(LOG_CLASS));
      return new Top(found.code() == NO_SUCH_OBJECT, log, identifiers);
    }
  }

  /** Returns the naming contexts of a root DSE, by normalized DN, as the server writes them. */
  public static Map<String, byte[]> contexts(byte @Nullable [] rootDse) {
    Map<String, byte[]> contexts = new LinkedHashMap<>();
    for (byte[] value : values(rootDse).getOrDefault("namingcontexts", List.of())) {
      String name = normalized(text(value));
      if (!name.isEmpty() && !OWN.contains(name)) {
        contexts.put(name, value);
      }
    }
    return contexts;
  }

  /**
   * Returns the first difference from another server, as text; empty if both may hold the same
   * directory. Values that could not be read on one of them are ignored.
   *
   * @param other contents of the reference server
   * @param server address of the reference server
   */
  public String differenceFrom(Contents other, String server) {
    Set<String> mine = ofDirectory();
    Set<String> others = other.ofDirectory();
    if (mine.isEmpty() || others.isEmpty()) {
      return "";
    }
    if (!mine.equals(others)) {
      return "naming contexts differ: " + mine + ", on " + server + ": " + others;
    }
    return mine.stream()
        .map(context -> difference(context, other, server))
        .filter(text -> !text.isEmpty())
        .findFirst()
        .orElse("");
  }

  private Set<String> ofDirectory() {
    Set<String> names = new TreeSet<>();
    contexts.forEach(
        (name, top) -> {
          if (!top.ofLog) {
            names.add(name);
          }
        });
    return names;
  }

  private String difference(String context, Contents other, String server) {
    Top mine = contexts.getOrDefault(context, Top.of(Found.NO_ANSWER));
    Top theirs = other.contexts.getOrDefault(context, Top.of(Found.NO_ANSWER));
    if (mine.absent && !theirs.identifiers.isEmpty()) {
      return "entry " + context + " is missing, but exists on " + server;
    }
    if (theirs.absent && !mine.identifiers.isEmpty()) {
      return "entry " + context + " exists, but is missing on " + server;
    }
    for (Map.Entry<String, String> one : new TreeMap<>(mine.identifiers).entrySet()) {
      String value = theirs.identifiers.getOrDefault(one.getKey(), one.getValue());
      if (!value.equalsIgnoreCase(one.getValue())) {
        return String.format(
            "%s of entry %s differs: %s, on %s: %s",
            one.getKey(), context, one.getValue(), server, value);
      }
    }
    return "";
  }

  private static Map<String, List<byte[]>> values(byte @Nullable [] entry) {
    Map<String, List<byte[]>> values = new LinkedHashMap<>();
    try {
      List<AttributeOctets> attributes =
          entry == null ? List.of() : SearchEntry.parse(entry).attributes();
      for (AttributeOctets one : attributes) {
        values
            .computeIfAbsent(text(one.type()).toLowerCase(Locale.ROOT), none -> new ArrayList<>())
            .addAll(one.values());
      }
    } catch (LdapProtocolException e) {
      values.clear(); // treated like an unreadable entry
    }
    return values;
  }

  private static String normalized(String dn) {
    try {
      return DN.normalize(dn);
    } catch (LDAPException e) {
      return dn.toLowerCase(Locale.ROOT);
    }
  }

  /**
   * Returns the value as text, or in hexadecimal if it is not printable. A GUID is 16 arbitrary
   * octets.
   */
  private static String printable(byte[] value) {
    for (byte octet : value) {
      if (octet < ' ' || octet > '~') {
        return HexFormat.of().formatHex(value);
      }
    }
    return text(value);
  }

  private static String text(byte[] octets) {
    return new String(octets, UTF_8);
  }
}
