// SPDX-License-Identifier: Apache-2.0
package io.stoa.trace;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What an identity asks, and in pages of which size. Immutable.
 *
 * @param identity the name that was bound; empty for nobody
 * @param op the octets of the request, each a character
 * @param pageSize 0 if it is not asked in pages
 */
record TracedRequest(String identity, String op, List<Control> controls, int pageSize) {
  private static final Pattern START =
      Pattern.compile("((?:create|modify)Timestamp1\\x11\\x04\\x0f)\\d{14}Z");
  private static final int BIND = 0x60;

  TracedRequest(String identity, RawRequest request) {
    this(identity, request, 0);
  }

  TracedRequest(String identity, RawRequest request, int pageSize) {
    this(identity, new String(request.op(), ISO_8859_1), request.controls(), pageSize);
  }

  boolean isBind() {
    return op.charAt(0) == BIND;
  }

  boolean isRootDse() {
    return op.contains("\4\0\n\1\0\n");
  }

  /** The answer by this client: its one part, or its pages. */
  List<List<RawMessage>> ask(RawLdapClient client) {
    RawRequest request = new RawRequest(op.getBytes(ISO_8859_1), controls);
    List<List<RawMessage>> parts = new ArrayList<>();
    ASN1OctetString cookie = null;
    do {
      parts.add(client.call(pageSize == 0 ? request : request.with(page(cookie))));
      cookie = cookie(parts.get(parts.size() - 1));
    } while (pageSize > 0 && cookie != null && cookie.getValueLength() > 0);
    return parts;
  }

  private Control page(@Nullable ASN1OctetString cookie) {
    return new SimplePagedResultsControl(pageSize, cookie, true);
  }

  private static @Nullable ASN1OctetString cookie(List<RawMessage> answer) {
    SimplePagedResultsControl control = page(RawLdapClient.last(answer));
    return control == null ? null : control.getCookie();
  }

  private static @Nullable SimplePagedResultsControl page(RawMessage message) {
    for (Control control : message.decoded().getControls()) {
      if (control.getOID().equals(SimplePagedResultsControl.PAGED_RESULTS_OID)) {
        try {
          return new SimplePagedResultsControl(
              control.getOID(), control.isCritical(), control.getValue());
        } catch (LDAPException e) {
          throw new AssertionError("not a paged results control: " + message, e);
        }
      }
    }
    return null;
  }

  static String text(List<RawMessage> answer) {
    return answer.stream().map(TracedRequest::text).collect(Collectors.joining("\n"));
  }

  /** All octets but the messageID, and but a cookie, which only its server can read. */
  static String text(RawMessage message) {
    boolean done = message.opTag() == RawMessage.SEARCH_DONE;
    SimplePagedResultsControl page = done ? page(message) : null;
    if (page == null) {
      return withoutStart(new String(message.body(), ISO_8859_1));
    }
    boolean more = page.getCookie().getValueLength() > 0;
    return new String(message.op(), ISO_8859_1)
        + ", page of "
        + page.getSize()
        + (more ? ", more" : ", the last");
  }

  /** The schema of slapd is as old as its process: that is blanked. */
  private static String withoutStart(String message) {
    boolean schema = message.contains("cn=Subschema");
    return schema ? START.matcher(message).replaceAll("$1") : message;
  }
}
