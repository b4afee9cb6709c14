// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.controls.TransactionSpecificationRequestControl;
import com.unboundid.ldap.sdk.extensions.EndTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedResult;
import io.stoa.testing.People;

/** A transaction (RFC 5805) whose second change cannot be done. Stateless. */
public final class AbortedTransaction {
  private AbortedTransaction() {}

  /** Whether the server is still there afterwards: slapd 2.5 may end with a segmentation fault. */
  public static boolean lived(LDAPConnection primary, ModifyRequest change) throws LDAPException {
    try {
      StartTransactionExtendedResult begun =
          (StartTransactionExtendedResult)
              primary.processExtendedOperation(new StartTransactionExtendedRequest());
      ASN1OctetString id = begun.getTransactionID();
      change.addControl(new TransactionSpecificationRequestControl(id));
      ModifyRequest impossible =
          new ModifyRequest(
              "cn=nobody," + People.SUFFIX,
              new Modification(ModificationType.REPLACE, "description", "x"));
      impossible.addControl(new TransactionSpecificationRequestControl(id));
      primary.modify(change);
      primary.modify(impossible);
      ResultCode code =
          primary
              .processExtendedOperation(new EndTransactionExtendedRequest(id, true))
              .getResultCode();
      if (code.equals(ResultCode.SUCCESS)) {
        throw new AssertionError("the transaction was done");
      }
      return code.isConnectionUsable();
    } catch (LDAPException e) {
      if (e.getResultCode().isConnectionUsable()) {
        throw e;
      }
      return false;
    }
  }
}
