// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static io.stoa.server.differential.Directory.ALICE;
import static io.stoa.server.differential.Directory.WORK;
import static io.stoa.testing.Requests.add;
import static io.stoa.testing.Requests.bind;
import static io.stoa.testing.Requests.delete;
import static io.stoa.testing.Requests.extended;
import static io.stoa.testing.Requests.rename;
import static io.stoa.testing.Requests.replace;
import static io.stoa.testing.Requests.search;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.controls.PostReadRequestControl;
import com.unboundid.ldap.sdk.controls.PreReadRequestControl;
import com.unboundid.ldap.sdk.controls.ProxiedAuthorizationV2RequestControl;
import com.unboundid.ldap.sdk.controls.TransactionSpecificationRequestControl;
import com.unboundid.ldap.sdk.extensions.EndTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedRequest;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import java.util.List;

/** Controls on writes, and transactions. */
final class WriteControlSteps {
  private static final String TOOL = "cn=tool," + WORK;
  private static final RawRequest ADD_TOOL =
      add(TOOL, "objectClass: device", "cn: tool", "description: one");

  private WriteControlSteps() {}

  static void addTo(Script script) {
    preAndPostRead(script.group("pre-read and post-read").on("manager"));
    assertions(script.group("assertion on writes"));
    others(script.group("no-op, relax, proxied writes"));
    transaction(script.group("transaction"));
  }

  private static void addReads(Script script) {
    script.cached(search(WORK).filter("(objectClass=device)").attributes("cn", "description"));
  }

  private static void preAndPostRead(Script script) {
    Control before = new PreReadRequestControl(true, "*", "+");
    Control after = new PostReadRequestControl(true, "cn", "description", "entryCSN");
    addReads(script);
    script.once(ADD_TOOL.with(after));
    addReads(script);
    script.once(replace(TOOL, "description", "two").with(before, after));
    addReads(script);
    script.once(rename(TOOL, "cn=renamed", true).with(before, after));
    addReads(script);
    script.once(delete("cn=renamed," + WORK).with(before));
    addReads(script);
  }

  private static void assertions(Script script) {
    script.once(ADD_TOOL);
    addReads(script);
    script.refused(replace(TOOL, "description", "x").with(Controls.assertion("(cn=other)")));
    addReads(script);
    script.once(replace(TOOL, "description", "x").with(Controls.assertion("(cn=tool)")));
    addReads(script);
    script.refused(delete(TOOL).with(Controls.assertion("(cn=other)")));
    script.refused(rename(TOOL, "cn=x", true).with(Controls.assertion("(cn=other)")));
  }

  private static void others(Script script) {
    script.refused(replace(TOOL, "description", "y").with(new Control(Controls.NO_OP, true)));
    script.refused(
        replace(TOOL, "entryUUID", "11111111-1111-1111-1111-111111111111")
            .with(new Control(Controls.RELAX, true)));
    script.once(replace(TOOL, "description", "z").with(Controls.sessionTracking("10.0.0.9")));
    addReads(script);
    script.once(replace(TOOL, "description", "zz").with(new Control("1.2.3.4.5", false)));
    addReads(script);
    script.on("proxy");
    script.once(
        replace(ALICE, "title", "proxied")
            .with(new ProxiedAuthorizationV2RequestControl("dn:" + ALICE)));
    script.cached(search(ALICE).baseScope().attributes("title"));
    script.on("manager");
  }

  /** What is written becomes visible at the commit, not before. */
  private static void transaction(Script script) {
    script.on("transaction").once(bind(Directory.MANAGER, "pw-manager"));
    script.once(extended(StartTransactionExtendedRequest.START_TRANSACTION_REQUEST_OID));
    script.follow(
        previous ->
            replace(TOOL, "description", "committed")
                .with(new TransactionSpecificationRequestControl(identifier(previous))));
    addReads(script.on("manager"));
    script.on("transaction").once(endTransaction(new ASN1OctetString("")));
    addReads(script.on("manager"));
    script.once(delete(TOOL));
    addReads(script);
  }

  private static ASN1OctetString identifier(List<RawMessage> previous) {
    ASN1OctetString value =
        RawLdapClient.last(previous).decoded().getExtendedResponseProtocolOp().getResponseValue();
    return value == null ? new ASN1OctetString("") : value;
  }

  private static RawRequest endTransaction(ASN1OctetString identifier) {
    var request = new EndTransactionExtendedRequest(identifier, true);
    return extended(request.getOID(), request.getValue().getValue());
  }
}
