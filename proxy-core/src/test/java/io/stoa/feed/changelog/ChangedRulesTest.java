// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.changelog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoa.feed.changelog.RetroRecord.ChangeType;
import io.stoa.ldap.protocol.Uuid;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which modifications may have been of rules of access. */
class ChangedRulesTest {
  private final ChangedRules rules = new ChangedRules();

  private static RetroRecord record(long number, ChangeType what) {
    return new RetroRecord(number, "", what, new Uuid(0, number), "cn=a,dc=x", null);
  }

  private Set<Long> among(Map<Long, String> changes) throws IOException {
    List<RetroRecord> news =
        changes.keySet().stream().map(number -> record(number, ChangeType.MODIFY)).toList();
    return rules.among(
        news,
        (numbers, found) ->
            numbers.forEach(
                number -> found.onModification(number, changes.get(number).getBytes(UTF_8))));
  }

  @Test
  void modificationsOfAciAreRuleChanges() throws Exception {
    Map<Long, String> changes =
        Map.of(
            1L, "replace: l\nl: Rome\n-\nreplace: modifiersname\nmodifiersname: cn=a\n-\n",
            2L, "replace: l\nl: Rome\n-\nadd: aci\naci: (targetattr=l)\n-\n",
            3L, "delete: ACI;x\n-\n",
            4L, "replace: description\ndescription: of\n aci: mine\n-\n",
            5L, "delete: 2.16.840.1.113730.3.1.55\n-\n",
            6L, "replace: acid\nacid: aci\n-\n",
            7L, "add: aci\naci:: KHRhcmdldA==\n-\n");
    assertThat(among(changes)).containsExactly(2L, 3L, 5L, 7L);
  }

  /** One that is hidden, or is not given, may be anything; what is no modification shows itself. */
  @Test
  void aHiddenModificationMayBeARuleChange() throws Exception {
    List<RetroRecord> news =
        List.of(
            record(1, ChangeType.MODIFY), record(2, ChangeType.MODIFY), record(3, ChangeType.ADD));
    assertThat(rules.among(news, (numbers, found) -> found.onModification(1, null)))
        .containsExactly(1L, 2L);
    assertThat(rules.among(List.of(record(3, ChangeType.ADD)), (numbers, found) -> {})).isEmpty();
  }

  @Test
  void unreadableRecordsDoNotBlockTheFeed() throws Exception {
    List<RetroRecord> news = List.of(record(1, ChangeType.MODIFY));
    ChangedRules.RecordSource large =
        (numbers, found) -> {
          throw new IOException("too large");
        };
    for (int i = 0; i < ChangedRules.TRIES; i++) {
      assertThatThrownBy(() -> rules.among(news, large)).isInstanceOf(IOException.class);
    }
    assertThat(rules.among(news, large)).containsExactly(1L);
    assertThatThrownBy(() -> rules.among(news, large)).isInstanceOf(IOException.class);
  }
}
