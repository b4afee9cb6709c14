// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Modified;
import io.stoa.feed.event.Change.Receipt;
import io.stoa.feed.event.Change.Renamed;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.protocol.FilterNode;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.Schema;
import io.stoa.ldap.schema.ServerProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Entries, questions and changes of a small directory that exists nowhere, as slapd would tell of
 * them. Stateless.
 */
public final class SmallDirectory {
  public static final String CONTEXT = "dc=x";
  public static final Schema RULES;
  public static final ServerProfile PROFILE;

  private static final List<String> TYPES =
      List.of(
          "( 2.5.4.0 NAME 'objectClass' EQUALITY objectIdentifierMatch"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.38 )",
          "( 2.5.4.41 NAME 'name' EQUALITY caseIgnoreMatch SUBSTR caseIgnoreSubstringsMatch"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )",
          "( 2.5.4.3 NAME 'cn' SUP name )",
          "( 2.5.4.4 NAME 'sn' SUP name )",
          "( 2.5.4.11 NAME 'ou' SUP name )",
          "( 2.5.4.35 NAME 'userPassword' EQUALITY octetStringMatch"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 )",
          "( 0.9.2342.19200300.100.1.25 NAME 'dc' EQUALITY caseIgnoreIA5Match"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 SINGLE-VALUE )",
          "( 2.5.18.9 NAME 'hasSubordinates' EQUALITY booleanMatch"
              + " SYNTAX 1.3.6.1.4.1.1466.115.121.1.7 SINGLE-VALUE NO-USER-MODIFICATION"
              + " USAGE directoryOperation )");

  private static final List<String> CLASSES =
      List.of(
          "( 2.5.6.0 NAME 'top' ABSTRACT MUST objectClass )",
          "( 2.5.6.6 NAME 'person' SUP top STRUCTURAL MUST ( sn $ cn ) )",
          "( 2.5.6.5 NAME 'organizationalUnit' SUP top STRUCTURAL MUST ou )");

  static {
    SearchEntry root =
        entry("", Map.of("objectClass", "OpenLDAProotDSE", "namingContexts", CONTEXT));
    List<byte[]> definitions =
        List.of(
            SearchEntry.encodeAttribute(octets("attributeTypes"), octets(TYPES)),
            SearchEntry.encodeAttribute(octets("objectClasses"), octets(CLASSES)));
    SearchEntry subschema = parse(SearchEntry.encode(octets("cn=Subschema"), definitions));
    PROFILE = ServerProfile.of(root, subschema).ofLocal();
    RULES = PROFILE.evaluationSchema();
  }

  private SmallDirectory() {}

  public static byte[] octets(String text) {
    return text.getBytes(UTF_8);
  }

  private static List<byte[]> octets(List<String> texts) {
    return texts.stream().map(SmallDirectory::octets).toList();
  }

  private static SearchEntry parse(byte[] op) {
    try {
      return SearchEntry.parse(op);
    } catch (LdapProtocolException e) {
      throw new AssertionError(e);
    }
  }

  /** An entry with one value of each attribute. */
  public static SearchEntry entry(String dn, Map<String, String> attributes) {
    List<byte[]> encoded = new ArrayList<>();
    attributes.forEach(
        (type, value) ->
            encoded.add(SearchEntry.encodeAttribute(octets(type), List.of(octets(value)))));
    return parse(SearchEntry.encode(octets(dn), encoded));
  }

  public static NormalDn dn(String text) {
    return NormalDn.of(octets(text), PROFILE);
  }

  public static Uuid uuid(int number) {
    return new Uuid(7, number);
  }

  /** The change with that number, made at the server with the ID 001. */
  public static Csn csn(int number) {
    return csn(number, "001");
  }

  public static Csn csn(int number, String server) {
    return new Csn(
        String.format(Locale.ROOT, "20260101000000.%06dZ#000000#%s#000000", number, server));
  }

  /** Of who has all changes up to that one. */
  public static Position upTo(int number) {
    return csn(number).toPosition(CONTEXT);
  }

  /** A person without anything below. */
  public static Image person(String dn, String sn) {
    return image(
        dn, Map.of("objectClass", "person", "cn", "x", "sn", sn, "hasSubordinates", "FALSE"));
  }

  /** An entry with others below it. */
  public static Image unit(String dn) {
    return image(
        dn, Map.of("objectClass", "organizationalUnit", "ou", "x", "hasSubordinates", "TRUE"));
  }

  public static Image image(String dn, Map<String, String> attributes) {
    return Image.of(entry(dn, attributes), true, PROFILE);
  }

  public static Query query(String base, int scope, String filter) {
    SearchOp op = new SearchOp(octets(base), scope, 0, 0, 0, false, node(filter), List.of());
    return Query.of(op, true, PROFILE);
  }

  private static FilterNode node(String text) {
    try {
      return node(Filter.create(text));
    } catch (LDAPException e) {
      throw new AssertionError(e);
    }
  }

  private static FilterNode node(Filter filter) {
    return switch (filter.getFilterType()) {
      case Filter.FILTER_TYPE_AND -> new FilterNode.And(nodes(filter));
      case Filter.FILTER_TYPE_OR -> new FilterNode.Or(nodes(filter));
      case Filter.FILTER_TYPE_NOT -> new FilterNode.Not(node(filter.getNOTComponent()));
      case Filter.FILTER_TYPE_PRESENCE -> new FilterNode.Present(octets(filter.getAttributeName()));
      case Filter.FILTER_TYPE_EQUALITY ->
          new FilterNode.Equality(
              octets(filter.getAttributeName()), filter.getAssertionValueBytes());
      default -> throw new AssertionError("not needed here: " + filter);
    };
  }

  private static List<FilterNode> nodes(Filter filter) {
    return Stream.of(filter.getComponents()).map(SmallDirectory::node).toList();
  }

  /** What the feed says of a change with a cookie. */
  public static Receipt told(int number) {
    return new Receipt(csn(number), upTo(number), 0, Reporter.FEED);
  }

  /** What is known of a change of which nobody has said that all before it has been told. */
  public static Receipt unmarked(@Nullable Csn csn) {
    return new Receipt(csn, null, 0, Reporter.FEED);
  }

  public static Change modified(int entry, Image image, int number) {
    return new Modified(uuid(entry), image.dn(), image, told(number));
  }

  /** A modification of which it is not told what the entry looks like now. */
  public static Change modified(int entry, String dn, int number) {
    return new Modified(uuid(entry), dn(dn), null, told(number));
  }

  public static Change deleted(int entry, @Nullable String dn, int number) {
    return new Deleted(uuid(entry), dn == null ? null : dn(dn), told(number));
  }

  public static Change renamed(int entry, @Nullable String old, Image image, int number) {
    NormalDn before = old == null ? null : dn(old);
    return new Renamed(uuid(entry), before, image.dn(), false, image, told(number));
  }
}
