// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The result codes of LDAP with the names of their specifications: RFC 4511, section 4.1.9; RFC
 * 3909 (cancel), RFC 4528 (assertion), RFC 4370 (proxied authorization) and RFC 4533 (sync).
 *
 * <p>Threading: immutable.
 */
public enum LdapResultCode {
  SUCCESS(0, "success"),
  OPERATIONS_ERROR(1, "operationsError"),
  PROTOCOL_ERROR(2, "protocolError"),
  TIME_LIMIT_EXCEEDED(3, "timeLimitExceeded"),
  SIZE_LIMIT_EXCEEDED(4, "sizeLimitExceeded"),
  COMPARE_FALSE(5, "compareFalse"),
  COMPARE_TRUE(6, "compareTrue"),
  AUTH_METHOD_NOT_SUPPORTED(7, "authMethodNotSupported"),
  STRONGER_AUTH_REQUIRED(8, "strongerAuthRequired"),
  REFERRAL(10, "referral"),
  ADMIN_LIMIT_EXCEEDED(11, "adminLimitExceeded"),
  UNAVAILABLE_CRITICAL_EXTENSION(12, "unavailableCriticalExtension"),
  CONFIDENTIALITY_REQUIRED(13, "confidentialityRequired"),
  SASL_BIND_IN_PROGRESS(14, "saslBindInProgress"),
  NO_SUCH_ATTRIBUTE(16, "noSuchAttribute"),
  UNDEFINED_ATTRIBUTE_TYPE(17, "undefinedAttributeType"),
  INAPPROPRIATE_MATCHING(18, "inappropriateMatching"),
  CONSTRAINT_VIOLATION(19, "constraintViolation"),
  ATTRIBUTE_OR_VALUE_EXISTS(20, "attributeOrValueExists"),
  INVALID_ATTRIBUTE_SYNTAX(21, "invalidAttributeSyntax"),
  NO_SUCH_OBJECT(32, "noSuchObject"),
  ALIAS_PROBLEM(33, "aliasProblem"),
  INVALID_DN_SYNTAX(34, "invalidDNSyntax"),
  ALIAS_DEREFERENCING_PROBLEM(36, "aliasDereferencingProblem"),
  INAPPROPRIATE_AUTHENTICATION(48, "inappropriateAuthentication"),
  INVALID_CREDENTIALS(49, "invalidCredentials"),
  INSUFFICIENT_ACCESS_RIGHTS(50, "insufficientAccessRights"),
  BUSY(51, "busy"),
  UNAVAILABLE(52, "unavailable"),
  UNWILLING_TO_PERFORM(53, "unwillingToPerform"),
  LOOP_DETECT(54, "loopDetect"),
  NAMING_VIOLATION(64, "namingViolation"),
  OBJECT_CLASS_VIOLATION(65, "objectClassViolation"),
  NOT_ALLOWED_ON_NON_LEAF(66, "notAllowedOnNonLeaf"),
  NOT_ALLOWED_ON_RDN(67, "notAllowedOnRDN"),
  ENTRY_ALREADY_EXISTS(68, "entryAlreadyExists"),
  OBJECT_CLASS_MODS_PROHIBITED(69, "objectClassModsProhibited"),
  AFFECTS_MULTIPLE_DSAS(71, "affectsMultipleDSAs"),
  OTHER(80, "other"),
  CANCELED(118, "canceled"),
  NO_SUCH_OPERATION(119, "noSuchOperation"),
  TOO_LATE(120, "tooLate"),
  CANNOT_CANCEL(121, "cannotCancel"),
  ASSERTION_FAILED(122, "assertionFailed"),
  AUTHORIZATION_DENIED(123, "authorizationDenied"),
  SYNC_REFRESH_REQUIRED(4096, "e-syncRefreshRequired"),

  /** Any code that is not listed. A server may return private codes. */
  UNLISTED(-1, "unlisted");

  private static final Map<Integer, LdapResultCode> BY_CODE = new HashMap<>();

  static {
    for (LdapResultCode one : values()) {
      BY_CODE.put(one.code, one);
    }
  }

  private final int code;
  private final String label;

  LdapResultCode(int code, String label) {
    this.code = code;
    this.label = label;
  }

  /** Returns the constant of a code; {@link #UNLISTED} if it has none. */
  public static LdapResultCode of(int code) {
    return Objects.requireNonNullElse(BY_CODE.get(code), UNLISTED);
  }

  /** Returns the number on the wire; -1 for {@link #UNLISTED}. */
  public int code() {
    return code;
  }

  /** Returns the name of the specification. */
  public String label() {
    return label;
  }
}
