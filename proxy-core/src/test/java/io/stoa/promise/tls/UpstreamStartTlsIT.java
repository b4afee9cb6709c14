// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Records;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.upstream.connect.UpstreamTransport;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Answers to StartTLS after which Stoa sends nothing more, and least of all in plain. */
class UpstreamStartTlsIT {
  private static final String START_TLS = "1.3.6.1.4.1.1466.20037";
  private static final int UNAVAILABLE = 52;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static Answer response(RawRequest response) {
    return (request, link) -> link.send(request.messageId(), response);
  }

  /** Agrees, and says more in the same segment: an attacker's answer to what comes later. */
  private static Answer injection(byte[] more) {
    return (request, link) -> {
      ByteArrayOutputStream octets = new ByteArrayOutputStream();
      octets.writeBytes(Responses.extended(0, START_TLS).encode(request.messageId()));
      octets.writeBytes(more);
      link.sendOctets(octets.toByteArray());
    };
  }

  static Stream<Arguments> answers() {
    RawRequest bindResponse = Responses.result(Received.BIND, 0);
    String refused = "; enable StartTLS on the server, or set upstream.startTls to false";
    String behind = "server sent data between its StartTLS response and TLS";
    return Stream.of(
        Arguments.of(
            "protocolError", Answers.result(2), "StartTLS refused with result code 2" + refused),
        Arguments.of(
            "unavailable", Answers.result(52), "StartTLS refused with result code 52" + refused),
        Arguments.of("an answer", injection(bindResponse.encode(2)), behind),
        Arguments.of("half an answer", injection(new byte[] {0x30}), behind),
        Arguments.of("garbage", injection(new byte[] {0x16, 3, 1, 0}), behind),
        Arguments.of(
            "another name",
            response(Responses.extended(0, "1.2.3")),
            "response does not match the StartTLS request"),
        Arguments.of(
            "another messageID",
            (Answer) (request, link) -> link.send(77, Responses.extended(0, START_TLS)),
            "response does not match the StartTLS request"),
        Arguments.of("another kind", response(bindResponse), "unexpected response to StartTLS"),
        Arguments.of(
            "a notice",
            Answers.noticeOfDisconnection(UNAVAILABLE),
            "server closed the connection with result code 52"),
        Arguments.of("its end", Answers.close(), "connection closed during StartTLS"),
        Arguments.of("silence", Answers.silence(), "no response to StartTLS within"),
        Arguments.of(
            "its end at the first octets of TLS",
            response(Responses.extended(0, START_TLS)),
            "connection closed during the TLS handshake"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("answers")
  void anUnexpectedAnswerEndsTheConnection(String what, Answer answer, String reason) {
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        RunningProxy proxy = startTls(upstream.always(answer)).startWithoutUpstream()) {
      proxy.awaitReason(1, reason);
      assertThat(proxy.status().ready()).isFalse();
      assertThat(upstream.received())
          .allMatch(request -> request.is(Received.EXTENDED))
          .allMatch(request -> request.message().mentions(START_TLS));
      Await.until("nothing is left", () -> proxy.status().backends().get(0).connections() == 0);
    }
  }

  private static ProxySetup startTls(ScriptedUpstream upstream) {
    return ProxySetup.before(upstream.port())
        .upstream("connectTimeout", Duration.ofSeconds(1))
        .upstream("transport", Records.with(UpstreamTransport.DEFAULTS, "startTls", true));
  }

  /** A password that goes over a network in the clear is worth a line at the start. */
  @Test
  void aServerInPlainIsWarnedOf() {
    try (RunningProxy proxy = ProxySetup.beforeUrls("ldap://203.0.113.1").startWithoutUpstream()) {
      assertThat(proxy.status().ready()).isFalse();
      assertThat(log.warnings())
          .anyMatch(
              line ->
                  line.contains(
                      "ldap://203.0.113.1:389 is reached without TLS: binds of clients that use"
                          + " TLS are refused"));
    }
  }
}
