// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import static io.stoa.net.transport.InvalidConfigException.refuse;
import static io.stoa.net.transport.InvalidConfigException.requirePositive;

import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import java.time.Duration;

/**
 * Configuration of health checks. If neither base nor filter nor expected value is set, any
 * response counts as healthy.
 *
 * <p>Threading: immutable.
 *
 * @param bindDn bind DN of the check; empty for an anonymous check
 * @param passwordFile path of a file that holds only the password; empty if the DN is
 * @param base DN of an entry that the server must have; empty for the root DSE
 * @param filter filter that the entry must match; empty for none
 * @param expect {@code attribute=value} that the entry must have; empty for none
 * @param interval time between checks of a server in use
 * @param mismatch treatment of a server whose contents differ from those of the first server
 */
public record ProbeConfig(
    String bindDn,
    String passwordFile,
    String base,
    String filter,
    String expect,
    Duration interval,
    Mismatch mismatch) {
  /** Defaults: anonymous, every 5 s, any response counts as healthy. */
  public static final ProbeConfig DEFAULTS =
      new ProbeConfig("", "", "", "", "", Duration.ofSeconds(5));

  /** Treatment of a server that holds another directory. */
  public enum Mismatch {
    /** Log a warning. */
    WARN,
    /** Treat the server as down until the contents agree. */
    REFUSE
  }

  /** Creates a configuration that only warns of differing contents. */
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
    refuse(!bindDn.isEmpty() && passwordFile.isEmpty(), "bindDn", " needs ", "passwordFile");
    refuse(bindDn.isEmpty() && !passwordFile.isEmpty(), "passwordFile", " needs ", "bindDn");
    refuse(
        !filter.isEmpty() && !isFilter(filter),
        "filter",
        " '" + filter + "' is not a valid LDAP filter");
    refuse(
        !expect.isEmpty() && expect.indexOf('=') < 1,
        "expect",
        " '" + expect + "' is not of the form ATTRIBUTE=VALUE");
    requirePositive("interval", interval);
  }

  private static boolean isFilter(String text) {
    try {
      Filter.create(text);
      return true;
    } catch (LDAPException e) {
      return false;
    }
  }

  /** True if the check expects more than any response. */
  public boolean expects() {
    return !base.isEmpty() || !filter.isEmpty() || !expect.isEmpty();
  }
}
