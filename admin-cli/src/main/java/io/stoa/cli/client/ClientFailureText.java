// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Turns a failure into a short phrase for users. Messages of exceptions of Java and of the SDK
 * never get into the phrase, because they contain class names.
 *
 * <p>Threading: stateless.
 */
public final class ClientFailureText {
  private static final String NO_FILE = "no such file";
  private static final String DENIED = "permission denied";
  private static final String CLOSED = "connection closed";
  private static final String RESET = "connection reset";
  private static final String MALFORMED = "malformed LDAP message";
  private static final String TIMED_OUT = "timed out";

  /** Maximum number of causes that are searched. A chain of causes may have a cycle. */
  private static final int MAX_CAUSES = 20;

  /** A received alert in a message of the JDK; the name is that of RFC 8446, section 6. */
  private static final Pattern ALERT = Pattern.compile("fatal alert: ([a-z_]+)");

  /** Phrases by parts of the texts of the operating system and of Java's sockets. */
  private static final List<Map.Entry<String, String>> TEXTS =
      List.of(
          Map.entry("connection refused", "connection refused"),
          Map.entry(RESET, RESET),
          Map.entry("timed out", TIMED_OUT),
          Map.entry("broken pipe", CLOSED),
          Map.entry("closed", CLOSED),
          Map.entry("terminated the handshake", CLOSED),
          Map.entry("shut down incorrectly", CLOSED),
          Map.entry("unrecognized ssl message", "the server does not speak TLS on this port"),
          Map.entry("no appropriate protocol", "no TLS version in common"),
          Map.entry("no route to host", "no route to host"),
          Map.entry("network is unreachable", "network unreachable"),
          Map.entry("no such file or directory", NO_FILE),
          Map.entry(DENIED, DENIED),
          Map.entry("is a directory", "is a directory"),
          Map.entry("not a directory", "not a directory"),
          Map.entry("too many open files", "too many open files"),
          Map.entry("too many levels of symbolic links", "too many levels of symbolic links"));

  private ClientFailureText() {}

  /** Returns a phrase for any failure. */
  public static String of(Throwable failure) {
    List<Throwable> causes = new ArrayList<>();
    for (Throwable cause = failure;
        cause != null && causes.size() < MAX_CAUSES;
        cause = cause.getCause()) {
      causes.add(cause);
    }
    String text = ofCertificate(causes);
    for (int i = 0; text == null && i < causes.size(); i++) {
      text = ofOne(causes.get(i));
    }
    return text == null ? "unknown failure" : text;
  }

  /**
   * True if a message says that the server closed the connection, or sent something that is no
   * LDAP: so a port for TLS answers a request without TLS.
   */
  static boolean isBrokenOff(String message) {
    return Stream.of(CLOSED, RESET, MALFORMED).anyMatch(message::endsWith);
  }

  /** Returns a phrase if one of the causes concerns a certificate; else null. */
  private static @Nullable String ofCertificate(List<Throwable> causes) {
    String general = null;
    for (Throwable cause : causes) {
      String message = String.valueOf(cause.getMessage());
      if (cause instanceof CertificateExpiredException) {
        return "the certificate of the server has expired";
      }
      if (cause instanceof CertificateNotYetValidException) {
        return "the certificate of the server is not valid yet";
      }
      if (message.startsWith("No subject alternative") || message.startsWith("No name matching")) {
        return "the certificate of the server is for another host";
      }
      if (cause instanceof CertificateException
          || cause instanceof CertPathValidatorException
          || cause instanceof CertPathBuilderException) {
        general = "the certificate of the server is not trusted; see --ca";
      }
    }
    return general;
  }

  private static @Nullable String ofOne(Throwable cause) {
    if (cause instanceof UnknownHostException || cause instanceof UnresolvedAddressException) {
      return "unknown host";
    }
    if (cause instanceof ClosedChannelException || cause instanceof EOFException) {
      return CLOSED;
    }
    if (cause instanceof SocketTimeoutException) {
      return TIMED_OUT;
    }
    if (cause instanceof NoSuchFileException) {
      return NO_FILE;
    }
    if (cause instanceof AccessDeniedException) {
      return DENIED;
    }
    if (cause instanceof FileSystemException file) {
      return ofText(file.getReason()); // the message also contains the path
    }
    if (cause instanceof LDAPException ldap && ldap.getCause() == null) {
      return ofSdk(ldap.getResultCode());
    }
    return cause instanceof IOException ? ofMessage(cause) : null;
  }

  /** Returns a phrase for a result code that the SDK itself has set. */
  private static @Nullable String ofSdk(ResultCode code) {
    if (code.equals(ResultCode.SERVER_DOWN)) {
      return CLOSED;
    }
    return code.equals(ResultCode.DECODING_ERROR) ? MALFORMED : null;
  }

  private static @Nullable String ofMessage(Throwable cause) {
    Matcher alert = ALERT.matcher(String.valueOf(cause.getMessage()));
    if (cause instanceof SSLException && alert.find()) {
      return "TLS alert " + alert.group(1);
    }
    String known = ofText(cause.getMessage());
    return known == null && cause instanceof SSLException && cause.getCause() == null
        ? "TLS failed"
        : known;
  }

  private static @Nullable String ofText(@Nullable String message) {
    String text = message == null ? "" : message.toLowerCase(Locale.ROOT);
    return TEXTS.stream()
        .filter(phrase -> text.contains(phrase.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(null);
  }
}
