// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.util.json.JSONArray;
import com.unboundid.util.json.JSONObject;
import com.unboundid.util.json.JSONValue;
import io.stoa.cli.client.StoactlExitCode;
import io.stoa.server.StoaUnderLoad.Outcome;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each command of stoactl, on a Stoa whose clients search and write meanwhile. */
class StoactlIT {
  private static StoaUnderLoad stoa;

  @TempDir Path directory;

  @BeforeAll
  static void start() {
    stoa = StoaUnderLoad.start();
  }

  @AfterAll
  static void stop() {
    stoa.close();
  }

  /** Whatever was done, clients go on to be served. */
  @AfterEach
  void clientsAreServed() {
    long before = stoa.answered();
    Await.until("clients are answered", () -> stoa.answered() > before + 100);
  }

  private static List<JSONObject> list(JSONObject json, String field) {
    return json.getFieldAsArray(field).stream().map(JSONObject.class::cast).toList();
  }

  private static String text(JSONObject json, String field) {
    return json.getFieldAsString(field);
  }

  private static long number(JSONObject json, String field) {
    return Objects.requireNonNull(json.getFieldAsLong(field), () -> field + " in " + json);
  }

  private static List<String> texts(JSONObject json, String field) {
    return json.getFieldAsArray(field).stream()
        .map(value -> value.toString().replace("\"", ""))
        .toList();
  }

  // Status

  @Test
  void status() {
    JSONObject status = stoa.json("status");
    assertThat(text(status, "version")).startsWith("Stoa ");
    assertThat(status.getFieldAsBoolean("ready")).isTrue();
    assertThat(status.getFieldAsBoolean("cacheEnabled")).isTrue();
    assertThat(number(status, "clients")).isGreaterThan(4);
    assertThat(number(status, "operations")).isGreaterThan(100);
    assertThat(list(status, "backends"))
        .extracting(one -> text(one, "url") + " " + text(one, "state"))
        .containsExactlyElementsOf(stoa.backends().stream().map(url -> url + " UP").toList());
    assertThat(list(status, "windows"))
        .extracting(one -> text(one, "name"))
        .containsExactly("people");
    assertThat(stoa.done("status").lines())
        .anyMatch(line -> line.matches("stoa +Stoa .* at ldapi://.*"))
        .anyMatch(line -> line.matches("state +ready"))
        .anyMatch(line -> line.matches("cache +on, .* % hits"))
        .anyMatch(line -> line.matches("window +people (open|sending), \\d+ waiting"));
  }

  @Test
  void top() {
    Outcome lines = stoa.stoactl("top", "--count", "2", "--interval", "0.2");
    assertThat(lines.code()).as(lines.err()).isZero();
    assertThat(lines.out().lines()).hasSize(3).last().asString().contains("%", "2/2");
    Outcome json = stoa.stoactl("top", "--count", "2", "--interval", "0.5", "--json");
    assertThat(json.out().lines()).hasSize(2);
    JSONObject second = StoaUnderLoad.parse(json.out().lines().skip(1).findFirst().orElseThrow());
    assertThat(second.getFieldAsBigDecimal("operationsPerSecond").doubleValue()).isPositive();
    JSONObject search = second.getFieldAsObject("operations").getFieldAsObject("search");
    assertThat(search.getFieldAsBigDecimal("perSecond").doubleValue()).isPositive();
    assertThat(search.getFieldAsBigDecimal("millis").doubleValue()).isBetween(0.0, 10_000.0);
    assertThat(list(second, "backends")).hasSize(2);
    assertDocumented(second);
  }

  // Directory servers

  @Test
  void serversAreDrainedAndResumed() {
    String replica = stoa.backends().get(1);
    assertThat(stoa.done("backends", "list")).contains("number", replica, "UP");
    JSONObject drained = stoa.json("backends", "drain", replica);
    assertThat(text(drained, "target")).isEqualTo(replica);
    assertThat(text(stoa.json("backends", "show", "2"), "state")).isEqualTo("DRAINED");
    assertThat(
            texts(
                stoa.json("config", "get", "upstream.overrides").getFieldAsObject("keys"),
                "upstream.overrides"))
        .singleElement()
        .asString()
        .contains(replica, "drained");
    stoa.done("backends", "resume", replica + "/");
    Await.until(
        "it is used again",
        () -> text(stoa.json("backends", "show", replica), "state").equals("UP"));
    stoa.done("config", "unset", "upstream.overrides");
  }

  @Test
  void serversAreWeightedAndReconnected() {
    String primary = stoa.backends().get(0);
    stoa.done("backends", "weight", "1", "7");
    assertThat(number(stoa.json("backends", "show", primary), "weight")).isEqualTo(7);
    stoa.done("config", "unset", "upstream.overrides");
    assertThat(number(stoa.json("backends", "show", primary), "weight")).isEqualTo(1);
    assertThat(text(stoa.json("backends", "reconnect", primary), "done")).isEqualTo("reconnect");
    JSONObject all = stoa.json("backends", "list");
    assertThat(list(all, "backends"))
        .extracting(one -> number(one, "number"))
        .containsExactly(1L, 2L);
    assertDocumented(all);
  }

  @Test
  void anUnknownServerIsRefusedWithTheKnownOnes() {
    String near = stoa.backends().get(0).replaceAll(".$", "");
    for (String name : List.of("3", near, "ldap://other.example.com")) {
      Outcome outcome = stoa.stoactl("backends", "drain", name);
      assertThat(outcome.code()).isEqualTo(StoactlExitCode.REFUSED.code());
      assertThat(outcome.err()).contains("there is no server " + name, stoa.backends().get(0));
    }
    Outcome wrong = stoa.stoactl("backends", "weight", "1", "1000000000");
    assertThat(wrong.code()).isEqualTo(StoactlExitCode.REFUSED.code());
  }

  // Clients

  @Test
  void aClientIsDisconnected() {
    try (RawLdapClient client = stoa.process().client().bind(People.dn(40), People.PASSWORD)) {
      JSONObject all = stoa.json("clients", "list");
      JSONObject one =
          list(all, "clients").stream()
              .filter(found -> People.dn(40).equals(text(found, "identity")))
              .findFirst()
              .orElseThrow();
      assertDocumented(all);
      String number = Long.toString(number(one, "number"));
      assertThat(stoa.done("clients", "show", number))
          .contains(People.dn(40), "IP=127.0.0.1:" + client.port());
      assertThat(text(stoa.json("clients", "disconnect", number), "target")).isEqualTo(number);
      client.drain();
      Outcome gone = stoa.stoactl("clients", "show", number);
      assertThat(gone.code()).isEqualTo(StoactlExitCode.REFUSED.code());
      assertThat(gone.err()).isEqualTo("stoactl: there is no client " + number + "\n");
    }
    assertThat(stoa.done("clients", "list")).contains("identity", People.dn(0));
  }

  // Caches

  @Test
  void cacheStats() {
    JSONObject stats = stoa.json("cache", "stats");
    assertThat(stats.getFieldAsBoolean("enabled")).isTrue();
    assertThat(number(stats, "searchHits")).isPositive();
    assertThat(number(stats, "bytes")).isPositive();
    assertThat(stoa.done("cache", "stats")).contains("searchHitRatio", " %");
    assertDocumented(stats);
  }

  @Test
  void cachesAreFlushedInPart() {
    for (String[] what :
        List.of(
            new String[] {"--all"},
            new String[] {"--entry", People.dn(1)},
            new String[] {"--subtree", People.PEOPLE},
            new String[] {"--identity", People.dn(1)},
            new String[] {"--identity", "anonymous"})) {
      List<String> words = new ArrayList<>(List.of("cache", "flush"));
      words.addAll(List.of(what));
      JSONObject flushed = stoa.json(words.toArray(String[]::new));
      assertThat(text(flushed, "done")).startsWith("flush");
      assertThat(text(flushed, "target")).isEqualTo("cache");
    }
    Outcome wrong = stoa.stoactl("cache", "flush", "--entry", "no name");
    assertThat(wrong.code()).isEqualTo(StoactlExitCode.REFUSED.code());
    assertThat(wrong.err()).contains("(21)");
  }

  @Test
  void cachingIsSwitchedOffAndOn() {
    stoa.done("cache", "off");
    assertThat(stoa.json("cache", "stats").getFieldAsBoolean("enabled")).isFalse();
    assertThat(stoa.done("status")).containsPattern("cache +off");
    stoa.done("cache", "on");
    assertThat(stoa.json("cache", "stats").getFieldAsBoolean("enabled")).isTrue();
    assertThat(stoa.done("config", "diff")).isEqualTo("no differences from the file\n");
  }

  @Test
  void explains() {
    JSONObject missing =
        stoa.json(
            "cache", "explain", People.PEOPLE, "sub", "(uid=nobody)", "cn", "--as", People.dn(1));
    assertThat(text(missing, "answer")).isEqualTo("miss");
    assertThat(texts(missing, "reasons")).first().asString().startsWith("not-stored");
    assertDocumented(missing);
    assertThat(stoa.done("cache", "explain", People.dn(1), "base", "(userPassword=x)"))
        .startsWith("bypass")
        .contains("secret");
  }

  // Windows

  @Test
  void windowsAreFlushedAndPaused() {
    JSONObject all = stoa.json("windows", "list");
    assertThat(list(all, "windows"))
        .singleElement()
        .satisfies(one -> assertThat(number(one, "everyMillis")).isEqualTo(100))
        .satisfies(one -> assertThat(text(one, "subtree")).isEqualTo(People.PEOPLE));
    assertDocumented(all);
    assertThat(text(stoa.json("windows", "flush", "people"), "done")).isEqualTo("flush");
    stoa.done("windows", "pause", "people");
    assertThat(stoa.done("windows", "list")).contains("paused");
    stoa.done("windows", "resume", "people");
    assertThat(stoa.done("windows", "list")).doesNotContain("paused");
    Outcome wrong = stoa.stoactl("windows", "flush", "other");
    assertThat(wrong.err()).isEqualTo("stoactl: there is no window other\n");
  }

  // Configuration

  @Test
  void keysAreSetAndUnset() {
    assertThat(stoa.done("config", "get", "cache.maxAge")).isEqualTo("cache.maxAge: 60m\n");
    assertThat(text(stoa.json("config", "set", "cache.maxAge", "30m"), "message"))
        .isEqualTo("cache.maxAge is 30m");
    JSONObject diff = stoa.json("config", "diff");
    assertThat(list(diff, "changes"))
        .singleElement()
        .satisfies(one -> assertThat(text(one, "key")).isEqualTo("cache.maxAge"))
        .satisfies(one -> assertThat(texts(one, "file")).containsExactly("60m"))
        .satisfies(one -> assertThat(texts(one, "now")).containsExactly("30m"));
    assertDocumented(diff);
    assertThat(stoa.done("config", "diff")).containsPattern("cache.maxAge +60m +30m");
    assertThat(stoa.done("config", "unset", "cache.maxAge")).isEqualTo("cache.maxAge is 60m\n");
    assertThat(stoa.done("config", "diff")).isEqualTo("no differences from the file\n");
  }

  @Test
  void listsHaveSeveralValues() {
    String key = "cache.exclusions.subtrees";
    assertThat(stoa.done("config", "get", key)).isEqualTo(key + ":\n");
    stoa.done("config", "set", key, "ou=a,dc=example,dc=com", "ou=b,dc=example,dc=com");
    JSONObject keys = stoa.json("config", "get", key, "cache.maxAge").getFieldAsObject("keys");
    assertThat(texts(keys, key))
        .containsExactly("ou=a,dc=example,dc=com", "ou=b,dc=example,dc=com");
    stoa.done("config", "unset", key);
    assertThat(stoa.json("config", "get").getFieldAsObject("keys").getFields())
        .containsKeys("listen", "drainTimeout", "cache.enabled", key);
  }

  /** A list that the file fills is empty until it is taken back; other keys have a value. */
  @Test
  void listsCanBeEmpty() throws Exception {
    String key = "cache.exclusions.filterAttributes";
    String line = "exclusions: {filterAttributes: [aAttribute, bAttribute]}";
    Path file = stoa.process().directory().resolve("stoa.yaml");
    String before = Files.readString(file);
    Files.writeString(file, before.replace("maxAge: 1h", "maxAge: 1h, " + line));
    stoa.done("config", "reload");
    assertThat(stoa.done("config", "get", key)).contains("aAttribute", "bAttribute");
    assertThat(stoa.done("config", "set", key, "--empty")).isEqualTo(key + " is -\n");
    assertThat(stoa.done("config", "set", key, "--empty")).isEqualTo(key + " is -\n");
    assertThat(stoa.done("config", "get", key)).isEqualTo(key + ":\n");
    stoa.done("config", "reload");
    assertThat(stoa.done("config", "get", key)).isEqualTo(key + ":\n");
    assertThat(stoa.done("config", "unset", key)).contains("aAttribute", "bAttribute");
    assertThat(stoa.stoactl("config", "set", "cache.maxAge", "--empty").err())
        .isEqualTo("stoactl: cache.maxAge is not a list, and must have a value\n");
    Files.writeString(file, before);
    stoa.done("config", "reload");
  }

  /** What hides the file is in the list also while the file says the same. */
  @Test
  void configDiffListsEveryOverriddenKey() throws Exception {
    Path file = stoa.process().directory().resolve("stoa.yaml");
    String before = Files.readString(file);
    stoa.done("config", "set", "cache.maxAge", "120m");
    Files.writeString(file, before.replace("maxAge: 1h", "maxAge: 90m"));
    assertThat(stoa.done("config", "reload"))
        .contains(
            "cache.maxAge of the file is overridden by a change made through cn=configuration");
    Files.writeString(file, before.replace("maxAge: 1h", "maxAge: 2h"));
    stoa.done("config", "reload");
    assertThat(stoa.done("config", "diff")).containsPattern("cache.maxAge +120m +120m");
    stoa.done("config", "set", "cache.maxAge", "120m");
    assertThat(stoa.done("config", "diff")).isEqualTo("no differences from the file\n");
    Files.writeString(file, before);
    stoa.done("config", "reload");
    assertThat(stoa.done("config", "get", "cache.maxAge")).isEqualTo("cache.maxAge: 60m\n");
  }

  @Test
  void reloadIsTriedWithoutAChange() throws Exception {
    Path file = stoa.process().directory().resolve("stoa.yaml");
    String before = Files.readString(file);
    assertThat(stoa.done("config", "reload", "--dry-run"))
        .isEqualTo("a reload would change nothing\n");
    stoa.done("config", "set", "cache.refresh", "true");
    String now = before.replace("maxAge: 1h", "maxAge: 90m, aclCacheSize: 77");
    Files.writeString(file, now + "eventLoops: 7\n");
    Files.writeString(
        file, Files.readString(file).replaceFirst("passwordHash: '.*'", "passwordHash: ''"));
    JSONObject tried = stoa.json("config", "reload", "--dry-run");
    assertThat(list(tried, "changes"))
        .extracting(one -> String.join(" ", text(one, "key"), text(one, "effect")))
        .contains(
            "cache.maxAge applied",
            "cache.aclCacheSize applied",
            "admin.passwordHash applied",
            "eventLoops restart");
    assertDocumented(tried);
    assertThat(stoa.done("config", "reload", "--dry-run"))
        .containsPattern("cache.maxAge +60m +90m +applied at once")
        .containsPattern("eventLoops +\\d+ +7 +needs a restart")
        .doesNotContain("PBKDF2");
    assertThat(stoa.done("config", "get", "cache.maxAge")).isEqualTo("cache.maxAge: 60m\n");
    Files.writeString(file, before.replace("maxAge: 1h", "maxAge: never"));
    Outcome refused = stoa.stoactl("config", "reload", "--dry-run");
    assertThat(refused.code()).isEqualTo(StoactlExitCode.REFUSED.code());
    assertThat(refused.err()).contains("stoa.yaml:", "cache.maxAge");
    Files.writeString(file, before);
    stoa.done("config", "unset", "cache.refresh");
    assertThat(stoa.done("config", "get", "cache.maxAge")).isEqualTo("cache.maxAge: 60m\n");
  }

  @Test
  void configDiffComparesWithDefaults() {
    JSONObject diff = stoa.json("config", "diff", "--defaults", "--running");
    assertThat(list(diff, "changes"))
        .filteredOn(one -> text(one, "key").equals("cache.maxAge"))
        .singleElement()
        .satisfies(one -> assertThat(texts(one, "default")).containsExactly("5s"))
        .satisfies(one -> assertThat(texts(one, "now")).containsExactly("60m"));
    assertThat(list(diff, "changes"))
        .extracting(one -> text(one, "key"))
        .doesNotContain("cache.enabled", "admin.passwordHash");
    assertDocumented(diff);
    String all = stoa.done("config", "diff", "--defaults", "--file", "--running");
    assertThat(all).containsPattern("key +default +file +now");
    assertThat(all).containsPattern("cache.maxAge +5s +60m +60m").doesNotContain("PBKDF2");
    assertThat(stoa.stoactl("config", "diff", "--file").code())
        .isEqualTo(StoactlExitCode.USAGE.code());
  }

  @Test
  void secretsAreChangedInTheFileOnly() {
    Outcome set = stoa.stoactl("config", "set", "admin.passwordHash", "x");
    assertThat(set.code()).isEqualTo(StoactlExitCode.REFUSED.code());
    assertThat(set.err()).contains("(53)", "can be changed in the configuration file only");
    assertThat(stoa.stoactl("config", "get", "admin.passwordHash").err())
        .isEqualTo(
            "stoactl: admin.passwordHash is secret or structured, and is only in the configuration"
                + " file\n");
    assertThat(stoa.done("config", "get")).doesNotContain("PBKDF2");
  }

  @Test
  void mistakesAreNamed() {
    Outcome wrong = stoa.stoactl("config", "set", "cache.maxAge", "soon");
    assertThat(wrong.code()).isEqualTo(StoactlExitCode.REFUSED.code());
    assertThat(wrong.err()).contains("(21)", "stoa-cache-maxAge");
    assertThat(stoa.stoactl("config", "set", "maxAge", "5s").err())
        .isEqualTo("stoactl: there is no key maxAge (did you mean cache.maxAge?)\n");
    assertThat(stoa.stoactl("config", "set", "eventLoops", "3").err()).contains("(53)", "restart");
  }

  @Test
  void theFileIsReloaded() throws Exception {
    Path file = stoa.process().directory().resolve("stoa.yaml");
    String before = Files.readString(file);
    Files.writeString(file, before.replace("maxAge: 1h", "maxAge: 2h"));
    stoa.done("config", "reload");
    assertThat(stoa.done("config", "get", "cache.maxAge")).isEqualTo("cache.maxAge: 120m\n");
    Files.writeString(file, before.replace("maxAge: 1h", "maxAge: later"));
    Outcome mistake = stoa.stoactl("config", "reload");
    assertThat(mistake.code()).isEqualTo(StoactlExitCode.REFUSED.code());
    assertThat(mistake.err()).contains("(53)", "maxAge");
    Files.writeString(file, before + "eventLoops: 1\n");
    stoa.done("config", "reload");
    assertThat(texts(stoa.json("config", "diff"), "restartNeeded")).containsExactly("eventLoops");
    assertThat(stoa.done("config", "diff"))
        .isEqualTo("eventLoops was changed in the file: restart required\n");
    assertThat(stoa.done("status")).contains("restart required for: eventLoops");
    Files.writeString(file, before);
    stoa.done("config", "reload");
  }

  // As whom

  @Test
  void thePasswordComesFromEnvironmentOrFile() throws Exception {
    Map<String, String> password = Map.of("STOACTL_PASSWORD", StoaUnderLoad.PASSWORD);
    Outcome done = StoaUnderLoad.stoactl(password, "status", "-H", stoa.url(), "--json");
    assertThat(done.code()).as(done.err()).isZero();
    assertDocumented(StoaUnderLoad.parse(done.out()));
    Path file = Files.writeString(directory.resolve("password"), StoaUnderLoad.PASSWORD + "\n");
    Outcome byFile =
        StoaUnderLoad.stoactl(Map.of(), "clients", "list", "-H", stoa.url(), "-y", file.toString());
    assertThat(byFile.code()).as(byFile.err()).isZero();
  }

  @Test
  void aWrongPasswordIsRefused() {
    Map<String, String> wrong = Map.of("STOACTL_PASSWORD", "wrong horse");
    Outcome refused = StoaUnderLoad.stoactl(wrong, "status", "-H", stoa.url());
    assertThat(refused.code()).isEqualTo(StoactlExitCode.CREDENTIALS.code());
    assertThat(refused.err()).contains("(49)").doesNotContain("horse").doesNotContain("\tat ");
  }

  /** Whoever is not the administrator is told so. */
  @Test
  void otherIdentitiesAreRefused() {
    Map<String, String> person = Map.of("STOACTL_PASSWORD", People.PASSWORD);
    Outcome outcome =
        StoaUnderLoad.stoactl(
            person, "cache", "flush", "--all", "-H", stoa.url(), "-D", People.dn(1));
    assertThat(outcome.code()).isEqualTo(StoactlExitCode.REFUSED.code());
    assertThat(outcome.err()).contains("(50)");
  }

  // The end

  @Test
  void shutdown() {
    try (StoaUnderLoad other = StoaUnderLoad.start()) {
      Outcome asked = other.stoactl("shutdown");
      assertThat(asked.code()).isNotZero();
      assertThat(other.json("shutdown", "--yes").getFieldAsString("done")).isEqualTo("shutdown");
      Await.until(
          "it has ended",
          () -> !ProcessHandle.of(other.process().pid()).map(ProcessHandle::isAlive).orElse(false));
      Outcome gone = other.stoactl("status");
      assertThat(gone.code()).isEqualTo(StoactlExitCode.UNREACHABLE.code());
    }
  }

  // What is documented

  /** All names of fields, at any depth, but those that are names of keys or operations. */
  private static void assertDocumented(JSONObject json) {
    Set<String> names = new TreeSet<>();
    collect(json, names);
    try {
      String reference = Files.readString(Repository.root().resolve("docs/reference/stoactl.md"));
      assertThat(names).allMatch(name -> reference.contains("`" + name + "`"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void collect(JSONValue value, Set<String> names) {
    if (value instanceof JSONArray array) {
      array.getValues().forEach(one -> collect(one, names));
    } else if (value instanceof JSONObject object) {
      object
          .getFields()
          .forEach(
              (name, field) -> {
                names.add(name);
                if (name.equals("operations") && field instanceof JSONObject byName) {
                  byName.getFields().values().forEach(one -> collect(one, names));
                } else {
                  collect(field, names);
                }
              });
    }
  }
}
