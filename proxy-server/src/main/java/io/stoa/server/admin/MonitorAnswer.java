// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin;

import io.stoa.ldap.Control;
import io.stoa.ldap.FilterNode;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.ldap.LdapResult;
import io.stoa.ldap.Oids;
import io.stoa.ldap.Request;
import io.stoa.ldap.RequestOp.CompareOp;
import io.stoa.ldap.RequestOp.SearchOp;
import io.stoa.operation.Operation;
import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * The answer to one operation on {@code cn=monitor} or on a name below it, where nothing is.
 * Anybody may read it: it names no client. Event-loop confined.
 */
final class MonitorAnswer {
  /** The name of the entry. */
  static final String NAME = "cn=monitor";

  /** Controls that change nothing about an entry that is made for each answer. */
  private static final Set<String> KNOWN_CONTROLS =
      Set.of(Oids.MANAGE_DSA_IT, Oids.DONT_USE_COPY, Oids.SESSION_TRACKING);

  private static final int SUCCESS = 0;
  private static final int PROTOCOL_ERROR = 2;
  private static final int COMPARE_FALSE = 5;
  private static final int COMPARE_TRUE = 6;
  private static final int UNAVAILABLE_CRITICAL_EXTENSION = 12;
  private static final int NO_SUCH_ATTRIBUTE = 16;
  private static final int NO_SUCH_OBJECT = 32;
  private static final int INVALID_CREDENTIALS = 49;
  private static final int UNWILLING_TO_PERFORM = 53;

  private static final int BASE = 0;
  private static final int SUBTREE = 2;
  private static final int LAST_SCOPE = 3;

  private final Operation operation;
  private final MonitorSource source;

  MonitorAnswer(Operation operation, MonitorSource source) {
    this.operation = operation;
    this.source = source;
  }

  /**
   * Answers the operation.
   *
   * @param exists whether it is about the entry itself
   */
  void give(boolean exists) throws LdapProtocolException {
    switch (operation.type()) {
      case BIND_REQUEST -> complete(INVALID_CREDENTIALS, "");
      case SEARCH_REQUEST -> {
        source.counters().ownSearch();
        read(exists);
      }
      case COMPARE_REQUEST -> read(exists);
      default -> complete(UNWILLING_TO_PERFORM, NAME + " cannot be changed");
    }
  }

  private void read(boolean exists) throws LdapProtocolException {
    Request request = operation.request();
    if (request.controls().stream().anyMatch(MonitorAnswer::isRefused)) {
      complete(UNAVAILABLE_CRITICAL_EXTENSION, "unsupported control");
    } else if (!exists) {
      byte[] matched = NAME.getBytes(StandardCharsets.US_ASCII);
      complete(new LdapResult(NO_SUCH_OBJECT, matched, new byte[0]));
    } else if (request.op() instanceof CompareOp compare) {
      complete(compare(compare), "");
    } else {
      search((SearchOp) request.op());
    }
  }

  private static boolean isRefused(Control control) {
    return control.critical() && !KNOWN_CONTROLS.contains(control.oid());
  }

  private void search(SearchOp search) {
    int scope = search.scope();
    if (scope < BASE || scope > LAST_SCOPE) {
      complete(PROTOCOL_ERROR, "unknown scope");
      return;
    }
    if (scope == BASE || scope == SUBTREE) {
      respond(search);
    }
    complete(SUCCESS, "");
  }

  private void respond(SearchOp search) {
    MonitorEntry entry = entry();
    if (new MonitorFilter(entry).evaluate(search.filter()) == Truth.TRUE) {
      AttributeList wanted = AttributeList.of(search.attributes());
      operation.sink().respond(entry.encode(wanted, search.typesOnly()));
    }
  }

  private int compare(CompareOp compare) {
    FilterNode assertion = new FilterNode.Equality(compare.attribute(), compare.value());
    return switch (new MonitorFilter(entry()).evaluate(assertion)) {
      case TRUE -> COMPARE_TRUE;
      case FALSE -> COMPARE_FALSE;
      case UNDEFINED -> NO_SUCH_ATTRIBUTE;
    };
  }

  private MonitorEntry entry() {
    MonitorSnapshot snapshot = new MonitorSnapshot(source);
    MonitorEntry entry = new MonitorEntry(NAME);
    entry.add("objectClass", "top", "monitorServer", "extensibleObject").add("cn", "monitor");
    for (MonitorAttribute attribute : MonitorAttributes.ALL) {
      entry.add(attribute.name(), attribute.value().apply(snapshot));
    }
    return entry;
  }

  private void complete(int code, String diagnostic) {
    byte[] text = diagnostic.getBytes(StandardCharsets.UTF_8);
    complete(new LdapResult(code, new byte[0], text));
  }

  private void complete(LdapResult result) {
    operation.sink().complete(result.encode(operation.type().response()));
  }
}
