// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.regex.Pattern;

/**
 * The syntax of assertion values of a matching rule (RFC 4517). Decides if a value is certainly
 * valid or certainly invalid. The patterns are narrower than the RFC: a form that only some
 * directories accept is neither.
 *
 * <p>The syntax of the attribute type is not used, since slapd checks the syntax of the rule.
 *
 * <p>Threading: immutable.
 */
public enum Syntax {
  DIRECTORY_STRING("(?s).+", "(?s).+"),
  IA5_STRING("[ -~]+", "[\\x00-\\x7F]*"),
  INTEGER("0|-?[1-9][0-9]{0,40}", "-?[0-9]+"),
  BOOLEAN("TRUE|FALSE", "(?i:TRUE|FALSE)"),
  DN(Syntax.ANYTHING, Syntax.ANYTHING),
  NAME_AND_OPTIONAL_UID("[^#]*", Syntax.ANYTHING),
  TELEPHONE_NUMBER("[0-9+()/ -]*[0-9][0-9() /-]*", "(?s).+"),
  NUMERIC_STRING("[0-9 ]*[0-9][0-9 ]*", "[0-9 ]*"),
  GENERALIZED_TIME(
      "[12][0-9]{3}(0[1-9]|1[0-2])(0[1-9]|1[0-9]|2[0-8])([01][0-9]|2[0-3])([0-5][0-9]){2}Z",
      "[0-9](?s).*"),
  OCTET_STRING("(?s).+", Syntax.ANYTHING),
  UUID("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", Syntax.ANYTHING);

  private static final String ANYTHING = "(?s).*";

  private final Pattern valid;
  private final Pattern possible;

  Syntax(String valid, String possible) {
    this.valid = Pattern.compile(valid);
    this.possible = Pattern.compile(possible);
  }

  boolean isSurelyValid(byte[] value) {
    return valid.matcher(new String(value, ISO_8859_1)).matches();
  }

  /** True if no directory accepts the value. An assertion of it is then Undefined (RFC 4511). */
  boolean isSurelyInvalid(byte[] value) {
    return !possible.matcher(new String(value, ISO_8859_1)).matches();
  }
}
