// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connect;

import io.stoa.upstream.server.ServerAddress;
import java.util.ArrayList;
import java.util.Hashtable;
import java.util.List;
import java.util.Properties;
import javax.naming.Context;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.directory.DirContext;
import javax.naming.directory.InitialDirContext;
import org.jspecify.annotations.Nullable;

/**
 * Queries DNS for the servers of a domain (RFC 2782); blocks until the response arrives.
 *
 * <p>Threading: thread-safe.
 */
public final class ServiceRecords {
  private static final String SRV = "SRV";
  private static final String NOT_OFFERED = ".";

  private final NamesConfig config;

  /** Creates the resolver. */
  public ServiceRecords(NamesConfig config) {
    this.config = config;
  }

  /**
   * One server of a domain.
   *
   * <p>Threading: immutable.
   *
   * @param priority lower values are used first
   * @param weight share of the load among servers of the same priority; 0 is least
   */
  public record Server(ServerAddress address, int priority, int weight) {}

  /**
   * Returns the servers of a domain in the order of the response.
   *
   * @throws NamingException if there is no response, or the domain has no such records
   */
  @SuppressWarnings("BanJNDI") // the DNS provider reads text, and nothing is deserialised
  public List<Server> of(ServerAddress domain) throws NamingException {
    DirContext dns = new InitialDirContext(environment());
    try {
      Attribute records = dns.getAttributes(domain.serviceName(), new String[] {SRV}).get(SRV);
      List<Server> servers = new ArrayList<>();
      for (int index = 0; records != null && index < records.size(); index++) {
        Server server = server(domain, String.valueOf(records.get(index)));
        if (server != null) {
          servers.add(server);
        }
      }
      return servers;
    } finally {
      dns.close();
    }
  }

  @SuppressWarnings("JdkObsolete") // JNDI takes nothing else
  private Hashtable<Object, Object> environment() {
    Properties environment = new Properties();
    String server = config.nameServer();
    environment.put(Context.INITIAL_CONTEXT_FACTORY, "com.sun.jndi.dns.DnsContextFactory");
    environment.put(Context.PROVIDER_URL, server.isEmpty() ? "dns:" : "dns://" + server);
    environment.put("com.sun.jndi.dns.timeout.initial", "1000");
    environment.put("com.sun.jndi.dns.timeout.retries", "3");
    return environment;
  }

  /**
   * Returns the server of a record. Null if the record is malformed or says that the service is not
   * offered.
   */
  private static @Nullable Server server(ServerAddress domain, String record) {
    String[] words = record.trim().split(" ", -1);
    if (words.length != 4 || words[3].equals(NOT_OFFERED)) {
      return null;
    }
    try {
      String host = words[3].replaceAll("\\.$", "");
      int port = Integer.parseInt(words[2]);
      ServerAddress address =
          ServerAddress.parse(new ServerAddress(domain.scheme(), host, port).toString());
      return new Server(address, Integer.parseInt(words[0]), Integer.parseInt(words[1]));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
