// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Reads X, then Y, then X again through Stoa with an empty cache, and compares each answer with the
 * directory's own. An entry that one request left in memory must not appear in the answer to
 * another one that the directory answers differently. Not thread-safe.
 */
public final class TripleReads {
  private final RunningProxy proxy;
  private final RawLdapClient direct;
  private final RawLdapClient client;
  private final RawLdapClient other;
  private final List<RawRequest> requests;
  private final List<List<String>> expected = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();

  /** Asks the directory for the answers. */
  public TripleReads(
      RunningProxy proxy, RawLdapClient direct, RawLdapClient client, List<RawRequest> requests) {
    this(proxy, direct, client, client, requests);
  }

  /**
   * Asks the directory for the answers.
   *
   * @param other asks Y; the directory shows it the same as it shows the client that asks X
   */
  public TripleReads(
      RunningProxy proxy,
      RawLdapClient direct,
      RawLdapClient client,
      RawLdapClient other,
      List<RawRequest> requests) {
    this.proxy = proxy;
    this.direct = direct;
    this.client = client;
    this.other = other;
    this.requests = requests;
    requests.forEach(request -> expected.add(answer(this.direct, request)));
  }

  /**
   * Tries pairs of requests.
   *
   * @param max how many, drawn from all of them
   * @return the wrong answers
   */
  public List<String> run(int max, long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < max; i++) {
      triple(random.nextInt(requests.size()), random.nextInt(requests.size()));
    }
    return wrong;
  }

  /** Tries all pairs of requests; returns the wrong answers. */
  public List<String> run() {
    for (int one = 0; one < requests.size(); one++) {
      for (int two = 0; two < requests.size(); two++) {
        triple(one, two);
      }
    }
    return wrong;
  }

  private void triple(int one, int two) {
    if (one != two) {
      proxy.proxy().setCachingEnabled(false);
      proxy.proxy().setCachingEnabled(true);
      for (int index : new int[] {one, two, one}) {
        List<String> given = answer(index == one ? client : other, requests.get(index));
        if (!given.equals(expected.get(index))) {
          String after = requests.get(index == one ? two : one).toString();
          wrong.add(
              requests.get(index)
                  + " with "
                  + after
                  + "\n  "
                  + expected.get(index)
                  + "\n  "
                  + given);
        }
      }
    }
  }

  private static List<String> answer(RawLdapClient who, RawRequest request) {
    return who.call(request).stream().map(TripleReads::text).sorted().toList();
  }

  private static String text(RawMessage message) {
    return Arrays.toString(message.op());
  }
}
