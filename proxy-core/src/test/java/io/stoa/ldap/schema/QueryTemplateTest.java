// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.filter.QueryNormalizer;
import io.stoa.ldap.filter.QueryTemplate;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.ldap.protocol.RequestOp.CompareOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.protocol.RequestScanner;
import io.stoa.ldap.protocol.RequestShape;
import io.stoa.testing.Soak;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A key made from a template is at least as precise as the key of the decoded request. Which
 * requests have one answer is tested with the latter in NormalizationIT.
 */
class QueryTemplateTest {
  private static final List<ServerProfile> PROFILES =
      List.of(Profiles.OPENLDAP, Profiles.DS389, Profiles.OTHER, ServerProfile.EXACT);
  private static final RequestDecoder DECODER = new RequestDecoder(() -> DecodeLimits.DEFAULTS);

  private final Random random = new Random(Soak.seed());
  private final RequestScanner scanner = new RequestScanner();

  /** Key of a request by its template. */
  private record Key(Octets template, Octets values) {}

  private static LdapMessage message(byte[] body) {
    return LdapMessage.ofBody(1, body);
  }

  private static Request decoded(LdapMessage message) {
    try {
      return DECODER.decode(message);
    } catch (LdapProtocolException e) {
      throw new AssertionError(e);
    }
  }

  private @Nullable QueryTemplate template(ServerProfile profile, LdapMessage message) {
    RequestShape shape = scanner.scan(message);
    Request request = decoded(message);
    QueryNormalizer normalizer = new QueryNormalizer(profile);
    SiblingNames names = null;
    if (scanner.splitsName()) {
      names = SiblingNames.of(request.op().target(), scanner.value(0), profile);
      if (names == null) {
        return null;
      }
      assertThat(names.treePosition(scanner.value(0)))
          .isEqualTo(NormalDn.of(request.op().target(), profile).treePosition());
    }
    assertThat(shape).isNotNull();
    return request.op() instanceof SearchOp search
        ? normalizer.searchTemplate(search, names, Octets.EMPTY)
        : normalizer.compareTemplate((CompareOp) request.op(), names, Octets.EMPTY);
  }

  private @Nullable Key key(ServerProfile profile, LdapMessage message) {
    QueryTemplate template = template(profile, message);
    return template == null
        ? null
        : new Key(template.octets(), Octets.of(template.values(scanner)));
  }

  private static Octets wholeKey(ServerProfile profile, LdapMessage message) {
    QueryNormalizer normalizer = new QueryNormalizer(profile);
    Request request = decoded(message);
    return request.op() instanceof SearchOp search
        ? normalizer.searchKey(search, Octets.EMPTY)
        : normalizer.compareKey((CompareOp) request.op(), Octets.EMPTY);
  }

  /** Returns requests of which many are equal up to spelling, order or one value. */
  private List<LdapMessage> requests(int count) {
    SearchGenerator generator = new SearchGenerator(random);
    Respelling respelling = new Respelling(random);
    List<LdapMessage> requests = new ArrayList<>();
    while (requests.size() < count) {
      SearchOp one = generator.search();
      for (SearchOp op : List.of(one, respelling.of(one), respelling.of(one))) {
        requests.add(message(WireSearch.of(op).op()));
      }
      String dn = SpelledTree.person(random.nextInt(SpelledTree.PEOPLE));
      for (String value : List.of("Hans 1", "HANS  1", "Hans 2")) {
        requests.add(message(compare(respelling.dn(dn), "cn", value)));
        requests.add(message(compare(dn, "cn", value)));
      }
    }
    return requests;
  }

  private static byte[] compare(String dn, String attribute, String value) {
    return WireSearch.of(
            new CompareOp(dn.getBytes(UTF_8), attribute.getBytes(UTF_8), value.getBytes(UTF_8)))
        .op();
  }

  @Test
  void requestsWithOneKeyByTemplateHaveOneWholeKey() {
    int rounds = Soak.scale(20, 1_000);
    int shared = 0;
    for (int round = 0; round < rounds; round++) {
      List<LdapMessage> requests = requests(300);
      for (ServerProfile profile : PROFILES) {
        Map<Key, LdapMessage> seen = new HashMap<>();
        for (LdapMessage request : requests) {
          Key key = key(profile, request);
          LdapMessage other = key == null ? null : seen.putIfAbsent(key, request);
          if (other != null) {
            shared++;
            assertThat(wholeKey(profile, request))
                .as("%s and %s", text(request), text(other))
                .isEqualTo(wholeKey(profile, other));
          }
        }
      }
    }
    assertThat(shared).isGreaterThan(rounds * 100);
  }

  /** The template of the first request of a shape is used for all others. */
  @Test
  void requestsOfOneShapeHaveOneTemplate() {
    int rounds = Soak.scale(20, 1_000);
    int shared = 0;
    for (int round = 0; round < rounds; round++) {
      List<LdapMessage> requests = requests(300);
      for (ServerProfile profile : PROFILES) {
        Map<RequestShape, LdapMessage> seen = new HashMap<>();
        for (LdapMessage request : requests) {
          RequestShape shape = scanner.scan(request);
          LdapMessage first = shape == null ? null : seen.putIfAbsent(shape.copy(), request);
          if (first != null) {
            shared++;
            QueryTemplate template = template(profile, first);
            QueryTemplate own = template(profile, request);
            assertThat(own == null).isEqualTo(template == null);
            if (template != null && own != null) {
              assertThat(own.octets()).isEqualTo(template.octets());
              assertThat(template.values(scanner)).isEqualTo(own.values(scanner));
            }
          }
        }
      }
    }
    assertThat(shared).isGreaterThan(rounds * 100);
  }

  @Test
  void theRequestIsBuiltFromItsShapeAndValues() {
    for (LdapMessage request : requests(Soak.scale(3_000, 300_000))) {
      RequestShape shape = scanner.scan(request);
      assertThat(shape).isNotNull();
      int count = scanner.values();
      byte[] values = scanner.allValues(new byte[0]);
      byte[] body =
          shape
              .copy()
              .request(count == 1 ? new byte[][] {values} : KeyWriter.strings(values, count));
      assertThat(body).isEqualTo(request.copyBody());
    }
  }

  /** Whether a request is legal and regular depends on its shape only, not on its values. */
  @Test
  void requestsOfOneShapeAreDecodedAlike() {
    int split = 0;
    for (LdapMessage request : requests(Soak.scale(3_000, 300_000))) {
      for (int round = 0; round < 10; round++) {
        byte[] damaged = request.copyBody();
        damaged[random.nextInt(damaged.length)] = (byte) random.nextInt(256);
        LdapMessage message = parsed(damaged);
        RequestShape shape = message == null ? null : scanner.scan(message);
        if (message != null && shape != null) {
          split++;
          byte[][] others = new byte[scanner.values()][];
          Arrays.fill(others, new byte[] {'x'});
          assertThat(outcome(message))
              .as(text(message))
              .isEqualTo(outcome(message(shape.copy().request(others))));
        }
      }
    }
    assertThat(split).isPositive();
  }

  private static String outcome(LdapMessage message) {
    try {
      return DECODER.decode(message).irregular() ? "irregular" : "regular";
    } catch (LdapProtocolException e) {
      return "malformed";
    }
  }

  private static @Nullable LdapMessage parsed(byte[] body) {
    try {
      return message(body);
    } catch (RuntimeException e) {
      return null;
    }
  }

  private static String text(LdapMessage request) {
    return new String(request.copyBody(), ISO_8859_1).replaceAll("[^ -~]", ".");
  }
}
