// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.transport;

import java.io.EOFException;
import java.io.IOException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import javax.naming.NameNotFoundException;
import javax.naming.NamingException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns a failure into a short phrase for administrators. Messages of exceptions of Java, Netty and
 * libraries never get into the phrase, because they contain class names and numbers of errors.
 *
 * <ol>
 *   <li>The message of a {@link DescribedException} is the phrase.
 *   <li>Causes are searched from the outermost to the innermost. The first known one decides.
 *   <li>An unknown failure gets a neutral phrase. The exception is logged at level DEBUG.
 * </ol>
 *
 * <p>Threading: stateless.
 */
public final class FailureText {
  private static final Logger LOG = LoggerFactory.getLogger(FailureText.class);

  /** Phrase for a failure of Stoa itself. */
  public static final String INTERNAL = "internal error; details at level DEBUG";

  /** Phrase for a certificate that no trusted authority has issued. */
  public static final String UNTRUSTED = "certificate is not trusted";

  /** Phrase for a certificate that has other names than the host. */
  public static final String OTHER_HOST = "certificate is for another host";

  /** Start of the phrase for a received alert of TLS; its name in RFC 8446 follows. */
  public static final String ALERT = "TLS alert ";

  private static final String IO = "I/O error; details at level DEBUG";
  private static final String TLS = "TLS error; details at level DEBUG";
  private static final String DENIED = "permission denied";
  private static final String CLOSED = "connection closed";
  private static final String TIMED_OUT = "timed out";
  private static final String NO_FILE = "no such file";
  private static final String UNKNOWN_HOST = "unknown host";

  /** Maximum number of causes that are searched. A chain of causes may have a cycle. */
  private static final int MAX_CAUSES = 20;

  /** Phrases by parts of the texts of strerror(3) and of Java's sockets, in lower case. */
  private static final Map<String, String> SYSTEM_TEXTS = systemTexts();

  private FailureText() {}

  /** Returns a phrase for any failure. The phrase starts in lower case and has no full stop. */
  public static String of(Throwable failure) {
    String text = known(failure);
    if (text != null) {
      return text;
    }
    LOG.debug("failure without a known phrase", failure);
    if (causes(failure).stream().anyMatch(SSLException.class::isInstance)) {
      return TLS;
    }
    return failure instanceof IOException ? IO : INTERNAL;
  }

  /** Returns a phrase for an address and port that cannot be listened on. */
  public static String ofPort(Throwable failure) {
    String text = of(failure);
    return text.equals(DENIED)
        ? "permission denied for the port; a port below 1024 requires CAP_NET_BIND_SERVICE"
        : text;
  }

  /** Returns a phrase for the failure; null if none of its causes is known. */
  public static @Nullable String known(Throwable failure) {
    List<Throwable> causes = causes(failure);
    for (Throwable cause : causes) {
      if (cause instanceof DescribedException described) {
        return described.getMessage();
      }
    }
    String certificate = TlsFailureText.ofCertificate(causes);
    if (certificate != null) {
      return certificate;
    }
    for (Throwable cause : causes) {
      String text = ofOne(cause);
      if (text != null) {
        return text;
      }
    }
    return null;
  }

  /** Returns a failure and its causes, the outermost first. */
  private static List<Throwable> causes(Throwable failure) {
    List<Throwable> causes = new ArrayList<>();
    for (Throwable cause = failure;
        cause != null && causes.size() < MAX_CAUSES;
        cause = cause.getCause()) {
      causes.add(cause);
    }
    return causes;
  }

  private static @Nullable String ofOne(Throwable cause) {
    if (cause instanceof OutOfMemoryError) {
      return ofMemory(String.valueOf(cause.getMessage()));
    }
    if (cause instanceof SSLException) {
      return TlsFailureText.of(cause);
    }
    if (cause instanceof FileSystemException file) {
      return ofFile(file);
    }
    if (cause instanceof NamingException) {
      return ofName(cause);
    }
    String ofType = ofType(cause);
    return ofType == null && cause instanceof IOException ? ofSystem(cause.getMessage()) : ofType;
  }

  private static String ofMemory(String message) {
    return message.contains("direct") ? "direct memory exhausted" : "heap memory exhausted";
  }

  private static @Nullable String ofFile(FileSystemException failure) {
    if (failure instanceof NoSuchFileException) {
      return NO_FILE;
    }
    if (failure instanceof AccessDeniedException) {
      return DENIED;
    }
    return failure instanceof NotDirectoryException
        ? "not a directory"
        : ofSystem(failure.getReason()); // the message also contains the path
  }

  /** Returns a phrase for a failed DNS lookup; null if its cause says more. */
  private static @Nullable String ofName(Throwable failure) {
    if (failure instanceof NameNotFoundException) {
      return "domain not found";
    }
    return failure.getCause() == null ? "no usable response from DNS" : null;
  }

  private static @Nullable String ofType(Throwable cause) {
    if (cause instanceof UnknownHostException || cause instanceof UnresolvedAddressException) {
      return UNKNOWN_HOST;
    }
    if (cause instanceof CharacterCodingException) {
      return "not valid UTF-8";
    }
    if (cause instanceof ClosedChannelException || cause instanceof EOFException) {
      return CLOSED;
    }
    if (cause instanceof SocketTimeoutException || cause instanceof TimeoutException) {
      return TIMED_OUT;
    }
    return cause instanceof NoRouteToHostException && cause.getMessage() == null
        ? "no route to host"
        : null;
  }

  /** Returns the phrase for a text of the operating system; null if there is none. */
  private static @Nullable String ofSystem(@Nullable String message) {
    String text = message == null ? "" : message.toLowerCase(Locale.ROOT);
    return first(SYSTEM_TEXTS, text::contains);
  }

  /** Returns the first phrase whose key is accepted; null if there is none. */
  static @Nullable String first(Map<String, String> phrases, Predicate<String> accepted) {
    for (Map.Entry<String, String> phrase : phrases.entrySet()) {
      if (accepted.test(phrase.getKey())) {
        return phrase.getValue();
      }
    }
    return null;
  }

  private static Map<String, String> systemTexts() {
    Map<String, String> texts = new LinkedHashMap<>();
    ofSockets(texts);
    texts.put("no such file or directory", NO_FILE);
    texts.put(DENIED, DENIED);
    texts.put("operation not permitted", DENIED);
    texts.put("not a directory", "not a directory");
    texts.put("is a directory", "is a directory");
    texts.put("no space left on device", "no space left on device");
    texts.put("quota exceeded", "disk quota exceeded");
    texts.put("read-only file system", "read-only file system");
    texts.put("file name too long", "file name too long");
    texts.put("too many levels of symbolic links", "too many levels of symbolic links");
    texts.put("too many open files", "too many open files");
    texts.put("file too large", "file too large");
    texts.put("file exists", "file exists already");
    texts.put("device or resource busy", "device busy");
    texts.put("input/output error", "input/output error of the device");
    texts.put("cannot allocate memory", "system memory exhausted");
    return texts;
  }

  private static void ofSockets(Map<String, String> texts) {
    texts.put("connection refused", "connection refused");
    texts.put("connection reset", "connection reset");
    texts.put("connection timed out", "connection timed out");
    texts.put("connect timed out", "connection timed out");
    texts.put("timed out", TIMED_OUT);
    texts.put("broken pipe", CLOSED);
    texts.put("connection abort", CLOSED);
    texts.put("closed", CLOSED);
    texts.put("socket is not connected", CLOSED);
    texts.put("no route to host", "no route to host");
    texts.put("host is down", "host is down");
    texts.put("host is unreachable", "no route to host");
    texts.put("network is unreachable", "network unreachable");
    texts.put("network is down", "network is down");
    texts.put("address already in use", "address already in use");
    texts.put("cannot assign requested address", "address does not belong to this host");
    texts.put("address family not supported", "address family not supported");
    texts.put("no buffer space available", "socket buffers exhausted");
  }
}
