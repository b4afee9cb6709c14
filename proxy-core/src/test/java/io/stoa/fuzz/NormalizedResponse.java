// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import com.unboundid.ldap.sdk.controls.VirtualListViewResponseControl;
import io.stoa.testing.RawMessage;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The octets of an answer without what RFC 4511 and RFC 2696 leave open: messageIDs, the octets of
 * a cookie for the next page, and the context of a virtual list view. Stateless.
 */
final class NormalizedResponse {
  private static final String VLV = VirtualListViewResponseControl.VIRTUAL_LIST_VIEW_RESPONSE_OID;

  /** Stands for a connection that ended before the answer was complete. */
  static final List<String> CLOSED = List.of("connection closed");

  /** The last octets of a response if there are more pages, and no other control. */
  static final String MORE = " more]";

  private NormalizedResponse() {}

  static List<String> of(List<RawMessage> answer) {
    List<String> told = new ArrayList<>(answer.size());
    for (RawMessage message : answer) {
      byte[] op = message.op();
      String text = latin(op);
      boolean bare = message.bodyStart() + op.length == message.octets().length;
      told.add(bare ? text : text + controls(message));
    }
    return told;
  }

  private static String controls(RawMessage message) {
    StringBuilder text = new StringBuilder();
    for (Control control : message.decoded().getControls()) {
      text.append(" [").append(control.getOID()).append(control.isCritical() ? "! " : " ");
      text.append(value(control)).append(']');
    }
    return text.toString();
  }

  private static String value(Control control) {
    if (!control.hasValue()) {
      return "none";
    }
    if (control.getOID().equals(SimplePagedResultsControl.PAGED_RESULTS_OID)) {
      return page(control);
    }
    if (control.getOID().equals(VLV)) {
      return view(control);
    }
    return latin(control.getValue().getValue());
  }

  private static String page(Control control) {
    try {
      SimplePagedResultsControl page =
          new SimplePagedResultsControl(control.getOID(), false, control.getValue());
      return page.moreResultsToReturn() ? "more" : "last"; // the size is an estimate
    } catch (LDAPException e) {
      return "undecodable " + latin(control.getValue().getValue());
    }
  }

  /** Position, count and result of a virtual list view; its context is the server's own. */
  private static String view(Control control) {
    try {
      VirtualListViewResponseControl view =
          new VirtualListViewResponseControl(control.getOID(), false, control.getValue());
      return view.getTargetPosition() + " of " + view.getContentCount() + view.getResultCode();
    } catch (LDAPException e) {
      return "undecodable " + latin(control.getValue().getValue());
    }
  }

  private static String latin(byte[] octets) {
    return new String(octets, StandardCharsets.ISO_8859_1);
  }

  /** The same as printable text. */
  static String printable(List<String> told) {
    StringBuilder text = new StringBuilder();
    for (String message : told) {
      text.append("\n    ");
      message.chars().forEach(c -> text.append(c >= 0x20 && c < 0x7f ? (char) c : '.'));
    }
    return text.toString();
  }
}
