// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.tls;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.internal.PlatformDependent;
import io.stoa.net.tls.TlsConfig;
import io.stoa.net.tls.TlsProvider;
import io.stoa.testing.Await;
import io.stoa.testing.Certificates;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Memory;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.Received;
import io.stoa.testing.Records;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.SocketRelay;
import io.stoa.testing.Tlv;
import io.stoa.testing.UpstreamLink;
import io.stoa.upstream.connect.UpstreamTransport;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A large entry that comes by TLS and goes on by TLS, to a client that takes its time. */
class LargeTlsIT {
  private static final int MEGABYTE = 1 << 20;
  private static final int SIZE = 64 * MEGABYTE;

  /** What may be between the server and the client: in five sockets, and in Stoa. */
  private static final int UNDER_WAY = 40 * MEGABYTE;

  /**
   * Heap, and as much direct memory, that Stoa may take of it. Netty reserves direct memory in
   * chunks of several megabytes and keeps them for the next buffers: 6 to 17 MB were seen.
   */
  private static final int HELD = 24 * MEGABYTE;

  /** If nothing was sent between so many looks, nothing can be. */
  private static final int LOOKS = 40;

  /** After so many octets the value begins anew: a prime number. */
  private static final int PERIOD = 65_537;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static Certificates certificates;
  private static Certificates.Pair own;

  private final byte[] block = new byte[PERIOD];
  private final AtomicLong sent = new AtomicLong();
  private ScriptedUpstream upstream;

  @BeforeAll
  static void issue() {
    certificates = Certificates.create();
    own = certificates.server();
  }

  @AfterAll
  static void forget() {
    certificates.close();
  }

  @BeforeEach
  void start() {
    for (int i = 0; i < PERIOD; i++) {
      block[i] = (byte) (i * 31 + i / 251);
    }
    upstream = ScriptedUpstream.forgetful();
    upstream.when(request -> request.isSearchFor("ou=large"), this::answer);
  }

  @AfterEach
  void stop() {
    upstream.close();
  }

  private void answer(Received request, UpstreamLink link) {
    link.sendOctets(head(request.messageId()));
    for (int rest = SIZE; rest > 0; rest -= PERIOD) {
      int count = Math.min(rest, PERIOD);
      link.sendOctets(Arrays.copyOf(block, count));
      sent.addAndGet(count);
    }
    link.send(request.messageId(), Responses.searchDone(0));
  }

  /** All of a search result entry up to the octets of its only value. */
  private static byte[] head(int messageId) {
    byte[] value = header(0x04, SIZE);
    byte[] values = Tlv.concat(header(0x31, value.length + SIZE), value);
    byte[] type = Tlv.of(0x04, "jpegPhoto".getBytes(StandardCharsets.US_ASCII));
    byte[] attribute = Tlv.concat(header(0x30, type.length + values.length + SIZE), type, values);
    byte[] name = Tlv.of(0x04, "ou=large".getBytes(StandardCharsets.US_ASCII));
    byte[] attributes = Tlv.concat(header(0x30, attribute.length + SIZE), attribute);
    byte[] op =
        Tlv.concat(
            header(RawMessage.SEARCH_ENTRY, name.length + attributes.length + SIZE),
            name,
            attributes);
    byte[] id = Tlv.integer(0x02, messageId);
    return Tlv.concat(header(0x30, id.length + op.length + SIZE), id, op);
  }

  private static byte[] header(int tag, int length) {
    return Tlv.concat(
        new byte[] {(byte) tag, (byte) 0x84},
        new byte[] {
          (byte) (length >> 24), (byte) (length >> 16), (byte) (length >> 8), (byte) length
        });
  }

  private RunningProxy proxy(TlsProvider provider, SocketRelay relay) {
    TlsConfig trusting = TlsConfig.DEFAULTS.trusting(certificates.ca()).provider(provider);
    UpstreamTransport transport = Records.with(UpstreamTransport.DEFAULTS, "tls", trusting);
    TlsConfig shown = TlsConfig.DEFAULTS.identity(own.certificate(), own.key()).provider(provider);
    return ProxySetup.beforeUrls("ldaps://127.0.0.1:" + relay.address().getPort())
        .upstream("transport", transport)
        .tls(shown, "ldaps://127.0.0.1:0")
        .start();
  }

  @ParameterizedTest
  @EnumSource(names = {"OPENSSL", "JDK"})
  void aLargeEntryIsStreamedNotBuffered(TlsProvider provider) {
    try (SocketRelay relay = SocketRelay.tls(certificates.clientContext(own), upstream.port());
        RunningProxy proxy = proxy(provider, relay);
        RawLdapClient client =
            RawLdapClient.connect(proxy.address(), certificates.clientContext())) {
      final long heap = Memory.heapInUse();
      final long direct = PlatformDependent.usedDirectMemory();
      client.send(search("ou=large," + People.SUFFIX).request());
      awaitStandstill();
      assertThat(Memory.heapInUse() - heap).isLessThan(HELD);
      assertThat(PlatformDependent.usedDirectMemory() - direct).isLessThan(HELD);
      assertThat(sent.get()).isLessThan(UNDER_WAY);
      assertComes(client, direct);
    }
  }

  /** Nobody reads: sooner or later nothing more can be sent. */
  private void awaitStandstill() {
    AtomicLong last = new AtomicLong();
    AtomicInteger alike = new AtomicInteger();
    Await.until(
        "nothing more is sent",
        () -> {
          long now = sent.get();
          boolean same = now > 0 && last.getAndSet(now) == now;
          return (same ? alike.incrementAndGet() : alike.getAndSet(0)) >= LOOKS;
        });
  }

  private void assertComes(RawLdapClient client, long direct) {
    byte[] head = client.octets(head(1).length);
    assertThat(Arrays.copyOfRange(head, 9, head.length))
        .isEqualTo(Arrays.copyOfRange(head(1), 9, head.length));
    for (int read = 0; read < SIZE; ) {
      int count = Math.min(SIZE - read, PERIOD);
      assertThat(Arrays.equals(client.octets(count), Arrays.copyOf(block, count))).isTrue();
      read += count;
      assertThat(sent.get() - read).isLessThan(UNDER_WAY);
      assertThat(PlatformDependent.usedDirectMemory() - direct).isLessThan(HELD);
    }
    assertThat(client.await(1)).hasSize(1);
  }
}
