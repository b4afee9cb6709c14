// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.proxyprotocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Headers of the PROXY protocol, octet by octet and through the decoder. */
class ProxyHeaderEncoderTest {
  private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";
  private static final InetSocketAddress SERVER = new InetSocketAddress("192.0.2.9", 389);

  private static ByteBuf written(InetSocketAddress client, InetSocketAddress server) {
    EmbeddedChannel channel = new EmbeddedChannel();
    ProxyHeaderEncoder.write(channel, client, server);
    channel.flush();
    assertThat(channel.pipeline().names()).hasSize(1); // only Netty's tail is left
    ByteBuf header = channel.readOutbound();
    assertThat(channel.finish()).isFalse();
    return header;
  }

  private static String octets(InetSocketAddress client, InetSocketAddress server) {
    ByteBuf header = written(client, server);
    try {
      return ByteBufUtil.hexDump(header);
    } finally {
      header.release();
    }
  }

  @Test
  void theConnectionWithoutAClientIsLocal() {
    assertThat(octets(null, SERVER)).isEqualTo(SIGNATURE + "20000000");
  }

  @Test
  void aHeaderNamesBothAddressesAndPorts() {
    assertThat(octets(new InetSocketAddress("192.0.2.1", 0x1234), SERVER))
        .isEqualTo(SIGNATURE + "2111000c" + "c0000201" + "c0000209" + "1234" + "0185");
    assertThat(
            octets(
                new InetSocketAddress("2001:db8::1%3", 1), new InetSocketAddress("2001:db8::2", 2)))
        .isEqualTo(
            SIGNATURE
                + "21210024"
                + "20010db8000000000000000000000001"
                + "20010db8000000000000000000000002"
                + "00010002");
  }

  @Test
  void anAddressOfIPv4BesideOneOfIPv6IsMapped() {
    assertThat(octets(new InetSocketAddress("2001:db8::1", 1), SERVER))
        .isEqualTo(
            SIGNATURE
                + "21210024"
                + "20010db8000000000000000000000001"
                + "00000000000000000000ffffc0000209"
                + "00010185");
    assertThat(octets(SERVER, new InetSocketAddress("2001:db8::1", 1)))
        .isEqualTo(
            SIGNATURE
                + "21210024"
                + "00000000000000000000ffffc0000209"
                + "20010db8000000000000000000000001"
                + "01850001");
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.1, 192.0.2.9",
    "192.0.2.1, 2001:db8::9",
    "2001:db8::1, 192.0.2.9",
    "::1, 2001:db8::9"
  })
  void theDecoderReadsTheClient(String client, String server) {
    InetSocketAddress address = new InetSocketAddress(client, 50_000);
    List<InetSocketAddress> read = new ArrayList<>();
    EmbeddedChannel channel = new EmbeddedChannel();
    ProxyHeaderDecoder.expect(
        channel,
        Duration.ofMinutes(1),
        new ProxyHeaderDecoder.HeaderListener() {
          @Override
          public void onHeader(InetSocketAddress found) {
            read.add(found);
          }

          @Override
          public void onMissing() {
            throw new AssertionError("no header");
          }

          @Override
          public void onTimeout() {
            throw new AssertionError("timeout");
          }
        });
    channel.writeInbound(written(address, new InetSocketAddress(server, 389)));
    assertThat(read).containsExactly(address);
    assertThat(channel.finish()).isFalse();
  }
}
