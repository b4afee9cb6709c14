// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import java.time.Duration;

/**
 * What servers are asked for signs of life. Immutable.
 *
 * @param bindDn as whom; empty for nobody in particular
 * @param passwordFile path of the file that holds the password and nothing else; empty like the DN
 * @param base the entry that a server must have; empty for the root DSE
 * @param filter what the entry must match; empty if nothing
 * @param expect {@code attribute=value} that the entry must have; empty if none. If nothing is
 *     expected in any of these ways, whatever a server answers is a sign of life
 * @param interval how often one that is used is asked
 * @param mismatch what becomes of a server that does not hold what the first one holds
 */
public record ProbeConfig(
    String bindDn,
    String passwordFile,
    String base,
    String filter,
    String expect,
    Duration interval,
    Mismatch mismatch) {
  /** Any answer is a sign of life. */
  public static final ProbeConfig DEFAULTS =
      new ProbeConfig("", "", "", "", "", Duration.ofSeconds(5));

  /** The treatment of a server whose contents are those of another directory. */
  public enum Mismatch {
    /** A line in the log warns of it. */
    WARN,
    /** The server is down until the contents agree. */
    REFUSE
  }

  /** Probes of servers that are warned of if they differ. */
  public ProbeConfig(
      String bindDn,
      String passwordFile,
      String base,
      String filter,
      String expect,
      Duration interval) {
    this(bindDn, passwordFile, base, filter, expect, interval, Mismatch.WARN);
  }

  public ProbeConfig {
    refuse(!bindDn.isEmpty() && passwordFile.isEmpty(), "bindDn needs passwordFile");
    refuse(bindDn.isEmpty() && !passwordFile.isEmpty(), "passwordFile needs bindDn");
    refuse(!filter.isEmpty() && !isFilter(filter), "filter '" + filter + "' is none");
    refuse(
        !expect.isEmpty() && expect.indexOf('=') < 1,
        "expect '" + expect + "' is not of the form ATTRIBUTE=VALUE");
    refuse(interval.isZero() || interval.isNegative(), "interval must be longer than 0");
  }

  private static boolean isFilter(String text) {
    try {
      Filter.create(text);
      return true;
    } catch (LDAPException e) {
      return false;
    }
  }

  /** Whether more is expected than an answer. */
  public boolean expects() {
    return !base.isEmpty() || !filter.isEmpty() || !expect.isEmpty();
  }

  private static void refuse(boolean broken, String message) {
    if (broken) {
      throw new IllegalArgumentException(message);
    }
  }
}
