// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.util.json.JSONException;
import com.unboundid.util.json.JSONObject;
import io.stoa.cli.Environment;
import io.stoa.cli.Stoactl;
import io.stoa.server.admin.auth.PasswordHash;
import io.stoa.testing.Await;
import io.stoa.testing.Leftovers;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Requests;
import io.stoa.testing.Slapd;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A Stoa in front of two slapds, with clients that search and write all the time, and {@code
 * stoactl} in this process. Not thread-safe.
 */
final class StoaUnderLoad implements AutoCloseable {
  static final String PASSWORD = "correct horse";

  private static final String PASSWORD_HASH = PasswordHash.of(PASSWORD.getBytes(UTF_8)).print();
  private static final int PEOPLE = 50;
  private static final int CLIENTS = 8;
  private static final int WRITE_OF = 50;
  private static final long PAUSE_NANOS = 2_000_000;

  private static final String CONFIG =
      """
      upstream:
        servers: ['%s', '%s']
      management: {listen: none}
      cache: {maxAge: 1h}
      writes:
        windows:
          - {name: people, subtree: '%s', every: 100ms}
      admin: {passwordHash: '%s'}
      """;

  private final Path directory = Leftovers.directory("stoactl");
  private final Slapd primary = Slapd.start(People.slapd(PEOPLE));
  private final Slapd replica = Slapd.start(People.slapd(PEOPLE));
  private final StoaProcess stoa;
  private final List<Thread> load = new ArrayList<>();
  private final AtomicLong answered = new AtomicLong();
  private volatile boolean ended;

  /** What a command has printed. */
  record Outcome(int code, String out, String err) {}

  private StoaUnderLoad() {
    stoa =
        StoaProcess.configured(
            CONFIG.formatted(primary.url(), replica.url(), People.PEOPLE, PASSWORD_HASH), uri());
    for (int i = 0; i < CLIENTS; i++) {
      int person = i;
      Thread thread = new Thread(() -> work(person), "load-" + i);
      thread.setDaemon(true);
      thread.start();
      load.add(thread);
    }
    Await.until("clients are answered", () -> answered.get() > 100);
  }

  /** One in front of which clients work, and of which this process is the administrator. */
  static StoaUnderLoad start() {
    return new StoaUnderLoad();
  }

  /** Where its administrator reaches it without a password. */
  String uri() {
    return "ldapi://" + directory.resolve("ldapi").toString().replace("/", "%2F");
  }

  /** Where everybody reaches it. */
  String url() {
    return "ldap://127.0.0.1:" + stoa.address().getPort();
  }

  /** Whoever is disconnected comes again. */
  private void work(int person) {
    while (!ended) {
      try (RawLdapClient client = stoa.client().bind(People.dn(person), People.PASSWORD)) {
        while (!ended) {
          sendRequest(client, person);
        }
      } catch (RuntimeException | AssertionError disconnected) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private void sendRequest(RawLdapClient client, int person) {
    int code =
        ThreadLocalRandom.current().nextInt(WRITE_OF) == 0
            ? client.code(Requests.replace(People.dn(person), "sn", "x" + answered.get()))
            : client.code(People.find(ThreadLocalRandom.current().nextInt(PEOPLE)));
    if (code == 0) {
      answered.incrementAndGet();
    }
    LockSupport.parkNanos(PAUSE_NANOS);
  }

  /** Operations of the load that have succeeded. */
  long answered() {
    return answered.get();
  }

  List<String> backends() {
    return List.of(primary.url(), replica.url());
  }

  StoaProcess process() {
    return stoa;
  }

  // stoactl

  Outcome stoactl(String... arguments) {
    return stoactl(Map.of("STOACTL_URI", uri()), arguments);
  }

  static Outcome stoactl(Map<String, String> variables, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        Stoactl.run(
            new Environment(variables, false),
            new PrintWriter(out, true),
            new PrintWriter(err, true),
            arguments);
    return new Outcome(code, out.toString(), err.toString());
  }

  /** What a command prints that is done. */
  String done(String... arguments) {
    Outcome outcome = stoactl(arguments);
    assertThat(outcome.code()).as(String.join(" ", arguments) + ": " + outcome.err()).isZero();
    assertThat(outcome.err()).isEmpty();
    return outcome.out();
  }

  /** The same in JSON. */
  JSONObject json(String... arguments) {
    String out =
        done(Stream.concat(Stream.of(arguments), Stream.of("--json")).toArray(String[]::new));
    return parse(out);
  }

  static JSONObject parse(String out) {
    assertThat(out.strip().lines()).hasSize(1);
    try {
      return new JSONObject(out);
    } catch (JSONException e) {
      throw new AssertionError(out, e);
    }
  }

  @Override
  public void close() {
    ended = true;
    stoa.close();
    primary.close();
    replica.close();
    Leftovers.delete(directory);
  }
}
