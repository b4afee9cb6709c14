// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import com.unboundid.ldap.sdk.BindRequest;
import com.unboundid.ldap.sdk.CRAMMD5BindRequest;
import com.unboundid.ldap.sdk.DIGESTMD5BindRequest;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.PLAINBindRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SCRAMSHA1BindRequest;
import com.unboundid.ldap.sdk.SCRAMSHA256BindRequest;
import com.unboundid.ldap.sdk.SCRAMSHA512BindRequest;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedRequest;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedResult;

/** SASL as the SDK speaks it: an oracle that is not the code under test. Stateless. */
public final class SaslBinds {
  private SaslBinds() {}

  /** The bind of a user by a mechanism. */
  public static BindRequest of(String mechanism, String user, String password) {
    return switch (mechanism) {
      case "SCRAM-SHA-1" -> new SCRAMSHA1BindRequest(user, password);
      case "SCRAM-SHA-256" -> new SCRAMSHA256BindRequest(user, password);
      case "SCRAM-SHA-512" -> new SCRAMSHA512BindRequest(user, password);
      case "DIGEST-MD5" -> new DIGESTMD5BindRequest(user, password);
      case "CRAM-MD5" -> new CRAMMD5BindRequest(user, password);
      case "PLAIN" -> new PLAINBindRequest(user, password);
      default -> throw new IllegalArgumentException(mechanism);
    };
  }

  /** As whom the directory knows a client; empty for anonymous. */
  public static String whoAmI(LDAPConnection client) throws LDAPException {
    WhoAmIExtendedResult result =
        (WhoAmIExtendedResult) client.processExtendedOperation(new WhoAmIExtendedRequest());
    if (!result.getResultCode().equals(ResultCode.SUCCESS)) {
      throw new AssertionError("Who Am I is answered " + result);
    }
    return result.getAuthorizationID();
  }
}
