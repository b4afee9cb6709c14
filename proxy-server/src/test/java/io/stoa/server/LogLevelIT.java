// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import io.stoa.server.StoaUnderLoad.Outcome;
import io.stoa.server.admin.auth.PasswordHash;
import io.stoa.testing.Await;
import io.stoa.testing.InMemoryDirectory;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Log levels of parts of Stoa change while it runs; no level logs a password. */
class LogLevelIT {
  private static final String WRONG = "wrong-secret";

  @TempDir Path folder;

  private InMemoryDirectory directory;
  private StoaProcess stoa;

  @BeforeEach
  void start() throws Exception {
    directory = InMemoryDirectory.start(5);
    stoa =
        StoaProcess.configured(
            """
            management: {listen: none}
            admin: {passwordHash: '%s'}
            log: {levels: [server=info, io.stoa.server.reconfigure=error, cache=error]}
            upstream: {servers: ['ldap://127.0.0.1:%d']}
            """
                .formatted(PasswordHash.of("x".getBytes(UTF_8)).print(), directory.port()),
            uri());
  }

  @AfterEach
  void stop() {
    stoa.close();
    directory.close();
  }

  private String uri() {
    return "ldapi://" + folder.resolve("ldapi").toString().replace("/", "%2F");
  }

  private Outcome stoactl(String... arguments) {
    return StoaUnderLoad.stoactl(Map.of("STOACTL_URI", uri()), arguments);
  }

  private String done(String... arguments) {
    Outcome outcome = stoactl(arguments);
    assertThat(outcome.code()).as(outcome.err()).isZero();
    return outcome.out();
  }

  private void awaitLevel(String part, String level, String source) {
    Await.until(
        part + " is " + level,
        () -> pattern(part, level, source).matcher(done("log", "list")).find());
  }

  private static Pattern pattern(String part, String level, String source) {
    return Pattern.compile("(?m)^" + part + " +" + level + " +" + source + "$");
  }

  @Test
  void aLevelIsSetForATimeAndReset() {
    awaitLevel("feed", "warn", "default");
    awaitLevel("cache", "error", "configured");
    done("log", "set", "cache", "debug", "--for", "1h");
    awaitLevel("cache", "debug", "\\d{14}Z");
    done("log", "set", "io.stoa.feed.syncrepl", "trace");
    awaitLevel("io\\.stoa\\.feed\\.syncrepl", "trace", "set");
    awaitLevel("feed", "warn", "default");
    done("log", "set", "feed", "debug", "--for", "100ms");
    awaitLevel("feed", "warn", "default");
    done("log", "reset");
    awaitLevel("cache", "error", "configured");
    assertThat(done("log", "list")).doesNotContain("syncrepl");
    assertThat(done("log", "list", "--json"))
        .contains("{\"part\":\"cache\",\"level\":\"error\",\"source\":\"configured\"}");
    assertThat(done("complete", "parts")).contains("cache\n", "upstream\n");
  }

  @Test
  void theLogHasTheLinesOfItsLevels() {
    done("config", "set", "cache.maxAge", "2m");
    done("log", "set", "server", "error");
    done("cache", "flush", "--all");
    done("log", "reset");
    done("config", "set", "log.levels", "server=info");
    done("cache", "flush", "--all");
    Await.until("the second flush", () -> stoa.log().contains("dropped (by the administrator"));
    assertThat(stoa.log().split("dropped \\(by the administrator", -1)).hasSize(2);
    assertThat(stoa.log()).doesNotContain("cache.maxAge is 2m");
    done("config", "set", "cache.maxAge", "3m");
    Await.until("the change", () -> stoa.log().contains("cache.maxAge is 3m"));
  }

  @Test
  void anUnknownPartIsRefusedWithTheParts() {
    Outcome unknown = stoactl("log", "set", "feeds", "debug");
    assertThat(unknown.code()).isEqualTo(1);
    assertThat(unknown.err()).contains("'feeds' is not a part of Stoa; the parts are cache, ");
    assertThat(stoactl("log", "set", "io.netty", "debug").code()).isEqualTo(1);
    assertThat(stoactl("log", "set", "feed", "loud").err())
        .contains("'loud' is not a level; the levels are error, warn, info, debug, trace");
    assertThat(stoactl("log", "set", "feed", "debug", "--for", "25h").err()).contains("24h");
    assertThat(stoactl("config", "set", "log.levels", "feed=debug", "io.stoa.feed=info").err())
        .contains("two levels for one part");
  }

  @Test
  void noLevelLogsAPassword() {
    done("log", "set", "io.stoa", "trace");
    try (RawLdapClient client = stoa.client()) {
      assertThat(client.code(Requests.bind(InMemoryDirectory.person(1), WRONG))).isEqualTo(49);
      client.bind(InMemoryDirectory.ROOT_DN, InMemoryDirectory.ROOT_PASSWORD);
      String change = InMemoryDirectory.person(2);
      assertThat(client.code(Requests.replace(change, "userPassword", WRONG))).isZero();
      assertThat(client.code(passwordModify(change))).isZero();
      String plain = "\0u:user.1\0" + WRONG;
      assertThat(client.code(Requests.saslBind("PLAIN", plain))).isPositive();
      assertThat(client.code(Requests.bind("cn=admin,cn=configuration", WRONG))).isEqualTo(49);
    }
    try (RawLdapClient broken = stoa.client()) {
      broken.sendOctets(("X" + WRONG).getBytes(UTF_8));
      assertThat(broken.closesWithin(Duration.ofSeconds(20))).isTrue();
    }
    done("log", "reset");
    Await.until("the reset is logged", () -> stoa.log().contains("log reset"));
    assertThat(stoa.log()).doesNotContain(WRONG);
  }

  /** Returns a Password Modify request (RFC 3062) with the wrong password as old and new. */
  private static RawRequest passwordModify(String dn) {
    ASN1OctetString request = new PasswordModifyExtendedRequest(dn, WRONG, WRONG).getValue();
    return Requests.extended(
        PasswordModifyExtendedRequest.PASSWORD_MODIFY_REQUEST_OID, request.getValue());
  }
}
