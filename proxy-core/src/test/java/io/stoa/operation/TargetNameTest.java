// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TargetNameTest {
  private static final byte[] MONITOR = "monitor".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] CONFIGURATION = "configuration".getBytes(StandardCharsets.US_ASCII);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cn=monitor",
        "CN=MONITOR",
        "cn=x,cn=Monitor",
        "monitor",
        "cn=monitor  ",
        "cn=Configuration "
      })
  void detectsANameWithTheSuffix(String name) throws Exception {
    for (RawRequest request : requests(name)) {
      assertThat(mayEndWith(request)).as("%s of %s", request, name).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "m",
        "onitor",
        "cn=monitor,dc=example",
        "cn=a\\,b,dc=x",
        "   ",
        "cn=monitor\\6em",
        "cn=monitors "
      })
  void ignoresANameWithAnotherSuffix(String name) throws Exception {
    for (RawRequest request : requests(name)) {
      assertThat(mayEndWith(request)).as("%s of %s", request, name).isFalse();
    }
  }

  /** RFC 4514, section 2.4. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "cn=m\\6fnitor",
        "cn=monito\\72",
        "cn=configuratio\\6E",
        "cn=monitor\\20",
        "cn=monitor\u0000",
        "cn=mon\u007fitor",
        "cn=\u0001monitor",
        "cn=\"monitor\"",
        "cn=#04076d6f6e69746f72",
        "cn=#04076d6f6e69746f7220",
        "cn=ｍonitor",
        "cn=monitoｒ"
      })
  void escapedSpellingsOfTheSuffixAreDetected(String name) throws Exception {
    for (RawRequest request : requests("cn=x," + name)) {
      assertThat(mayEndWith(request)).as("%s of %s", request, name).isTrue();
    }
  }

  @Test
  void otherRequestsHaveNoName() throws Exception {
    assertThat(mayEndWith(Requests.unbind())).isFalse();
    assertThat(mayEndWith(Requests.abandon(7))).isFalse();
    assertThat(mayEndWith(Requests.extended("1.2.monitor"))).isFalse();
  }

  @Test
  void valuesAfterTheNameAreIgnored() throws Exception {
    assertThat(mayEndWith(Requests.compare("dc=example", "cn", "monitor"))).isFalse();
    assertThat(mayEndWith(Requests.bind("dc=example", "monitor"))).isFalse();
    assertThat(mayEndWith(Requests.rename("dc=example", "cn=monitor", true))).isFalse();
  }

  @Test
  void lengthsNeedNotBeMinimal() throws Exception {
    String search =
        "30 84 00 00 00 37 02 01 01 63 84 00 00 00 2e 04 84 00 00 00 0a 636e3d6d6f6e69746f72"
            + " 0a0100 0a0100 020100 020100 010100 870b6f626a656374436c617373 3000";
    assertThat(mayEndWith(HexFormat.of().parseHex(search.replace(" ", "")))).isTrue();
  }

  /** Whatever octets are in the request: an answer, and nothing read behind its end. */
  @Test
  void malformedRequestsAreReadWithinBounds() {
    Random random = new Random(20_240_101);
    byte[] whole = Requests.search("cn=x,cn=monitor").request().encode(1);
    int broken = 0;
    for (int round = 0; round < 20_000; round++) {
      byte[] octets = whole.clone();
      for (int change = 0; change < 3; change++) {
        octets[5 + random.nextInt(octets.length - 5)] = (byte) random.nextInt();
      }
      try {
        mayEndWith(octets);
      } catch (LdapProtocolException envelope) {
        broken++;
      }
    }
    assertThat(broken).isPositive().isLessThan(20_000);
  }

  @Test
  void theRootDseHasNoNameAndIsABaseSearch() throws Exception {
    assertThat(isRootDse(Requests.search("").baseScope().request())).isTrue();
    assertThat(isRootDse(Requests.search("  ").baseScope().request())).isTrue();
    assertThat(isRootDse(Requests.search("").request())).isFalse();
    assertThat(isRootDse(Requests.search("cn=x").baseScope().request())).isFalse();
    assertThat(isRootDse(Requests.compare("", "cn", "x"))).isFalse();
  }

  private static boolean isRootDse(RawRequest request) throws LdapProtocolException {
    return TargetName.isRootDse(LdapMessage.parse(Unpooled.wrappedBuffer(request.encode(1))));
  }

  private static List<RawRequest> requests(String name) {
    return List.of(
        Requests.search(name).request(),
        Requests.compare(name, "cn", "x"),
        Requests.bind(name, "secret"),
        Requests.add(name, "cn: x"),
        Requests.delete(name),
        Requests.replace(name, "cn", "x"),
        Requests.rename(name, "cn=x", true));
  }

  private static boolean mayEndWith(RawRequest request) throws LdapProtocolException {
    return mayEndWith(request.encode(1));
  }

  private static boolean mayEndWith(byte[] octets) throws LdapProtocolException {
    ByteBuf frame = Unpooled.wrappedBuffer(octets);
    LdapMessage message = LdapMessage.parse(frame);
    try {
      return TargetName.mayEndWith(message, MONITOR, CONFIGURATION);
    } finally {
      message.release();
    }
  }
}
