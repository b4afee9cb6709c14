// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.filter.FilterAttributes;
import io.stoa.ldap.filter.QueryNormalizer;
import io.stoa.ldap.protocol.FilterNode;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.testing.Soak;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Random names and lists: nothing throws, and what holds for all of them holds. */
class NormalizationFuzzTest {
  private static final String ALPHABET = "cnsoudABC=,;+\\\"#<> 1.2-x\u00e4\u0000*";
  private static final List<ServerProfile> PROFILES =
      List.of(Profiles.OPENLDAP, Profiles.DS389, ServerProfile.EXACT);

  private final Random random = new Random(Soak.seed());

  @Test
  void namesAreComparable() {
    for (int round = 0; round < 50_000; round++) {
      byte[] one = text(30);
      byte[] other = random.nextBoolean() ? text(30) : one.clone();
      for (ServerProfile profile : PROFILES) {
        NormalDn first = NormalDn.of(one, profile);
        NormalDn second = NormalDn.of(other, profile);
        assertThat(first.isBelowOrEqual(first)).isTrue();
        assertThat(first.isBelowOrEqual(NormalDn.of(new byte[0], profile))).isTrue();
        if (first.equals(second)) {
          assertThat(first.isBelowOrEqual(second)).isTrue();
          assertThat(second.isBelowOrEqual(first)).isTrue();
        }
        if (Arrays.equals(one, other)) {
          assertThat(first).isEqualTo(second).hasSameHashCodeAs(second);
        }
      }
    }
  }

  @Test
  void aChildIsBelowItsParent() {
    for (int round = 0; round < 50_000; round++) {
      byte[] parent = text(30);
      byte[] child = concat("cn=x,".getBytes(UTF_8), parent);
      for (ServerProfile profile : PROFILES) {
        NormalDn above = NormalDn.of(parent, profile);
        NormalDn below = NormalDn.of(child, profile);
        if (above.isDn() && !above.isRoot()) {
          assertThat(below.isBelowOrEqual(above)).isTrue();
          assertThat(above.isBelowOrEqual(below)).isFalse();
        }
      }
    }
  }

  @Test
  void everyFilterHasAKeyAndAttributes() {
    for (int round = 0; round < 50_000; round++) {
      FilterNode filter = filter(4);
      SearchOp op = new SearchOp(text(20), 2, 0, 0, 0, false, filter, List.of());
      for (ServerProfile profile : PROFILES) {
        QueryNormalizer normalizer = new QueryNormalizer(profile);
        assertThat(normalizer.searchKey(op, Octets.EMPTY))
            .isEqualTo(normalizer.searchKey(op, Octets.EMPTY));
        assertThat(FilterAttributes.of(filter, profile).touches(Set.of())).isFalse();
      }
    }
  }

  @Test
  void everyListCoversItself() {
    for (int round = 0; round < 50_000; round++) {
      List<byte[]> items = new ArrayList<>();
      for (int count = random.nextInt(4); count >= 0; count--) {
        items.add(text(4));
      }
      for (ServerProfile profile : PROFILES) {
        AttributeSelection list = AttributeSelection.of(items, profile);
        assertThat(list.covers(AttributeSelection.of(List.copyOf(items), profile))).isTrue();
        list.selects(text(6));
      }
    }
  }

  private FilterNode filter(int depth) {
    return switch (depth == 0 ? 3 + random.nextInt(5) : random.nextInt(8)) {
      case 0 -> new FilterNode.And(List.of(filter(depth - 1), filter(depth - 1)));
      case 1 -> new FilterNode.Or(List.of(filter(depth - 1)));
      case 2 -> new FilterNode.Not(filter(depth - 1));
      case 3 -> new FilterNode.Present(text(5));
      case 4 -> new FilterNode.Substrings(text(5), text(3), List.of(text(3)), null);
      case 5 -> new FilterNode.Extensible(null, text(5), text(5), random.nextBoolean());
      case 6 -> new FilterNode.Unknown(text(5));
      default -> new FilterNode.Equality(text(5), text(9));
    };
  }

  private byte[] text(int longest) {
    StringBuilder text = new StringBuilder();
    for (int length = random.nextInt(longest + 1); length > 0; length--) {
      text.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
    }
    return text.toString().getBytes(UTF_8);
  }

  private static byte[] concat(byte[] head, byte[] tail) {
    return new KeyWriter(head.length + tail.length).raw(head).raw(tail).toByteArray();
  }
}
