// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

/** Form of the lines of the access log. */
public enum LogFormat {
  /** No access log. */
  NONE("none"),
  /** Lines of slapd's log level {@code stats}. */
  OPENLDAP("openldap"),
  /** Lines of the access log of 389 Directory Server. */
  DS389("389ds"),
  /** A JSON object for each line. */
  JSON("json");

  private final String word;

  LogFormat(String word) {
    this.word = word;
  }

  /** Returns the name in the configuration. */
  public String word() {
    return word;
  }
}
