// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Formats of times. */
public enum TimeForm {
  /** GeneralizedTime (RFC 4517, section 3.3.13), as in 389 Directory Server. */
  GENERALIZED("uuuuMMddHHmmss'Z'"),
  /** The format of IBM Directory Server. */
  IBM("uuuu-MM-dd HH:mm:ss 'GMT'");

  private final DateTimeFormatter formatter;

  TimeForm(String pattern) {
    formatter = DateTimeFormatter.ofPattern(pattern, Locale.ROOT).withZone(ZoneOffset.UTC);
  }

  String print(Instant time) {
    return formatter.format(time);
  }
}
