// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.netty.buffer.ByteBuf;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BerReaderTest {

  @ParameterizedTest
  @CsvSource({
    "00, 0, 1",
    "7f, 127, 1",
    "81 00, 0, 2",
    "81 80, 128, 2",
    "82 00 05, 5, 3",
    "83 01 02 03, 66051, 4",
    "84 00 00 00 0c, 12, 5",
    "84 7f ff ff ff, 2147483647, 5"
  })
  void readsLengthsOfEveryForm(String octets, int length, int lengthOctets) {
    ByteBuf buffer = Hex.buffer(octets + "ff");
    long header = BerReader.header(buffer, 0, buffer.writerIndex());
    assertThat(BerReader.length(header)).isEqualTo(length);
    assertThat(BerReader.lengthOctets(header)).isEqualTo(lengthOctets);
  }

  @ParameterizedTest
  @CsvSource({
    "80, -2",
    "84 80 00 00 00, -3",
    "85 00 00 00 00 01, -3",
    "88 00 00 00 00 00 00 00 01, -3",
    "ff, -3",
    "81, -1",
    "84 00 00 00, -1",
    "'', -1"
  })
  void reportsTheDefectOfALength(String octets, long problem) {
    ByteBuf buffer = Hex.buffer(octets);
    assertThat(BerReader.header(buffer, 0, buffer.writerIndex())).isEqualTo(problem);
  }

  @ParameterizedTest
  @CsvSource({
    "02 01 00, 0",
    "02 01 7f, 127",
    "02 01 ff, -1",
    "02 02 00 80, 128",
    "02 04 7f ff ff ff, 2147483647",
    "02 04 80 00 00 00, -2147483648",
    "02 02 00 05, 5",
    "02 81 01 05, 5"
  })
  void readsIntegers(String octets, int value) throws LdapProtocolException {
    assertThat(reader(octets).integer(BerReader.INTEGER)).isEqualTo(value);
  }

  @ParameterizedTest
  @ValueSource(strings = {"02 00", "02 05 00 00 00 00 01", "0a 01 01", "22 03 02 01 01", "02", ""})
  void refusesIntegers(String octets) {
    refused(() -> reader(octets).integer(BerReader.INTEGER));
  }

  @Test
  void anyOctetButZeroIsTrue() throws LdapProtocolException {
    assertThat(reader("01 01 00").bool(BerReader.BOOLEAN)).isFalse();
    assertThat(reader("01 01 ff").bool(BerReader.BOOLEAN)).isTrue();
    assertThat(reader("01 01 01").bool(BerReader.BOOLEAN)).isTrue();
    refused(() -> reader("01 00").bool(BerReader.BOOLEAN));
    refused(() -> reader("01 02 00 00").bool(BerReader.BOOLEAN));
  }

  @Test
  void readsOctetsWithinTheEnclosingElementOnly() throws LdapProtocolException {
    BerReader reader = reader("30 04 04 02 61 62 04 00");
    int outer = reader.enter(BerReader.SEQUENCE);
    assertThat(reader.octets(BerReader.OCTET_STRING)).isEqualTo(Hex.octets("6162"));
    assertThat(reader.hasMore()).isFalse();
    assertThat(reader.peekTag()).isEqualTo(-1);
    refused(() -> reader.octets(BerReader.OCTET_STRING));
    reader.finish(outer);
    assertThat(reader.peekTag()).isEqualTo(BerReader.OCTET_STRING);
    assertThat(reader.octets(BerReader.OCTET_STRING)).isEmpty();
    assertThat(reader.sawUnknownElements()).isFalse();
  }

  @Test
  void anElementMustEndWithinTheOneAroundIt() throws LdapProtocolException {
    BerReader reader = reader("30 03 04 02 61 62");
    reader.enter(BerReader.SEQUENCE);
    refused(() -> reader.octets(BerReader.OCTET_STRING));
    refused(() -> reader("30 03 04 02").skipElement());
  }

  @Test
  void leavingSkipsAndReportsUnknownElements() throws LdapProtocolException {
    BerReader reader = reader("30 09 04 00 9f 81 01 01 00 a0 00 04 01 07");
    int outer = reader.enter(BerReader.SEQUENCE);
    reader.skip(BerReader.OCTET_STRING);
    reader.leave(outer);
    assertThat(reader.sawUnknownElements()).isTrue();
    assertThat(reader.octets(BerReader.OCTET_STRING)).isEqualTo(Hex.octets("07"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"30 01 9f", "30 03 9f 81 01", "30 02 04 01", "30 01 04"})
  void unknownElementsMustBeWellFormed(String octets) throws LdapProtocolException {
    BerReader reader = reader(octets);
    int outer = reader.enter(BerReader.SEQUENCE);
    refused(() -> reader.leave(outer));
  }

  @Test
  void finishingRejectsUnreadElements() throws LdapProtocolException {
    BerReader reader = reader("30 02 04 00");
    int outer = reader.enter(BerReader.SEQUENCE);
    refused(() -> reader.finish(outer));
  }

  @Test
  void copiesWholeElements() throws LdapProtocolException {
    BerReader reader = reader("a3 81 02 04 00 04 00");
    assertThat(reader.element()).isEqualTo(Hex.octets("a3 81 02 04 00"));
    assertThat(reader.skip(BerReader.OCTET_STRING)).isZero();
    assertThat(reader.copySince(5)).isEqualTo(Hex.octets("04 00"));
  }

  @Test
  void anIndefiniteLengthHasItsOwnReason() {
    assertThatExceptionOfType(LdapProtocolException.class)
        .isThrownBy(() -> reader("30 80 00 00").enter(BerReader.SEQUENCE))
        .extracting(LdapProtocolException::reason)
        .isEqualTo(ProtocolError.INDEFINITE_LENGTH);
  }

  @Test
  void multiOctetTagsAreRefused() {
    refused(() -> reader("1f 01 00").skip(0x1F));
  }

  @Test
  void readsTheReadablePartWithoutMovingIndices() throws LdapProtocolException {
    ByteBuf buffer = Hex.buffer("ff 04 01 05 ff").readerIndex(1).writerIndex(4);
    BerReader reader = new BerReader(buffer, ProtocolError.MALFORMED_REQUEST);
    assertThat(reader.octets(BerReader.OCTET_STRING)).containsExactly(5);
    assertThat(reader.hasMore()).isFalse();
    assertThat(buffer.readerIndex()).isEqualTo(1);
    assertThat(buffer.writerIndex()).isEqualTo(4);
  }

  private static BerReader reader(String octets) {
    return new BerReader(Hex.octets(octets), ProtocolError.MALFORMED_REQUEST);
  }

  private static void refused(ThrowingCallable call) {
    assertThatExceptionOfType(LdapProtocolException.class)
        .isThrownBy(call)
        .extracting(LdapProtocolException::reason)
        .isEqualTo(ProtocolError.MALFORMED_REQUEST);
  }
}
