// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The directory servers in the order of cn=monitor, and the search for one of them. Threading:
 * confined to one command.
 */
public final class Backends {
  /** Attribute added by stoactl: the server's number in the list. */
  public static final String NUMBER = "stoactl-number";

  private static final String TIERS = "cn=Backend Tiers,cn=Load Balancer,cn=Backends,cn=monitor";
  private static final String SERVERS = "(objectClass=olmBalancerServer)";
  private static final Pattern DIGITS = Pattern.compile("\\d{1,6}");
  private static final Pattern DEFAULT_PORT =
      Pattern.compile("(ldap://.*):389$|(ldaps://.*):636$", Pattern.CASE_INSENSITIVE);

  private Backends() {}

  /** Reads all servers. */
  public static List<EntryValues> read(StoaClient client) throws StoaException {
    return numbered(client.below(TIERS, SERVERS, "*", "+"));
  }

  /** Numbers the servers by their order. */
  static List<EntryValues> numbered(List<EntryValues> servers) {
    List<EntryValues> numbered = new ArrayList<>();
    servers.forEach(
        server -> numbered.add(server.with(NUMBER, Integer.toString(numbered.size() + 1))));
    return numbered;
  }

  /**
   * Returns the server with this URL or number. A part of a URL is not accepted, as it may match
   * another server after a change of the configuration.
   */
  public static EntryValues find(StoaClient client, String name) throws StoaException {
    List<EntryValues> backends = read(client);
    List<EntryValues> found =
        DIGITS.matcher(name).matches()
            ? backends.stream().filter(one -> name.equals(one.text(NUMBER))).toList()
            : backends.stream().filter(one -> isNamed(one, name)).toList();
    if (found.size() == 1) {
      return found.get(0);
    }
    throw StoaException.refused(
        found.isEmpty()
            ? "there is no server " + name + "; the servers are: " + names(backends)
            : name + " occurs in the list " + found.size() + " times: use its number");
  }

  static boolean isNamed(EntryValues server, String url) {
    return normal(url(server)).equals(normal(url));
  }

  /** Returns the URL of a server. */
  public static String url(EntryValues server) {
    return String.valueOf(server.text("olmServerURI"));
  }

  private static String normal(String url) {
    String bare = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    return DEFAULT_PORT.matcher(bare).replaceFirst("$1$2").toLowerCase(Locale.ROOT);
  }

  private static String names(List<EntryValues> backends) {
    return String.join(", ", backends.stream().map(Backends::url).toList());
  }
}
