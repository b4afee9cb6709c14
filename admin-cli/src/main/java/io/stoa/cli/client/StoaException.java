// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** Why a command was not done: one line for people, and how it ends. Immutable. */
public final class StoaException extends Exception {
  @Serial private static final long serialVersionUID = 1;

  private final ExitCode code;
  private final @Nullable Integer resultCode;

  /** A failure of which no server has told. */
  public StoaException(ExitCode code, String message) {
    this(code, message, null);
  }

  private StoaException(ExitCode code, String message, @Nullable Integer resultCode) {
    super(message);
    this.code = code;
    this.resultCode = resultCode;
  }

  /** A failure that Stoa has no such thing as was named. */
  public static StoaException unknown(String message) {
    return new StoaException(ExitCode.REFUSED, message);
  }

  /** What the server has answered, or that it has not. */
  static StoaException of(LDAPException failure, Endpoint endpoint) {
    return failure.getResultCode().isClientSideResultCode()
        ? unreachable(failure, endpoint)
        : answered(ExitCode.REFUSED, failure);
  }

  /** The same, with another end for an answer. */
  static StoaException answered(ExitCode code, LDAPException failure) {
    ResultCode result = failure.getResultCode();
    String said = failure.getDiagnosticMessage();
    String text = result.getName() + " (" + result.intValue() + ")";
    return new StoaException(
        code, said == null || said.isBlank() ? text : text + ": " + said, result.intValue());
  }

  private static StoaException unreachable(LDAPException failure, Endpoint endpoint) {
    String what =
        failure.getResultCode().equals(ResultCode.TIMEOUT)
            ? " does not answer in time"
            : " cannot be reached: " + rootCause(failure);
    return new StoaException(ExitCode.UNREACHABLE, endpoint + what);
  }

  /** The innermost is about the socket or the certificate; those around it repeat it. */
  static String rootCause(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    String message = cause.getMessage();
    return message == null || message.isBlank() ? cause.getClass().getSimpleName() : message;
  }

  /** How the command ends. */
  public ExitCode code() {
    return code;
  }

  /** LDAP's result code, if a server has answered. */
  public @Nullable Integer resultCode() {
    return resultCode;
  }
}
