// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.filter.QueryNormalizer;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestOp.CompareOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.SearchBuilder;
import io.stoa.testing.Slapd;
import io.stoa.testing.Soak;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What is folded is what slapd cannot tell apart: two requests with one key get the same octets
 * from it in the same order, and a projected answer is the answer to the narrower list. One slapd
 * has indexes, the other none.
 */
@Tag("soak")
public class NormalizationIT {
  private static final List<String> USER_ITEMS =
      List.of(
          "cn",
          "CN",
          "sn",
          "surname",
          "2.5.4.4",
          "name",
          "uid",
          "mail",
          "c",
          "member",
          "dc",
          "cn;lang-de",
          "cn;x-a",
          "cn;LANG-DE;x-a",
          "objectClass",
          "description",
          "1.1",
          "unknown",
          "@person",
          "stoaThing",
          "!person",
          "cn;nonsense",
          "-name",
          "cn;lang-",
          "givenName");
  private static final List<String> OTHER_ITEMS =
      List.of(
          "*",
          "*",
          "+",
          "entryUUID",
          "createTimestamp",
          "modifiersName",
          "hasSubordinates",
          "entryDN",
          "subschemaSubentry",
          "structuralObjectClass",
          "contextCSN",
          "entryCSN");

  private static Slapd indexed;
  private static Slapd plain;
  private static RawLdapClient onIndexed;
  private static RawLdapClient onPlain;
  private static ServerProfile profile;

  private final Random random = new Random(Soak.seed());

  @BeforeAll
  static void start() {
    indexed = Slapd.start(SpelledTree.indexed());
    plain = Slapd.start(SpelledTree.plain());
    onIndexed = RawLdapClient.connect(indexed.address());
    onPlain = RawLdapClient.connect(plain.address());
    profile = ServerProfile.of(entry(onPlain, ""), entry(onPlain, "cn=Subschema")).ofLocal();
  }

  private static SearchEntry entry(RawLdapClient client, String dn) {
    return parse(
        client.call(Requests.search(dn).baseScope().attributes("*", "+").request()).get(0));
  }

  @AfterAll
  static void stop() {
    onIndexed.close();
    onPlain.close();
    indexed.close();
    plain.close();
  }

  @Test
  void theProfileOfSlapdIsRead() {
    assertThat(profile.kind()).isEqualTo(ServerKind.OPENLDAP);
    assertThat(profile.isSchemaKnown()).isTrue();
    assertThat(profile.namingContexts())
        .containsExactly(NormalDn.of("DC=example,DC=com".getBytes(UTF_8), profile));
  }

  @Test
  void searchesWithOneKeyHaveOneAnswer() {
    QueryNormalizer normalizer = new QueryNormalizer(profile);
    SearchGenerator generator = new SearchGenerator(random);
    Respelling respelling = new Respelling(random);
    int folded = 0;
    int fruitful = 0;
    int rounds = Soak.scale(30_000, 1_000_000);
    for (int round = 0; round < rounds; round++) {
      SearchOp one = generator.search();
      SearchOp other = respelling.of(one);
      if (key(normalizer, one).equals(key(normalizer, other))) {
        folded++;
        fruitful += sameAnswer(onPlain, WireSearch.of(one), WireSearch.of(other)) ? 1 : 0;
        sameAnswer(onIndexed, WireSearch.of(one), WireSearch.of(other));
      }
    }
    Soak.record(
        "normalization: %d pairs, %d with one key, %d of them with entries"
            .formatted(rounds, folded, fruitful));
    assertThat(folded).isGreaterThan(rounds / 10);
    assertThat(fruitful).isGreaterThan(rounds / 50);
  }

  @Test
  void comparesWithOneKeyHaveOneAnswer() {
    QueryNormalizer normalizer = new QueryNormalizer(profile);
    Respelling respelling = new Respelling(random);
    int folded = 0;
    int rounds = Soak.scale(2_000, 100_000);
    for (int round = 0; round < rounds; round++) {
      String dn = SpelledTree.person(random.nextInt(SpelledTree.PEOPLE));
      CompareOp one = compare(dn, "cn;lang-de".getBytes(UTF_8), "Hans 1");
      CompareOp other = compare(respelling.dn(dn), respelling.name(one.attribute()), "HANS   1 ");
      if (normalizer
          .compareKey(one, Octets.EMPTY)
          .equals(normalizer.compareKey(other, Octets.EMPTY))) {
        folded++;
        sameAnswer(onPlain, WireSearch.of(one), WireSearch.of(other));
      }
    }
    assertThat(folded).isGreaterThan(rounds / 20);
  }

  @Test
  void aProjectionEqualsTheNarrowerAnswer() {
    int covered = 0;
    int rounds = Soak.scale(12_000, 400_000);
    for (int round = 0; round < rounds; round++) {
      List<String> wide = list();
      List<String> narrow = list();
      if (!wide.equals(narrow) && selection(wide).covers(selection(narrow))) {
        covered++;
        SearchBuilder target = targets().get(covered % targets().size());
        assertThat(project(read(target, wide), selection(narrow)))
            .as("%s from %s of %s", narrow, wide, target)
            .usingElementComparator(Arrays::compareUnsigned)
            .isEqualTo(bodies(read(target, narrow)));
      }
    }
    Soak.record("projections: %d pairs, %d covered".formatted(rounds, covered));
    assertThat(covered).isGreaterThan(rounds / 50);
  }

  private static List<SearchBuilder> targets() {
    return List.of(
        Requests.search(SpelledTree.SUFFIX),
        Requests.search(SpelledTree.SUFFIX).justTypes(),
        Requests.search("").baseScope(),
        Requests.search("cn=Subschema").baseScope());
  }

  private static List<RawMessage> read(SearchBuilder target, List<String> attributes) {
    return onPlain.call(target.attributes(attributes.toArray(String[]::new)).request());
  }

  private List<String> list() {
    List<String> list = new ArrayList<>();
    for (int count = random.nextInt(6); count > 0; count--) {
      List<String> source = random.nextInt(3) == 0 ? OTHER_ITEMS : USER_ITEMS;
      list.add(source.get(random.nextInt(source.size())));
    }
    return list;
  }

  private static AttributeSelection selection(List<String> list) {
    return AttributeSelection.of(list.stream().map(item -> item.getBytes(UTF_8)).toList(), profile);
  }

  private static List<byte[]> project(List<RawMessage> answer, AttributeSelection narrow) {
    List<byte[]> projected = new ArrayList<>();
    for (RawMessage message : answer) {
      projected.add(message.isFinal() ? message.body() : project(parse(message), narrow));
    }
    return projected;
  }

  private static byte[] project(SearchEntry entry, AttributeSelection narrow) {
    List<byte[]> kept =
        entry.attributes().stream()
            .filter(attribute -> narrow.selects(attribute.type()))
            .map(SearchEntry.AttributeOctets::encoded)
            .toList();
    return SearchEntry.encode(entry.dn(), kept);
  }

  private static SearchEntry parse(RawMessage message) {
    try {
      return SearchEntry.parse(message.op());
    } catch (LdapProtocolException e) {
      throw new AssertionError("slapd sent " + message, e);
    }
  }

  private static List<byte[]> bodies(List<RawMessage> messages) {
    return messages.stream().map(RawMessage::body).toList();
  }

  @Test
  void aSearchEndsAtItsSizeLimitAsPredicted() {
    for (int limit = 1; limit < 4; limit++) {
      List<RawMessage> answer =
          onPlain.call(
              Requests.search(SpelledTree.SUFFIX).filter("(uid=*)").sizeLimit(limit).request());
      assertThat(answer).hasSize(limit + 1);
      EncodedResponse last = new EncodedResponse(RawLdapClient.last(answer).body());
      assertThat(last).isEqualTo(profile.sizeLimitExceededOp());
    }
  }

  private static boolean sameAnswer(RawLdapClient client, RawRequest one, RawRequest other) {
    List<byte[]> answer = bodies(client.call(one));
    assertThat(bodies(client.call(other)))
        .as("%s and %s", text(one), text(other))
        .usingElementComparator(Arrays::compareUnsigned)
        .isEqualTo(answer);
    return answer.size() > 1;
  }

  private static String text(RawRequest request) {
    return new String(request.op(), ISO_8859_1).replaceAll("[^ -~]", ".");
  }

  private static Octets key(QueryNormalizer normalizer, SearchOp op) {
    return normalizer.searchKey(op, Octets.EMPTY);
  }

  private static CompareOp compare(String dn, byte[] attribute, String value) {
    return new CompareOp(dn.getBytes(UTF_8), attribute, value.getBytes(UTF_8));
  }
}
