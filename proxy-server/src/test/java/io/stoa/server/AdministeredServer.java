// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import io.stoa.cache.result.CacheStats;
import io.stoa.server.admin.auth.PasswordHash;
import io.stoa.server.reconfigure.RuntimeConfiguration;
import io.stoa.testing.Await;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A Stoa with a configuration file, and its administrator. Not thread-safe. */
final class AdministeredServer implements AutoCloseable {
  static final String CACHES = "cn=Caches,cn=Monitor";
  static final String STOA = "cn=Stoa,cn=Configuration";

  private static final String DN = "cn=admin,cn=configuration";
  private static final String PASSWORD = "correct horse";
  private static final String HASH = PasswordHash.of(PASSWORD.getBytes(UTF_8)).print();

  private final StoaServer server;
  private final RawLdapClient administrator;

  private AdministeredServer(StoaServer server) {
    this.server = server;
    this.administrator = TestServers.rawClient(server).bind(DN, PASSWORD);
  }

  /**
   * Starts one, and waits until it is ready.
   *
   * @param folder where its file is
   * @param more lines of the file; indented ones belong to the section upstream
   */
  static AdministeredServer start(Path folder, String more, int... upstreamPorts) throws Exception {
    return start(folder, "'127.0.0.1:0'", more, upstreamPorts);
  }

  /**
   * Starts one with these listeners.
   *
   * @param listeners the items of {@code listen}, an LDAP listener first
   */
  static AdministeredServer start(Path folder, String listeners, String more, int... upstreamPorts)
      throws Exception {
    String upstreams =
        IntStream.of(upstreamPorts)
            .mapToObj(port -> "'ldap://127.0.0.1:" + port + "'")
            .collect(Collectors.joining(", "));
    Path file =
        Files.writeString(
            folder.resolve("stoa.yaml"),
            """
            listen: [%s]
            management: {listen: none}
            admin: {passwordHash: '%s'}
            %s
            upstream:
              servers: [%s]
            %s
            """
                .formatted(listeners, HASH, TestServers.eventLoops(more), upstreams, more));
    RuntimeConfiguration tuning = RuntimeConfiguration.of(file);
    StoaServer started = StoaServer.start(tuning.config(), tuning);
    Await.until("Stoa is ready", () -> started.proxy().status().ready());
    return new AdministeredServer(started);
  }

  StoaServer server() {
    return server;
  }

  RawLdapClient client() {
    return TestServers.rawClient(server);
  }

  /** Another connection of the administrator; whoever asks for it closes it. */
  RawLdapClient bound() {
    return TestServers.rawClient(server).bind(DN, PASSWORD);
  }

  RawLdapClient administrator() {
    return administrator;
  }

  CacheStats cache() {
    return server.proxy().status().cache();
  }

  /** Has an entry do something; it must be able to. */
  void act(String dn, String action) {
    assertThat(code(dn, action)).as(dn + ": " + action).isZero();
  }

  int code(String dn, String action) {
    return administrator.code(request(dn, action));
  }

  static RawRequest request(String dn, String action) {
    return Requests.modify(dn, new Modification(ModificationType.ADD, "stoaAction", action));
  }

  /** Sets a key of the configuration. */
  void set(String attribute, String... values) {
    assertThat(administrator.code(Requests.replace(STOA, attribute, values)))
        .as(attribute)
        .isZero();
  }

  @Override
  public void close() {
    administrator.close();
    server.close();
  }
}
