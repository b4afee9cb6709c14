// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.InMemoryListenerConfig;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSearchRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryOperationInterceptor;
import com.unboundid.util.LDAPSDKException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The SDK's in-memory directory with people and groups under {@code dc=example,dc=com}: {@code
 * uid=user.N,ou=people} with the password {@code password}, and one group per ten people. It counts
 * the searches that reach it. Thread-safe.
 */
public final class InMemoryDirectory implements AutoCloseable {
  public static final String SUFFIX = "dc=example,dc=com";
  public static final String PEOPLE = "ou=people," + SUFFIX;
  public static final String GROUPS = "ou=groups," + SUFFIX;
  public static final String ROOT_DN = "cn=admin," + SUFFIX;
  public static final String ROOT_PASSWORD = "secret";
  public static final String PASSWORD = "password";
  private static final int GROUP_SIZE = 10;

  private final InMemoryDirectoryServer server;
  private final AtomicLong searches = new AtomicLong();

  private InMemoryDirectory(int people) throws LDAPSDKException {
    InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig(SUFFIX);
    config.addAdditionalBindCredentials(ROOT_DN, ROOT_PASSWORD);
    config.setListenerConfigs(
        new InMemoryListenerConfig("plain", InetAddress.getLoopbackAddress(), 0, null, null, null));
    config.addInMemoryOperationInterceptor(new SearchCount(searches));
    server = new InMemoryDirectoryServer(config);
    load(people);
    server.startListening();
  }

  public static InMemoryDirectory start(int people) {
    try {
      return new InMemoryDirectory(people);
    } catch (LDAPSDKException e) {
      throw new AssertionError("the in-memory directory does not start", e);
    }
  }

  private void load(int people) throws LDAPSDKException {
    server.add("dn: " + SUFFIX, "objectClass: domain", "dc: example");
    server.add("dn: " + PEOPLE, "objectClass: organizationalUnit", "ou: people");
    server.add("dn: " + GROUPS, "objectClass: organizationalUnit", "ou: groups");
    for (int i = 0; i < people; i++) {
      addPerson(i);
    }
    for (int i = 0; i < people; i += GROUP_SIZE) {
      addGroup(i / GROUP_SIZE, i, Math.min(people, i + GROUP_SIZE));
    }
  }

  private void addPerson(int number) throws LDAPSDKException {
    server.add(
        "dn: " + person(number),
        "objectClass: inetOrgPerson",
        "uid: user." + number,
        "cn: User " + number,
        "sn: Number" + number,
        "mail: user." + number + "@example.com",
        "userPassword: " + PASSWORD);
  }

  private void addGroup(int number, int first, int end) throws LDAPSDKException {
    StringBuilder ldif = new StringBuilder();
    ldif.append(String.format(Locale.ROOT, "dn: cn=group.%d,%s\n", number, GROUPS));
    ldif.append("objectClass: groupOfNames\ncn: group.").append(number).append('\n');
    for (int i = first; i < end; i++) {
      ldif.append("member: ").append(person(i)).append('\n');
    }
    server.add(ldif.toString().split("\n"));
  }

  public static String person(int number) {
    return "uid=user." + number + "," + PEOPLE;
  }

  public int port() {
    return server.getListenPort();
  }

  public InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port());
  }

  /** Searches that have reached the directory since its start. */
  public long searches() {
    return searches.get();
  }

  /** The directory itself, for what a test does behind the proxy's back. */
  public InMemoryDirectoryServer server() {
    return server;
  }

  @Override
  public void close() {
    server.shutDown(true);
  }

  private static final class SearchCount extends InMemoryOperationInterceptor {
    private final AtomicLong count;

    SearchCount(AtomicLong count) {
      this.count = count;
    }

    @Override
    public void processSearchRequest(InMemoryInterceptedSearchRequest request) {
      count.incrementAndGet();
    }
  }
}
