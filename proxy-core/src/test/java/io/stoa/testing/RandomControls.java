// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;

/**
 * Controls elements as clients might send them: well-formed, in longer encodings than needed, with
 * OIDs that servers read differently, twice the same, damaged. Stateless.
 */
public final class RandomControls {
  private static final int CONTROLS = 0xa0;

  /** Known and unknown OIDs, the two of proxied authorization, and what may be taken for them. */
  private static final List<String> OIDS =
      List.of(
          "2.16.840.1.113730.3.4.2",
          "2.16.840.1.113730.3.4.2",
          "2.16.840.1.113730.3.4.2",
          "1.2.840.113556.1.4.473",
          "1.2.840.113556.1.4.319",
          "1.3.6.1.4.1.21008.108.63.1",
          "1.2.3.4.5",
          "2.16.840.1.113730.3.4.18",
          "2.16.840.1.113730.3.4.12",
          "2.16.840.1.113730.3.4.18\0",
          "2.16.840.1.113730.3.4.18\0.1",
          "2.16.840.1.113730.3.4.018",
          "2.16.840.1.113730.3.4.18 ",
          " 2.16.840.1.113730.3.4.18",
          "2.16.840.1.113730.3.4.12\0",
          "proxyAuthz",
          "");

  private RandomControls() {}

  /** What follows the protocolOp: nothing, a controls element, or what is none. */
  public static byte[] next(Random random) {
    if (random.nextInt(5) == 0) {
      return new byte[0];
    }
    byte[][] controls = new byte[random.nextInt(4)][];
    for (int i = 0; i < controls.length; i++) {
      boolean again = i > 0 && random.nextInt(4) == 0;
      controls[i] = again ? controls[i - 1] : control(random);
    }
    byte[] all = element(random, CONTROLS, controls);
    return random.nextInt(30) == 0 ? damaged(random, all) : all;
  }

  private static byte[] control(Random random) {
    byte[] oid = OIDS.get(random.nextInt(OIDS.size())).getBytes(StandardCharsets.ISO_8859_1);
    return element(
        random, 0x30, element(random, 0x04, oid), criticality(random), value(random), rest(random));
  }

  private static byte[] criticality(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> new byte[0];
      case 1 -> element(random, 0x01, new byte[] {0});
      case 2 -> element(random, 0x01, new byte[] {1});
      default -> element(random, 0x01, new byte[] {(byte) 0xff});
    };
  }

  private static byte[] value(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> new byte[0];
      case 1 -> element(random, 0x04, ("dn:" + ServiceWatch.DN).getBytes(StandardCharsets.UTF_8));
      case 2 -> element(random, 0x04, Tlv.hex("3005020101 0400"));
      default -> element(random, 0x04, new byte[random.nextInt(300)]);
    };
  }

  /** Rarely more than a control has. */
  private static byte[] rest(Random random) {
    return random.nextInt(20) == 0 ? element(random, 0x04, new byte[1]) : new byte[0];
  }

  private static byte[] element(Random random, int tag, byte[]... contents) {
    return random.nextInt(4) == 0
        ? Tlv.ofLongLength(tag, 1 + random.nextInt(4), contents)
        : Tlv.of(tag, contents);
  }

  private static byte[] damaged(Random random, byte[] octets) {
    octets[random.nextInt(octets.length)] = (byte) random.nextInt();
    return octets;
  }
}
