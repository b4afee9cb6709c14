// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import io.stoa.testing.Soak;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ValueDeltaTest {
  private static final int ALL = 10_000;

  private static AttributeOctets attribute(List<String> values) {
    List<byte[]> octets = values.stream().map(value -> value.getBytes(ISO_8859_1)).toList();
    byte[] encoded = SearchEntry.encodeAttribute("member".getBytes(ISO_8859_1), octets);
    try {
      return SearchEntry.parse(SearchEntry.encode(new byte[0], List.of(encoded)))
          .attributes()
          .get(0);
    } catch (LdapProtocolException e) {
      throw new AssertionError(e);
    }
  }

  private static List<String> texts(List<byte[]> values) {
    return values.stream().map(value -> new String(value, ISO_8859_1)).toList();
  }

  private static ValueDelta delta(List<String> before, List<String> after) {
    ValueDelta delta = ValueDelta.of(attribute(before), attribute(after), ALL);
    assertThat(delta).isNotNull();
    return delta;
  }

  /** Whatever is done to an attribute: what was, less what is gone, and what has come, is. */
  @Test
  void theDeltaTurnsTheOldValuesIntoTheNew() {
    long seed = Soak.seed();
    Random random = new Random(seed);
    for (int i = 0; i < Soak.scale(3000, 300_000); i++) {
      List<String> before = values(random, random.nextInt(40));
      List<String> after = changed(random, before);
      ValueDelta delta = delta(before, after);
      List<String> made = new ArrayList<>(before);
      texts(delta.removed()).forEach(made::remove);
      made.addAll(texts(delta.added()));
      assertThat(made)
          .as("%s to %s, seed %d", before, after, seed)
          .containsExactlyInAnyOrderElementsOf(after);
    }
  }

  /** Lengths in short and long form, and values that look like elements themselves. */
  private static List<String> values(Random random, int count) {
    List<String> values = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      values.add(value(random));
    }
    return values;
  }

  private static String value(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> "\004\001a".repeat(random.nextInt(60));
      case 1 -> "a".repeat(random.nextInt(300));
      case 2 -> "";
      default -> Integer.toString(random.nextInt(10));
    };
  }

  private static List<String> changed(Random random, List<String> before) {
    List<String> after = new ArrayList<>(before);
    for (int i = random.nextInt(3); i > 0; i--) {
      if (after.isEmpty() || random.nextBoolean()) {
        after.add(random.nextInt(after.size() + 1), value(random));
      } else {
        after.remove(random.nextInt(after.size()));
      }
    }
    return after;
  }

  @Test
  void onlyDifferingValuesAreInTheDelta() {
    List<String> before = new ArrayList<>();
    for (int i = 0; i < 5000; i++) {
      before.add("uid=person" + i);
    }
    List<String> after = new ArrayList<>(before);
    after.add(2500, "uid=anna");
    assertThat(texts(delta(before, after).added())).containsExactly("uid=anna");
    assertThat(delta(before, after).removed()).isEmpty();
    assertThat(texts(delta(after, before).removed())).containsExactly("uid=anna");
    assertThat(delta(before, before).added()).isEmpty();
  }

  @Test
  void aDeltaAboveTheLimitIsNotComputed() {
    List<String> before = List.of("a", "b", "c", "d");
    List<String> after = List.of("e", "b", "c", "f");
    assertThat(ValueDelta.of(attribute(before), attribute(after), 3)).isNull();
    assertThat(ValueDelta.of(attribute(before), attribute(after), 4)).isNotNull();
  }
}
