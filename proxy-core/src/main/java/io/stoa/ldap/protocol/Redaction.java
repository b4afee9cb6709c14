// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import io.stoa.ldap.protocol.FilterNode.And;
import io.stoa.ldap.protocol.FilterNode.Approximate;
import io.stoa.ldap.protocol.FilterNode.Equality;
import io.stoa.ldap.protocol.FilterNode.Extensible;
import io.stoa.ldap.protocol.FilterNode.GreaterOrEqual;
import io.stoa.ldap.protocol.FilterNode.LessOrEqual;
import io.stoa.ldap.protocol.FilterNode.Not;
import io.stoa.ldap.protocol.FilterNode.Or;
import io.stoa.ldap.protocol.FilterNode.Present;
import io.stoa.ldap.protocol.FilterNode.Substrings;
import io.stoa.ldap.protocol.RequestOp.AbandonOp;
import io.stoa.ldap.protocol.RequestOp.AddOp;
import io.stoa.ldap.protocol.RequestOp.BindAuthentication;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.ldap.protocol.RequestOp.CompareOp;
import io.stoa.ldap.protocol.RequestOp.DeleteOp;
import io.stoa.ldap.protocol.RequestOp.ExtendedOp;
import io.stoa.ldap.protocol.RequestOp.ModifyDnOp;
import io.stoa.ldap.protocol.RequestOp.ModifyOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Describes requests for logs. All text about a request is made here.
 *
 * <ol>
 *   <li>Names of entries and attributes are shown.
 *   <li>Each assertion value is replaced with a question mark, for all attributes. A pattern shows
 *       the names of object classes.
 *   <li>Passwords, values of updates and values of controls are omitted.
 *   <li>The text is one line of printable ASCII with a bounded length, for any request.
 * </ol>
 *
 * <p>Threading: stateless.
 */
public final class Redaction {
  private static final int BASE_OBJECT = 0;

  /** Maximum number of attributes of a pattern: 100. */
  private static final int MAX_NAMES = 100;

  private Redaction() {}

  /**
   * Returns a description such as {@code search base="ou=people" scope=sub filter=(uid=?) attrs=3}.
   */
  public static String describe(Request request) {
    SafeText text = new SafeText();
    op(text, request.op());
    for (Control control : request.controls()) {
      if (text.isFull()) {
        break;
      }
      text.add(control.critical() ? " control=!" : " control=").quote(control.oid());
    }
    return text.toString();
  }

  /**
   * Returns what searches that differ only in values have in common, in lower case.
   *
   * <ol>
   *   <li>The RDN value of a base of scope {@code base} is a question mark.
   *   <li>So is each assertion value of the filter, except names of object classes.
   *   <li>Attributes are sorted and named once, at most 100 of them. No list means {@code *}.
   * </ol>
   */
  public static SearchPattern pattern(SearchOp search) {
    SafeText base = new SafeText();
    boolean entry = search.scope() == BASE_OBJECT;
    base.escape(entry ? withoutRdnValue(search.base()) : search.base(), false);
    SafeText filter = new SafeText();
    new FilterText(filter, true).add(search.filter());
    Set<String> names = new TreeSet<>();
    List<byte[]> attributes = search.attributes();
    for (byte[] attribute : attributes.subList(0, Math.min(MAX_NAMES, attributes.size()))) {
      names.add(lower(new SafeText().name(attribute)));
    }
    if (attributes.size() > MAX_NAMES) {
      names.add(SafeText.CUT);
    }
    SafeText list = new SafeText().add(names.isEmpty() ? "*" : String.join(" ", names));
    return new SearchPattern(
        lower(base), search.scope(), lower(filter), list.toString(), search.derefAliases());
  }

  private static String lower(SafeText text) {
    return text.toString().toLowerCase(Locale.ROOT);
  }

  /** Returns a DN with a question mark in place of the value of its first attribute. */
  private static byte[] withoutRdnValue(byte[] dn) {
    int from = 0;
    while (from < dn.length && dn[from] != '=') {
      from++;
    }
    int to = from + 1;
    boolean quoted = false; // RFC 1779, section 2.3
    while (to < dn.length && (quoted || (dn[to] != ',' && dn[to] != ';'))) {
      quoted ^= dn[to] == '"';
      to += dn[to] == '\\' ? 2 : 1;
    }
    if (from >= dn.length) {
      return dn;
    }
    byte[] rest = Arrays.copyOfRange(dn, Math.min(to, dn.length), dn.length);
    ByteArrayOutputStream pattern = new ByteArrayOutputStream(from + 2 + rest.length);
    pattern.write(dn, 0, from + 1);
    pattern.write('?');
    pattern.writeBytes(rest);
    return pattern.toByteArray();
  }

  private static void op(SafeText text, RequestOp op) {
    switch (op.type()) {
      case SEARCH_REQUEST -> search(text, (SearchOp) op);
      case COMPARE_REQUEST -> compare(text, (CompareOp) op);
      case BIND_REQUEST -> bind(text, (BindOp) op);
      case ADD_REQUEST -> text.add("add entry=").quote(((AddOp) op).entry());
      case MODIFY_REQUEST -> text.add("modify entry=").quote(((ModifyOp) op).entry());
      case DELETE_REQUEST -> text.add("delete entry=").quote(((DeleteOp) op).entry());
      case MODIFY_DN_REQUEST -> modifyDn(text, (ModifyDnOp) op);
      case ABANDON_REQUEST -> text.add("abandon id=").add(((AbandonOp) op).id());
      case EXTENDED_REQUEST -> text.add("extended oid=").quote(((ExtendedOp) op).oid());
      default -> text.add("unbind");
    }
  }

  private static void search(SafeText text, SearchOp op) {
    text.add("search base=").quote(op.base()).add(" scope=");
    text.add(SearchPattern.scopeWord(op.scope()));
    text.add(" filter=");
    new FilterText(text, false).add(op.filter());
    text.add(" attrs=").add(op.attributes().size());
  }

  private static void compare(SafeText text, CompareOp op) {
    text.add("compare entry=").quote(op.entry()).add(" assertion=(").name(op.attribute());
    text.add("=?)");
  }

  private static void bind(SafeText text, BindOp op) {
    text.add("bind version=").add(op.version()).add(" name=").quote(op.name());
    String mechanism = op.saslMechanism();
    if (mechanism != null) {
      text.add(" sasl=").quote(mechanism);
    } else {
      text.add(op.authentication() == BindAuthentication.SIMPLE ? " simple" : " other");
    }
  }

  private static void modifyDn(SafeText text, ModifyDnOp op) {
    text.add("modifydn entry=").quote(op.entry()).add(" newrdn=").quote(op.newRdn());
    byte[] newSuperior = op.newSuperior();
    if (newSuperior != null) {
      text.add(" newsuperior=").quote(newSuperior);
    }
  }

  /** Writes a filter in the form of RFC 4515, with a question mark for each assertion value. */
  private static final class FilterText {
    private final SafeText text;
    private final boolean showsClasses;

    /**
     * Creates a writer.
     *
     * @param showsClasses true if names of object classes are shown
     */
    FilterText(SafeText text, boolean showsClasses) {
      this.text = text;
      this.showsClasses = showsClasses;
    }

    void add(FilterNode node) {
      if (text.isFull()) {
        return;
      }
      text.add("(");
      if (node instanceof And and) {
        list("&", and.members());
      } else if (node instanceof Or or) {
        list("|", or.members());
      } else if (node instanceof Not not) {
        list("!", List.of(not.member()));
      } else {
        item(node);
      }
      text.add(")");
    }

    private void list(String operator, List<FilterNode> members) {
      text.add(operator);
      for (FilterNode member : members) {
        add(member);
      }
    }

    private void item(FilterNode node) {
      if (node instanceof Equality item) {
        text.name(item.attribute()).add("=");
        if (showsClasses && RequestScanner.isPartOfShape(item.attribute())) {
          text.name(item.value());
        } else {
          text.add("?");
        }
      } else if (node instanceof GreaterOrEqual item) {
        text.name(item.attribute()).add(">=?");
      } else if (node instanceof LessOrEqual item) {
        text.name(item.attribute()).add("<=?");
      } else if (node instanceof Approximate item) {
        text.name(item.attribute()).add("~=?");
      } else if (node instanceof Present item) {
        text.name(item.attribute()).add("=*");
      } else if (node instanceof Substrings item) {
        substrings(item);
      } else if (node instanceof Extensible item) {
        extensible(item);
      } else {
        text.add("unknown");
      }
    }

    private void substrings(Substrings item) {
      text.name(item.attribute()).add(item.initial() == null ? "=*" : "=?*");
      for (int count = item.any().size(); count > 0 && !text.isFull(); count--) {
        text.add("?*");
      }
      text.add(item.last() == null ? "" : "?");
    }

    private void extensible(Extensible item) {
      optional("", item.attribute());
      text.add(item.dnAttributes() ? ":dn" : "");
      optional(":", item.rule());
      text.add(":=?");
    }

    private void optional(String before, byte @Nullable [] name) {
      if (name != null) {
        text.add(before).name(name);
      }
    }
  }

  /**
   * A text of bounded length that contains octets chosen by peers: one line of printable ASCII.
   * Octets of a peer cannot be mistaken for Stoa's own text.
   */
  private static final class SafeText {
    private static final int MAX_LENGTH = 1000;
    private static final int MAX_ITEM = 250;
    private static final String CUT = "...";
    private static final String NAME_PUNCTUATION = "-._;:";
    private static final char[] HEX = "0123456789abcdef".toCharArray();

    private final StringBuilder text = new StringBuilder(120);

    /** True if further text would be cut off. */
    boolean isFull() {
      return text.length() > MAX_LENGTH;
    }

    /** Appends a text of Stoa. */
    SafeText add(String ours) {
      text.append(ours);
      return this;
    }

    SafeText add(int number) {
      text.append(number);
      return this;
    }

    /** Appends octets in double quotes. */
    SafeText quote(byte[] octets) {
      text.append('"');
      escape(octets, false);
      text.append('"');
      return this;
    }

    /** Appends a text with one octet for each character, in double quotes. */
    SafeText quote(String latin1) {
      return quote(latin1.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Appends an attribute description or a matching rule, without quotes. */
    SafeText name(byte[] octets) {
      escape(octets, true);
      return this;
    }

    @Override
    public String toString() {
      return isFull() ? text.substring(0, MAX_LENGTH) + CUT : text.toString();
    }

    private void escape(byte[] octets, boolean name) {
      int length = Math.min(octets.length, MAX_ITEM);
      for (int index = 0; index < length; index++) {
        escape(octets[index] & 0xFF, name);
      }
      if (length < octets.length) {
        text.append(CUT);
      }
    }

    private void escape(int octet, boolean name) {
      if (name ? isNameOctet(octet) : isPlain(octet)) {
        text.append((char) octet);
      } else {
        text.append('\\').append(HEX[octet >> 4]).append(HEX[octet & 15]);
      }
    }

    private static boolean isPlain(int octet) {
      return octet >= ' ' && octet < 0x7F && octet != '"' && octet != '\\';
    }

    private static boolean isNameOctet(int octet) {
      return (octet >= '0' && octet <= '9')
          || (octet >= 'A' && octet <= 'Z')
          || (octet >= 'a' && octet <= 'z')
          || NAME_PUNCTUATION.indexOf(octet) >= 0;
    }
  }
}
