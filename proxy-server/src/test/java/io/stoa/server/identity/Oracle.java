// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.identity;

import static io.stoa.server.identity.RandomDirectory.IDENTITIES;

import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Slapd;
import io.stoa.testing.Tlv;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;

/** What the directory itself answers each identity to each query. Immutable. */
final class Oracle {
  /** The identity of a connection that is not bound, or whose bind failed. */
  static final int ANONYMOUS = IDENTITIES;

  private final byte[][][] answers = new byte[IDENTITIES + 1][][];

  private Oracle() {}

  static Oracle readFrom(Slapd slapd, List<RawRequest> queries) {
    Oracle oracle = new Oracle();
    for (int identity = 0; identity <= IDENTITIES; identity++) {
      try (RawLdapClient client = RawLdapClient.connect(slapd.address())) {
        if (identity != ANONYMOUS) {
          client.bind(RandomDirectory.person(identity), RandomDirectory.password(identity));
        }
        oracle.answers[identity] =
            queries.stream().map(query -> flat(client.call(query))).toArray(byte[][]::new);
      }
    }
    return oracle;
  }

  private static byte[] flat(List<RawMessage> answer) {
    return Tlv.concat(answer.stream().map(RawMessage::body).toArray(byte[][]::new));
  }

  boolean agrees(int identity, int query, List<RawMessage> answer) {
    return Arrays.equals(answers[identity][query], flat(answer));
  }

  /** What is wrong with an answer that does not agree. */
  String explain(int identity, int query, List<RawMessage> answer) {
    List<Integer> others =
        IntStream.rangeClosed(0, IDENTITIES).filter(i -> agrees(i, query, answer)).boxed().toList();
    return String.format(
        Locale.ROOT,
        "query %d as %d got what is not for it: %n%s%nbut%n%s%nthat is the answer to %s",
        query,
        identity,
        text(flat(answer)),
        text(answers[identity][query]),
        others);
  }

  private static String text(byte[] octets) {
    return new String(octets, StandardCharsets.US_ASCII).replaceAll("[^ -~]", ".");
  }

  /** How many different answers the identities get to one query, on average. */
  double diversity() {
    int different = 0;
    int queries = answers[0].length;
    for (int query = 0; query < queries; query++) {
      Set<Integer> seen = new HashSet<>();
      for (byte[][] ofIdentity : answers) {
        seen.add(Arrays.hashCode(ofIdentity[query]));
      }
      different += seen.size();
    }
    return (double) different / queries;
  }
}
