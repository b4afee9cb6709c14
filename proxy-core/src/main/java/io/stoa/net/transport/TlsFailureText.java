// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.transport;

import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Phrases for failures of TLS and of certificates, for both implementations: the JDK's and
 * BoringSSL.
 *
 * <p>Threading: stateless.
 */
final class TlsFailureText {
  /** Alerts of RFC 8446, section 6, and those of TLS 1.2. */
  private static final Set<String> ALERTS =
      Set.of(
          "close_notify",
          "unexpected_message",
          "bad_record_mac",
          "decryption_failed",
          "record_overflow",
          "decompression_failure",
          "handshake_failure",
          "no_certificate",
          "bad_certificate",
          "unsupported_certificate",
          "certificate_revoked",
          "certificate_expired",
          "certificate_unknown",
          "illegal_parameter",
          "unknown_ca",
          "access_denied",
          "decode_error",
          "decrypt_error",
          "export_restriction",
          "protocol_version",
          "insufficient_security",
          "internal_error",
          "inappropriate_fallback",
          "user_canceled",
          "no_renegotiation",
          "missing_extension",
          "unsupported_extension",
          "certificate_unobtainable",
          "unrecognized_name",
          "bad_certificate_status_response",
          "bad_certificate_hash_value",
          "unknown_psk_identity",
          "certificate_required",
          "no_application_protocol");

  /** A received alert in a message of the JDK or of BoringSSL. */
  private static final Pattern ALERT =
      Pattern.compile("(?:fatal alert: |(?:sslv3|tlsv1|tlsv13)_(?:alert_)?)([a-z_]+)");

  /** Phrases by parts of messages of the JDK and of BoringSSL, in lower case. */
  private static final Map<String, String> TEXTS = texts();

  private TlsFailureText() {}

  /** Returns a phrase for an exception of TLS; null if its message is unknown. */
  static @Nullable String of(Throwable failure) {
    if (failure instanceof NotSslRecordException) {
      return "not TLS";
    }
    if (failure instanceof SslHandshakeTimeoutException) {
      return "timed out";
    }
    String text = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
    Matcher alert = ALERT.matcher(text);
    if (alert.find()) {
      String name = alert.group(1).replace("user_cancelled", "user_canceled");
      if (ALERTS.contains(name)) {
        return FailureText.ALERT + name;
      }
    }
    return FailureText.first(TEXTS, text::contains);
  }

  /** Returns a phrase if one of the causes concerns a certificate; else null. */
  static @Nullable String ofCertificate(List<Throwable> causes) {
    String general = null;
    for (Throwable cause : causes) {
      if (cause instanceof CertPathValidatorException path && ofPath(path) != null) {
        return ofPath(path);
      }
      if (cause instanceof CertificateExpiredException) {
        return "certificate expired";
      }
      if (cause instanceof CertificateNotYetValidException) {
        return "certificate is not valid yet";
      }
      if (cause instanceof CertificateException && isAboutName(cause)) {
        return FailureText.OTHER_HOST;
      }
      if (isOfCertificate(cause)) {
        general = FailureText.UNTRUSTED;
      }
    }
    return general;
  }

  private static boolean isOfCertificate(Throwable cause) {
    return cause instanceof CertificateException
        || cause instanceof CertPathValidatorException
        || cause instanceof CertPathBuilderException;
  }

  private static boolean isAboutName(Throwable cause) {
    String message = String.valueOf(cause.getMessage());
    return message.startsWith("No subject alternative") || message.startsWith("No name matching");
  }

  private static @Nullable String ofPath(CertPathValidatorException failure) {
    if (!(failure.getReason() instanceof BasicReason reason)) {
      return null;
    }
    X509Certificate certificate = certificate(failure);
    return switch (reason) {
      case EXPIRED ->
          "certificate expired"
              + (certificate == null ? "" : " at " + certificate.getNotAfter().toInstant());
      case NOT_YET_VALID ->
          "certificate is not valid"
              + (certificate == null
                  ? " yet"
                  : " before " + certificate.getNotBefore().toInstant());
      case REVOKED -> "certificate revoked";
      case INVALID_SIGNATURE -> "certificate has an invalid signature";
      case ALGORITHM_CONSTRAINED -> "certificate uses a weak algorithm";
      default -> null;
    };
  }

  /** Returns the certificate that was refused; null if unknown. */
  private static @Nullable X509Certificate certificate(CertPathValidatorException failure) {
    int index = failure.getIndex();
    List<? extends Certificate> path =
        failure.getCertPath() == null ? List.of() : failure.getCertPath().getCertificates();
    return index >= 0 && index < path.size() && path.get(index) instanceof X509Certificate found
        ? found
        : null;
  }

  private static Map<String, String> texts() {
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put("no_shared_cipher", "no cipher suite in common");
    texts.put("no cipher suites in common", "no cipher suite in common");
    texts.put("unsupported_protocol", "no TLS version in common");
    texts.put("no appropriate protocol", "no TLS version in common");
    texts.put("is not enabled or supported", "no TLS version in common");
    texts.put("not accepted by client preferences", "no TLS version in common");
    texts.put("peer_did_not_return_a_certificate", "no client certificate");
    texts.put("empty client certificate chain", "no client certificate");
    texts.put("certificate_verify_failed", FailureText.UNTRUSTED);
    texts.put("wrong_version_number", "not TLS");
    texts.put("http_request", "not TLS");
    texts.put("unrecognized ssl message", "not TLS");
    texts.put("not tls", "not TLS");
    texts.put("host terminated the handshake", "connection closed");
    texts.put("close_notify", "connection closed");
    texts.put("shut down incorrectly", "connection closed");
    texts.put("closed", "connection closed");
    texts.put("connection reset", "connection reset");
    texts.put("broken pipe", "connection closed");
    texts.put("removed before handshake", "connection closed");
    return texts;
  }
}
