// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.load;

import io.stoa.testing.People;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.Tlv;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Octets that are no LDAP, or almost: noise, lies about lengths, broken and cut requests. */
final class Garbage {
  private static final List<RawRequest> REQUESTS =
      List.of(
          People.find(1),
          Requests.bind(People.dn(1), People.PASSWORD),
          Requests.compare(People.dn(1), "cn", "User 1"),
          Requests.replace(People.dn(1), "sn", "x"),
          Requests.add("cn=x," + People.PEOPLE, "objectClass: person", "cn: x", "sn: x"),
          Requests.rename(People.dn(1), "uid=x", true),
          Requests.extended("1.3.6.1.4.1.4203.1.11.3"),
          Requests.abandon(7));

  private final Random random;

  Garbage(long seed) {
    this.random = new Random(seed);
  }

  byte[] next() {
    return switch (random.nextInt(6)) {
      case 0 -> noise(1 + random.nextInt(4000));
      case 1 -> Tlv.concat(Tlv.hex("30 83 03 ff ff 02 01 01"), noise(random.nextInt(2000)));
      case 2 -> Tlv.concat(Tlv.hex("30 84 7f ff ff ff"), noise(100));
      case 3 -> Tlv.of(0x30, noise(random.nextInt(300)));
      case 4 -> cut(valid());
      default -> broken(valid());
    };
  }

  private byte[] valid() {
    return REQUESTS.get(random.nextInt(REQUESTS.size())).encode(1 + random.nextInt(100));
  }

  private byte[] noise(int length) {
    byte[] octets = new byte[length];
    random.nextBytes(octets);
    return octets;
  }

  private byte[] cut(byte[] octets) {
    return Arrays.copyOf(octets, 1 + random.nextInt(octets.length));
  }

  private byte[] broken(byte[] octets) {
    for (int i = 0; i <= random.nextInt(4); i++) {
      octets[random.nextInt(octets.length)] = (byte) random.nextInt(256);
    }
    return octets;
  }
}
