// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import io.stoa.ldap.protocol.FilterNode;
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
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp.CompareOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Writes names of entries and filters (RFC 4515) of clients, as far as the log may show them.
 * Values of secret attributes are never shown.
 *
 * <p>Threading: confined to the thread of one log.
 */
final class ValueText {
  /** Part of the names of attributes that hold passwords. */
  private static final String PASSWORD = "passw";

  private static final String ALGORITHM = "HmacSHA256";
  private static final int KEY_OCTETS = 32;

  /** Octets of a hash that are shown: 6, so that equal hashes of other values are rare. */
  private static final int HASH_OCTETS = 6;

  /** Key of the hashes, the same until the process ends. */
  private static final byte[] KEY = key();

  private static final char HIDDEN = '?';

  private final ValueMode mode;
  private final Set<String> secrets;
  private final Mac mac;

  /**
   * Creates the writer.
   *
   * @param secrets attribute types whose values are never shown, in lower case
   */
  ValueText(ValueMode mode, Set<String> secrets) {
    this.mode = mode;
    this.secrets = Set.copyOf(secrets);
    this.mac = mac();
  }

  private static byte[] key() {
    byte[] key = new byte[KEY_OCTETS];
    new SecureRandom().nextBytes(key);
    return key;
  }

  private static Mac mac() {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(KEY, ALGORITHM));
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("each Java has " + ALGORITHM, e);
    }
  }

  /** Appends the name of an entry. */
  void name(LineBuffer line, byte[] name) {
    if (mode == ValueMode.FULL || name.length == 0) {
      line.addEscaped(name);
    } else {
      concealed(line, name);
    }
  }

  private void value(LineBuffer line, boolean secret, byte[] value) {
    if (secret) {
      line.add(HIDDEN);
    } else if (mode == ValueMode.FULL) {
      line.addAssertion(value);
    } else {
      concealed(line, value);
    }
  }

  private void concealed(LineBuffer line, byte[] value) {
    if (mode == ValueMode.NONE) {
      line.add(HIDDEN);
      return;
    }
    String folded = new String(value, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT);
    byte[] hash = mac.doFinal(folded.getBytes(StandardCharsets.UTF_8));
    line.add('#');
    for (int index = 0; index < HASH_OCTETS; index++) {
      line.add(Character.forDigit((hash[index] >> 4) & 15, 16));
      line.add(Character.forDigit(hash[index] & 15, 16));
    }
  }

  /**
   * True if values of the attribute are never shown, whatever its options are. An OID may be that
   * of a secret attribute, and a match without an attribute may concern one. Names that contain
   * {@code passw}, such as sambaNTPassword, are those of passwords.
   */
  boolean isSecret(byte @Nullable [] description) {
    if (description == null || (description.length > 0 && Character.isDigit(description[0]))) {
      return true;
    }
    String text = new String(description, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
    if (text.contains(PASSWORD)) {
      return true;
    }
    int option = text.indexOf(';');
    return secrets.contains(option < 0 ? text : text.substring(0, option));
  }

  /** True if a search or compare asserts a value that is never shown. */
  boolean hasSecret(Request request) {
    return request.op() instanceof CompareOp compare
        ? isSecret(compare.attribute())
        : request.op() instanceof SearchOp search && hasSecret(search.filter());
  }

  private boolean hasSecret(FilterNode node) {
    if (node instanceof And and) {
      return and.members().stream().anyMatch(this::hasSecret);
    } else if (node instanceof Or or) {
      return or.members().stream().anyMatch(this::hasSecret);
    } else if (node instanceof Not not) {
      return hasSecret(not.member());
    } else if (node instanceof Equality item) {
      return isSecret(item.attribute());
    } else if (node instanceof GreaterOrEqual item) {
      return isSecret(item.attribute());
    } else if (node instanceof LessOrEqual item) {
      return isSecret(item.attribute());
    } else if (node instanceof Approximate item) {
      return isSecret(item.attribute());
    } else if (node instanceof Substrings item) {
      return isSecret(item.attribute());
    }
    return node instanceof Extensible item && isSecret(item.attribute());
  }

  /** Appends a filter. */
  void filter(LineBuffer line, FilterNode node) {
    line.add('(');
    if (node instanceof And and) {
      list(line, '&', and.members());
    } else if (node instanceof Or or) {
      list(line, '|', or.members());
    } else if (node instanceof Not not) {
      list(line, '!', List.of(not.member()));
    } else {
      item(line, node);
    }
    line.add(')');
  }

  private void list(LineBuffer line, char operator, List<FilterNode> members) {
    line.add(operator);
    for (FilterNode member : members) {
      filter(line, member);
    }
  }

  private void item(LineBuffer line, FilterNode node) {
    if (node instanceof Equality item) {
      comparison(line, item.attribute(), "=", item.value());
    } else if (node instanceof GreaterOrEqual item) {
      comparison(line, item.attribute(), ">=", item.value());
    } else if (node instanceof LessOrEqual item) {
      comparison(line, item.attribute(), "<=", item.value());
    } else if (node instanceof Approximate item) {
      comparison(line, item.attribute(), "~=", item.value());
    } else if (node instanceof Present item) {
      line.addAssertion(item.attribute()).add("=*");
    } else if (node instanceof Substrings item) {
      substrings(line, item);
    } else if (node instanceof Extensible item) {
      extensible(line, item);
    } else {
      line.add("unknown");
    }
  }

  private void comparison(LineBuffer line, byte[] attribute, String operator, byte[] value) {
    line.addAssertion(attribute).add(operator);
    value(line, isSecret(attribute), value);
  }

  private void substrings(LineBuffer line, Substrings item) {
    boolean secret = isSecret(item.attribute());
    line.addAssertion(item.attribute()).add('=');
    part(line, secret, item.initial());
    line.add('*');
    for (byte[] any : item.any()) {
      part(line, secret, any);
      line.add('*');
    }
    part(line, secret, item.last());
  }

  private void part(LineBuffer line, boolean secret, byte @Nullable [] value) {
    if (value != null) {
      value(line, secret, value);
    }
  }

  private void extensible(LineBuffer line, Extensible item) {
    byte[] attribute = item.attribute();
    byte[] rule = item.rule();
    if (attribute != null) {
      line.addAssertion(attribute);
    }
    if (item.dnAttributes()) {
      line.add(":dn");
    }
    if (rule != null) {
      line.add(':').addAssertion(rule);
    }
    line.add(":=");
    value(line, isSecret(attribute), item.value());
  }
}
