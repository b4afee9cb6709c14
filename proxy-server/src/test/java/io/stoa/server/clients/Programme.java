// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.clients;

import static io.stoa.server.clients.ClientDirectory.ADA;
import static io.stoa.server.clients.ClientDirectory.BEN;
import static io.stoa.server.clients.ClientDirectory.CROWD;
import static io.stoa.server.clients.ClientDirectory.MANAGER;
import static io.stoa.server.clients.ClientDirectory.PEOPLE;
import static io.stoa.server.clients.ClientDirectory.REFERRAL;
import static io.stoa.server.clients.ClientDirectory.SUFFIX;
import static io.stoa.server.clients.ClientDirectory.person;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What every client library does, in its own words: the steps of the programme and how each ends
 * ({@link #RESULTS}), and the programme itself for libraries of Java. Not thread-safe.
 */
final class Programme {
  private static final String NEW = person("new");
  private static final String RENAMED = person("renamed");
  private static final String PRESENT = "(objectClass=*)";

  /** The directory has no rule of its own for the order of names. */
  static final String ORDERING = "caseIgnoreOrderingMatch";

  /** The result code of each step, in the order of the steps. */
  static final Map<String, Integer> RESULTS = results();

  /** Reads that are repeated from one run to the next with no write between. */
  static final int REPEATED_SEARCHES = 4;

  static final int REPEATED_COMPARES = 2;

  private final JavaClient client;
  private final OutputLines lines;

  private Programme(JavaClient client, OutputLines lines) {
    this.client = client;
    this.lines = lines;
  }

  private static Map<String, Integer> results() {
    Map<String, Integer> results = new LinkedHashMap<>();
    succeed(results, "root-dse", "schema", "bind-right", "who-am-i");
    reads(results, "");
    succeed(results, "pages", "sort");
    results.put("referral-base", 10);
    succeed(results, "referral-subtree", "referral-managed");
    results.put("bind-wrong", 49);
    succeed(results, "anonymous-after-it", "bind-manager", "add");
    results.put("add-present", 68);
    succeed(results, "read-added", "modify", "read-modified", "rename");
    results.put("read-old-name", 32);
    succeed(results, "read-renamed", "delete");
    results.put("delete-missing", 32);
    results.put("read-deleted", 32);
    succeed(results, "bind-ben", "password-modify");
    results.put("bind-old-password", 49);
    succeed(results, "bind-new-password", "password-back", "bind-again", "abandon");
    reads(results, "again-");
    succeed(results, "unbind");
    return results;
  }

  private static void succeed(Map<String, Integer> results, String... steps) {
    for (String step : steps) {
      results.put(step, 0);
    }
  }

  private static void reads(Map<String, Integer> results, String prefix) {
    succeed(results, prefix + "search-base", prefix + "search-one", prefix + "search-subtree");
    results.put(prefix + "search-missing", 32);
    results.put(prefix + "compare-true", 6);
    results.put(prefix + "compare-false", 5);
  }

  /** Runs it with a client that prints to these lines, and leaves at the end. */
  static Transcript run(JavaClient client, OutputLines lines, Target target) {
    Programme programme = new Programme(client, lines);
    programme.begin(target.schema());
    programme.reads("");
    programme.controls();
    programme.failedBind();
    programme.writes();
    programme.passwords();
    programme.step("bind-again", () -> client.bind(ADA, "pw-ada"));
    programme.step("abandon", () -> client.abandon(CROWD));
    programme.reads("again-");
    programme.step("unbind", client::unbind);
    return new Transcript(lines.toString());
  }

  private void begin(String schema) {
    step(
        "root-dse",
        () ->
            client.search(
                JavaClient.Search.base("")
                    .attributes(
                        "namingContexts",
                        "subschemaSubentry",
                        "supportedControl",
                        "supportedExtension",
                        "supportedFeatures",
                        "supportedLDAPVersion",
                        "supportedSASLMechanisms")));
    step(
        "schema",
        () ->
            client.search(
                new JavaClient.Search(schema, 0, "(objectClass=subschema)")
                    .attributes(
                        "attributeTypes", "objectClasses", "matchingRules", "ldapSyntaxes")));
    step("bind-right", () -> client.bind(ADA, "pw-ada"));
    step("who-am-i", client::whoAmI);
  }

  private void reads(String prefix) {
    step(prefix + "search-base", () -> client.search(JavaClient.Search.base(ADA)));
    step(
        prefix + "search-one",
        () ->
            client.search(
                new JavaClient.Search(SUFFIX, 1, "(ou=*)").attributes("ou", "objectClass")));
    step(
        prefix + "search-subtree",
        () ->
            client.search(
                new JavaClient.Search(PEOPLE, 2, "(sn=*)").attributes("cn", "sn", "entryUUID")));
    step(prefix + "search-missing", () -> client.search(JavaClient.Search.base(person("nobody"))));
    step(prefix + "compare-true", () -> client.compare(ADA, "sn", "Lovelace"));
    step(prefix + "compare-false", () -> client.compare(ADA, "sn", "Byron"));
  }

  private void controls() {
    JavaClient.Search people = new JavaClient.Search(PEOPLE, 1, "(sn=*)").attributes("sn");
    step("pages", () -> client.searchInPages(people, 3));
    step("sort", () -> client.searchSorted(people, "sn"));
    step("referral-base", () -> client.searchWithReferrals(JavaClient.Search.base(REFERRAL)));
    step(
        "referral-subtree",
        () ->
            client.searchWithReferrals(
                new JavaClient.Search(SUFFIX, 2, "(uid=ada)").attributes("uid")));
    step(
        "referral-managed",
        () -> client.searchManaged(JavaClient.Search.base(REFERRAL).attributes("cn", "ref")));
  }

  private void failedBind() {
    step("bind-wrong", () -> client.bind(ADA, "wrong"));
    step("anonymous-after-it", () -> client.search(JavaClient.Search.base(ADA)));
  }

  private void writes() {
    step("bind-manager", () -> client.bind(MANAGER, "pw-manager"));
    step("add", () -> client.add(NEW));
    step("add-present", () -> client.add(NEW));
    step("read-added", () -> client.search(JavaClient.Search.base(NEW)));
    step("modify", () -> client.modify(NEW));
    step(
        "read-modified",
        () ->
            client.search(
                new JavaClient.Search(NEW, 0, PRESENT)
                    .attributes("*", "entryCSN", "modifyTimestamp")));
    step("rename", () -> client.rename(NEW, "uid=renamed", PEOPLE));
    step("read-old-name", () -> client.search(JavaClient.Search.base(NEW)));
    step("read-renamed", () -> client.search(JavaClient.Search.base(RENAMED)));
    step("delete", () -> client.delete(RENAMED));
    step("delete-missing", () -> client.delete(RENAMED));
    step("read-deleted", () -> client.search(JavaClient.Search.base(RENAMED)));
  }

  private void passwords() {
    step("bind-ben", () -> client.bind(BEN, "pw-ben"));
    step("password-modify", () -> client.passwordModify(BEN, "pw-ben", "other"));
    step("bind-old-password", () -> client.bind(BEN, "pw-ben"));
    step("bind-new-password", () -> client.bind(BEN, "other"));
    step("password-back", () -> client.passwordModify(BEN, "other", "pw-ben"));
  }

  private void step(String name, JavaClient.Call call) {
    lines.add("== " + name);
    lines.add("result: " + code(call));
  }

  private int code(JavaClient.Call call) {
    try {
      return call.run();
    } catch (Exception failure) {
      return client.explain(failure);
    }
  }
}
