// SPDX-License-Identifier: Apache-2.0
package io.stoa.filter;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A syntax of RFC 4517, as far as it decides whether a value may be asserted at all: narrower than
 * in the RFC, since a form that only some directories take is in doubt. Immutable.
 */
enum Syntax {
  DIRECTORY_STRING("1.3.6.1.4.1.1466.115.121.1.15", "(?s).+", "(?s).+"),
  IA5_STRING("1.3.6.1.4.1.1466.115.121.1.26", "[ -~]+", "[\\x00-\\x7F]*"),
  PRINTABLE_STRING("1.3.6.1.4.1.1466.115.121.1.44", Syntax.PRINTABLE + "+", Syntax.PRINTABLE + "+"),
  COUNTRY_STRING("1.3.6.1.4.1.1466.115.121.1.11", "[A-Za-z]{2}", Syntax.PRINTABLE + "{2}"),
  INTEGER("1.3.6.1.4.1.1466.115.121.1.27", "0|-?[1-9][0-9]{0,40}", "-?[0-9]+"),
  BOOLEAN("1.3.6.1.4.1.1466.115.121.1.7", "TRUE|FALSE", "(?i:TRUE|FALSE)"),
  DN("1.3.6.1.4.1.1466.115.121.1.12", Syntax.ANYTHING, Syntax.ANYTHING),
  NAME_AND_OPTIONAL_UID("1.3.6.1.4.1.1466.115.121.1.34", "[^#]*", Syntax.ANYTHING),
  TELEPHONE_NUMBER("1.3.6.1.4.1.1466.115.121.1.50", "[0-9+()/ -]*[0-9][0-9() /-]*", "(?s).+"),
  NUMERIC_STRING("1.3.6.1.4.1.1466.115.121.1.36", "[0-9 ]*[0-9][0-9 ]*", "[0-9 ]*"),
  GENERALIZED_TIME(
      "1.3.6.1.4.1.1466.115.121.1.24",
      "[12][0-9]{3}(0[1-9]|1[0-2])(0[1-9]|1[0-9]|2[0-8])([01][0-9]|2[0-3])([0-5][0-9]){2}Z",
      "[0-9](?s).*"),
  OCTET_STRING("1.3.6.1.4.1.1466.115.121.1.40", "(?s).+", Syntax.ANYTHING),
  UUID("1.3.6.1.1.16.1", "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", Syntax.ANYTHING);

  private static final String PRINTABLE = "[A-Za-z0-9'()+,./:?= -]";
  private static final String ANYTHING = "(?s).*";
  private static final Map<String, Syntax> BY_OID = new HashMap<>();

  static {
    for (Syntax syntax : values()) {
      BY_OID.put(syntax.oid, syntax);
    }
  }

  private final String oid;
  private final Pattern valid;
  private final Pattern possible;

  Syntax(String oid, String valid, String possible) {
    this.oid = oid;
    this.valid = Pattern.compile(valid);
    this.possible = Pattern.compile(possible);
  }

  static @Nullable Syntax of(@Nullable String oid) {
    return oid == null ? null : BY_OID.get(oid);
  }

  boolean isSurelyValid(byte[] value) {
    return valid.matcher(new String(value, ISO_8859_1)).matches();
  }

  /** Whether no directory takes it: an assertion of it is Undefined in RFC 4511. */
  boolean isSurelyInvalid(byte[] value) {
    return !possible.matcher(new String(value, ISO_8859_1)).matches();
  }
}
