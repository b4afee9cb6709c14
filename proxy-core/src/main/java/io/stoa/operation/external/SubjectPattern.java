// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.external;

import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.RDN;
import io.stoa.net.peer.Peer;
import io.stoa.net.peer.SubjectName;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Matches subjects of client certificates. The pattern is a DN in which <code>{name}</code> stands
 * for the whole value of an attribute. A {@code *} in front stands for any number of RDNs.
 *
 * <p>A subject is compared RDN by RDN, so a value cannot pass for more than one value.
 *
 * <p>Threading: immutable.
 */
final class SubjectPattern implements PeerPattern {
  /** Name of the whole subject. */
  static final String SUBJECT = "subject";

  private static final String ANY = "*";

  private final boolean open;
  private final RDN[] rdns;
  private final Set<String> names = new LinkedHashSet<>();

  private SubjectPattern(boolean open, RDN[] rdns) {
    this.open = open;
    this.rdns = rdns;
    names.add(SUBJECT);
    for (RDN rdn : rdns) {
      addNames(rdn);
    }
  }

  /**
   * Parses a pattern.
   *
   * @throws IllegalArgumentException if the text is malformed
   */
  static SubjectPattern parse(String text) {
    boolean open = text.equals(ANY) || text.startsWith(ANY + ",");
    String rest = open ? text.substring(Math.min(text.length(), 2)) : text;
    if (rest.isBlank() && !text.equals(ANY)) {
      throw new IllegalArgumentException("'" + text + "' is not a certificate subject");
    }
    return new SubjectPattern(open, rest.isEmpty() ? new RDN[0] : written(rest));
  }

  private static RDN[] written(String text) {
    try {
      return new DN(SubjectName.parse(text)).getRDNs();
    } catch (LDAPException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a certificate subject (RFC 4514)", e);
    }
  }

  private void addNames(RDN rdn) {
    for (String value : rdn.getAttributeValues()) {
      String name = Placeholders.nameOf(value);
      if (name == null ? Placeholders.mayHave(value) : rdn.isMultiValued() || !names.add(name)) {
        throw new IllegalArgumentException(
            "'" + value + "' must be the only value of its RDN, and occur only once");
      }
    }
  }

  @Override
  public Set<String> names() {
    return names;
  }

  @Override
  public @Nullable Map<String, String> match(Peer peer) {
    String subject = peer.subject();
    RDN[] subjectRdns = subject == null ? new RDN[0] : shown(subject);
    int extra = subjectRdns.length - rdns.length;
    if (subjectRdns.length == 0 || extra < 0 || (extra > 0 && !open)) {
      return null;
    }
    Map<String, String> values = new HashMap<>(Map.of(SUBJECT, String.valueOf(subject)));
    for (int i = 0; i < rdns.length; i++) {
      if (!matches(rdns[i], subjectRdns[extra + i], values)) {
        return null;
      }
    }
    return values;
  }

  private static boolean matches(RDN pattern, RDN rdn, Map<String, String> values) {
    String name = Placeholders.nameOf(pattern.getAttributeValues()[0]);
    if (name == null) {
      return pattern.equals(rdn);
    }
    values.put(name, rdn.getAttributeValues()[0]);
    return !rdn.isMultiValued()
        && rdn.getAttributeNames()[0].equalsIgnoreCase(pattern.getAttributeNames()[0]);
  }

  /**
   * Returns the RDNs of a subject; none if it has a value that a directory might truncate or
   * misread.
   */
  private static RDN[] shown(String subject) {
    try {
      RDN[] shown = new DN(subject).getRDNs();
      boolean clean =
          Arrays.stream(shown)
              .flatMap(rdn -> Stream.of(rdn.getAttributeValues()))
              .allMatch(Placeholders::isClean);
      return clean ? shown : new RDN[0];
    } catch (LDAPException e) {
      return new RDN[0];
    }
  }
}
