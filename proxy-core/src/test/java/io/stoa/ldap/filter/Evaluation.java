// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.FilterNode;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.ldap.schema.WireSearch;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.Requests;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Compares verdicts with what a directory returns. Single-threaded. */
final class Evaluation {
  private final RawLdapClient client;
  private final ServerProfile profile;
  private final Map<String, Image> images = new LinkedHashMap<>();
  private final List<String> wrong = new ArrayList<>();
  private long verdicts;
  private long unknown;
  private long matches;
  private long refused;

  Evaluation(RawLdapClient client, String subschema) {
    this.client = client;
    SearchEntry schema = entry(subschema);
    profile = ServerProfile.of(entry(""), schema);
    for (RawMessage message :
        client.call(Requests.search(EvaluatedTree.SUFFIX).attributes("*", "+").request())) {
      if (!message.isFinal()) {
        SearchEntry entry = parse(message);
        images.put(new String(entry.dn(), UTF_8), Image.of(entry, true, profile));
      }
    }
  }

  private SearchEntry entry(String dn) {
    return parse(
        client.call(Requests.search(dn).baseScope().attributes("*", "+").request()).get(0));
  }

  private static SearchEntry parse(RawMessage message) {
    try {
      return SearchEntry.parse(message.op());
    } catch (LdapProtocolException e) {
      throw new AssertionError("the directory sent " + message, e);
    }
  }

  ServerProfile profile() {
    return profile;
  }

  int entries() {
    return images.size();
  }

  void compare(FilterNode filter, Random random) {
    String base = EvaluatedTree.PARENTS.get(random.nextInt(EvaluatedTree.PARENTS.size()));
    boolean whole = random.nextInt(3) > 0;
    SearchOp op =
        new SearchOp(
            (whole ? EvaluatedTree.SUFFIX : base).getBytes(UTF_8),
            whole ? 2 : random.nextInt(3),
            0,
            0,
            0,
            false,
            filter,
            List.of("1.1".getBytes(UTF_8)));
    List<RawMessage> answer = client.call(WireSearch.of(op));
    if (RawLdapClient.last(answer).resultCode() != 0) {
      refused++;
      return;
    }
    compare(op, returned(answer));
  }

  private static Set<String> returned(List<RawMessage> answer) {
    Set<String> names = new HashSet<>();
    answer.stream()
        .filter(message -> !message.isFinal())
        .forEach(message -> names.add(new String(parse(message).dn(), UTF_8)));
    return names;
  }

  private void compare(SearchOp op, Set<String> returned) {
    Query query = Query.of(op, false, profile);
    images.forEach(
        (dn, image) -> {
          Truth verdict = query.matches(image);
          verdicts++;
          matches += returned.contains(dn) ? 1 : 0;
          unknown += verdict == Truth.UNKNOWN ? 1 : 0;
          boolean right =
              verdict == Truth.UNKNOWN || (verdict == Truth.TRUE) == returned.contains(dn);
          if (!right && wrong.size() < 20) {
            wrong.add(
                verdict
                    + " for "
                    + FilterText.filter(op.filter())
                    + " of "
                    + FilterText.entry(image));
          }
        });
  }

  double unknownShare() {
    return (double) unknown / verdicts;
  }

  String summary(String what) {
    return "%s: %d verdicts, %d matches, %.2f%% UNKNOWN, %d searches refused"
        .formatted(what, verdicts, matches, 100 * unknownShare(), refused);
  }

  void verify() {
    assertThat(wrong).as("verdicts that are wrong").isEmpty();
    assertThat(matches).as("matches").isPositive();
  }

  void reset() {
    verdicts = 0;
    matches = 0;
    unknown = 0;
    refused = 0;
  }
}
