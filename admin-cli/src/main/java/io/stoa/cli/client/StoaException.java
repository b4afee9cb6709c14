// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import java.io.Serial;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when a command was not done. Carries one line for users and the exit code. Threading:
 * immutable.
 */
public final class StoaException extends Exception {
  @Serial private static final long serialVersionUID = 1;

  private final StoactlExitCode code;
  private final @Nullable Integer resultCode;

  /** Creates a failure without a result code of a server. */
  public StoaException(StoactlExitCode code, String message) {
    this(code, message, null);
  }

  private StoaException(StoactlExitCode code, String message, @Nullable Integer resultCode) {
    super(message);
    this.code = code;
    this.resultCode = resultCode;
  }

  /** Creates a failure that stoactl itself finds, such as a name that Stoa does not have. */
  public static StoaException refused(String message) {
    return new StoaException(StoactlExitCode.REFUSED, message);
  }

  /** Creates a failure from a server's answer, or for a server that did not answer. */
  static StoaException of(LDAPException failure, Endpoint endpoint) {
    return failure.getResultCode().isClientSideResultCode()
        ? unreachable(failure, endpoint)
        : answered(StoactlExitCode.REFUSED, failure);
  }

  /**
   * Returns this failure of the first request without TLS, with a hint if the port may be for TLS.
   */
  StoaException ofFirst(Endpoint endpoint) {
    return endpoint.scheme() == Endpoint.Scheme.LDAP
            && code == StoactlExitCode.UNREACHABLE
            && ClientFailureText.isBrokenOff(String.valueOf(getMessage()))
        ? new StoaException(code, getMessage() + "; the port may expect TLS: try ldaps://")
        : this;
  }

  /** Creates a failure from a server's answer, with an exit code. */
  static StoaException answered(StoactlExitCode code, LDAPException failure) {
    ResultCode result = failure.getResultCode();
    String said = failure.getDiagnosticMessage();
    String text = result.getName() + " (" + result.intValue() + ")";
    return new StoaException(
        code, said == null || said.isBlank() ? text : text + ": " + said, result.intValue());
  }

  private static StoaException unreachable(LDAPException failure, Endpoint endpoint) {
    String what =
        failure.getResultCode().equals(ResultCode.TIMEOUT)
            ? " timed out"
            : ": connection failed: " + ClientFailureText.of(failure) + remedy(endpoint);
    return new StoaException(StoactlExitCode.UNREACHABLE, endpoint + what);
  }

  private static String remedy(Endpoint endpoint) {
    return endpoint.scheme() == Endpoint.Scheme.LDAPI
        ? "; start Stoa with this socket in its listen, or name another address by -H"
        : "";
  }

  /** Returns this failure, or one with a message of stoactl if Stoa has no entry of the name. */
  public StoaException orIfUnknown(String message) {
    boolean unknown = Objects.equals(resultCode, ResultCode.NO_SUCH_OBJECT_INT_VALUE);
    return unknown ? refused(message) : this;
  }

  /** Returns the exit code. */
  public StoactlExitCode code() {
    return code;
  }

  /** Returns the LDAP result code; null if no server has answered. */
  public @Nullable Integer resultCode() {
    return resultCode;
  }
}
