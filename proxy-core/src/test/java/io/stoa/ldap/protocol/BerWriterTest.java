// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1Boolean;
import com.unboundid.asn1.ASN1Enumerated;
import com.unboundid.asn1.ASN1Integer;
import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.asn1.ASN1Sequence;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BerWriterTest {

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 127, 128, 255, 256, 32767, 32768, 8388607, 8388608, 16777216})
  void writesIntegersAsTheSdkDoes(int value) {
    for (int number : new int[] {value, -value, ~value, Integer.MAX_VALUE - value}) {
      byte[] written = new BerWriter().integer(BerReader.INTEGER, number).toByteArray();
      assertThat(written).isEqualTo(new ASN1Integer(number).encode());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 127, 128, 255, 256, 65535, 65536, 16777215, 16777216})
  void writesLengthsInTheFewestOctets(int length) {
    byte[] content = new byte[length];
    byte[] expected = new ASN1OctetString(content).encode();
    byte[] written = new BerWriter(1).octets(BerReader.OCTET_STRING, content).toByteArray();
    assertThat(written).isEqualTo(expected);
    assertThat(BerWriter.lengthSize(length)).isEqualTo(expected.length - length - 1);

    ByteBuf buffer = Unpooled.buffer();
    BerWriter.writeLength(buffer, length);
    assertThat(ByteBufUtil.getBytes(buffer))
        .isEqualTo(Arrays.copyOfRange(expected, 1, expected.length - length));

    BerWriter nested = new BerWriter();
    int begun = nested.begin(BerReader.OCTET_STRING);
    assertThat(nested.raw(content).end(begun).toByteArray()).isEqualTo(expected);
  }

  @Test
  void nestsElements() {
    Random random = new Random(3);
    for (int round = 0; round < 500; round++) {
      byte[] first = new byte[random.nextInt(300)];
      byte[] second = new byte[random.nextInt(300)];
      random.nextBytes(first);
      BerWriter writer = new BerWriter(random.nextInt(100));
      int outer = writer.begin(BerReader.SEQUENCE);
      writer.octets(BerReader.OCTET_STRING, first).bool(BerReader.BOOLEAN, true);
      int inner = writer.begin(BerReader.SEQUENCE);
      writer.octets(BerReader.OCTET_STRING, second).integer(BerReader.ENUMERATED, round);
      writer.end(inner).bool(BerReader.BOOLEAN, false).end(outer);
      assertThat(writer.toByteArray())
          .isEqualTo(nested(first, second, round))
          .hasSize(writer.size());
    }
  }

  private static byte[] nested(byte[] first, byte[] second, int number) {
    return new ASN1Sequence(
            new ASN1OctetString(first),
            new ASN1Boolean(true),
            new ASN1Sequence(new ASN1OctetString(second), new ASN1Enumerated(number)),
            new ASN1Boolean(false))
        .encode();
  }
}
