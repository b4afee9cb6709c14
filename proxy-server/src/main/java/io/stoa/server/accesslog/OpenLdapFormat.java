// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp;
import io.stoa.ldap.protocol.RequestOp.AbandonOp;
import io.stoa.ldap.protocol.RequestOp.BindAuthentication;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.ldap.protocol.RequestOp.CompareOp;
import io.stoa.ldap.protocol.RequestOp.ExtendedOp;
import io.stoa.ldap.protocol.RequestOp.ModifyDnOp;
import io.stoa.ldap.protocol.RequestOp.ModifyOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.CompletedOperation;
import io.stoa.server.accesslog.RequestTexts.Text;
import java.time.ZoneOffset;
import java.util.List;

/**
 * The lines of slapd's log level {@code stats}, each with a time in front. A line of a result ends
 * with Stoa's own fields. All lines of an operation are written at its end; the time of its request
 * is the time of receipt.
 *
 * <p>Threading: confined to the thread of one log.
 */
final class OpenLdapFormat implements AccessFormat {
  private static final int SIMPLE = 128;
  private static final int SASL = 163;
  private static final int NANOS_PER_MICRO = 1_000;
  private static final int MICROS_DIGITS = 6;

  private final LogClock clock = new LogClock("yyyy-MM-dd'T'HH:mm:ss", ZoneOffset.UTC);
  private final ValueText values;
  private final RequestTexts texts;
  private final LineBuffer scratch = new LineBuffer(512);

  OpenLdapFormat(ValueText values, int memory) {
    this.values = values;
    this.texts = new RequestTexts(this::text, values::hasSecret, memory);
  }

  @Override
  public void beginBatch() {
    clock.synchronize();
  }

  private LineBuffer begin(LineBuffer lines, long nanos, long client) {
    lines.add(clock.secondOf(nanos)).add('.');
    lines.addPadded(clock.fractionOf(nanos) / NANOS_PER_MICRO, MICROS_DIGITS).add("Z conn=");
    return lines.add(client);
  }

  @Override
  public void add(LineBuffer lines, ConnectionEvent event) {
    begin(lines, event.nanos(), event.client()).add(" fd=").add(event.client());
    switch (event.step()) {
      case CONNECTED -> {
        lines.add(" ACCEPT from ").add(origin(event)).add(" (IP=");
        lines.add(Results.address(event.local())).add(')');
      }
      case TLS -> {
        lines.add(" TLS established tls_proto=");
        lines.add(String.valueOf(event.peer().tlsVersion()));
      }
      case DISCONNECTED -> {
        lines.add(" closed");
        if (!event.reason().isEmpty()) {
          lines.add(" (").add(event.reason()).add(')');
        }
      }
    }
    lines.add('\n');
  }

  private static String origin(ConnectionEvent event) {
    return event.peer().endpoint() == null
        ? "PATH=" + event.peer().origin()
        : "IP=" + Results.address(event.peer().endpoint());
  }

  @Override
  public void add(LineBuffer lines, CompletedOperation operation) {
    Text text = texts.of(operation);
    long received = operation.times().received();
    begin(lines, received, operation);
    if (operation.type() == OpType.UNBIND_REQUEST) {
      lines.add("UNBIND\n");
      return;
    }
    lines.add(text.first()).add('\n');
    if (text.second().length > 0) {
      begin(lines, received, operation);
      lines.add(text.second()).add('\n');
    }
    if (operation.type() != OpType.ABANDON_REQUEST) {
      addResult(lines, operation);
    }
  }

  /** Returns the request, with its attributes as a second text. */
  Text request(CompletedOperation operation) {
    return texts.of(operation);
  }

  private void begin(LineBuffer lines, long nanos, CompletedOperation operation) {
    begin(lines, nanos, operation.client());
    lines.add(" op=").add(operation.trace().number()).add(' ');
  }

  private void addResult(LineBuffer lines, CompletedOperation operation) {
    begin(lines, operation.times().ended(), operation);
    boolean search = operation.type() == OpType.SEARCH_REQUEST;
    if (operation.resultCode() == CompletedOperation.ABANDONED) {
      lines.add(search ? "SEARCH ABANDONED" : "ABANDONED");
    } else {
      lines.add(search ? "SEARCH RESULT tag=" : "RESULT tag=");
      lines.add(operation.type().response().tag()).add(" err=").add(operation.resultCode());
    }
    lines.add(" qtime=").addSeconds(Results.queueNanos(operation));
    lines.add(" etime=").addSeconds(operation.times().elapsed());
    if (search) {
      lines.add(" nentries=").add(operation.trace().entries());
    }
    lines.add(" text=");
    addOwnFields(lines, operation);
    lines.add('\n');
  }

  private void addOwnFields(LineBuffer lines, CompletedOperation operation) {
    lines.add(" id=\"");
    values.name(lines, ClientIdentity.labelOf(operation.identity()));
    lines.add("\" msgid=").add(operation.messageId());
    lines.add(" octets=").add(operation.trace().octets());
    String tls = operation.peer().tlsVersion();
    if (tls != null) {
      lines.add(" tls=").add(tls);
    }
    Results.addCacheAndUpstream(lines, operation);
  }

  private Text text(Request request) {
    scratch.clear();
    op(request.op());
    byte[] first = scratch.toByteArray();
    scratch.clear();
    if (request.op() instanceof SearchOp search && !search.attributes().isEmpty()) {
      attributes("SRCH attr=", search.attributes());
    } else if (request.op() instanceof ModifyOp modify) {
      attributes("MOD attr=", modify.attributes());
    }
    return new Text(first, scratch.toByteArray());
  }

  private void attributes(String prefix, List<byte[]> attributes) {
    scratch.add(prefix);
    for (int index = 0; index < attributes.size(); index++) {
      if (index > 0) {
        scratch.add(' ');
      }
      scratch.addEscaped(attributes.get(index));
    }
  }

  private void op(RequestOp op) {
    switch (op.type()) {
      case SEARCH_REQUEST -> search((SearchOp) op);
      case BIND_REQUEST -> bind((BindOp) op);
      case COMPARE_REQUEST -> {
        target("CMP dn=\"", op);
        scratch.add(" attr=\"").addEscaped(((CompareOp) op).attribute()).add('"');
      }
      case ADD_REQUEST -> target("ADD dn=\"", op);
      case MODIFY_REQUEST -> target("MOD dn=\"", op);
      case DELETE_REQUEST -> target("DEL dn=\"", op);
      case MODIFY_DN_REQUEST -> modifyDn((ModifyDnOp) op);
      case ABANDON_REQUEST -> scratch.add("ABANDON msg=").add(((AbandonOp) op).id());
      case EXTENDED_REQUEST -> extended((ExtendedOp) op);
      default -> scratch.add("UNBIND");
    }
  }

  private void target(String prefix, RequestOp op) {
    byte[] target = op.target();
    scratch.add(prefix);
    if (target != null) {
      values.name(scratch, target);
    }
    scratch.add('"');
  }

  private void search(SearchOp search) {
    target("SRCH base=\"", search);
    scratch.add(" scope=").add(search.scope()).add(" deref=").add(search.derefAliases());
    scratch.add(" filter=\"");
    values.filter(scratch, search.filter());
    scratch.add('"');
  }

  private void bind(BindOp bind) {
    scratch.add("BIND dn=\"");
    values.name(scratch, bind.name());
    scratch.add("\" method=");
    String mechanism = bind.saslMechanism();
    if (bind.authentication() == BindAuthentication.SIMPLE) {
      scratch.add(SIMPLE);
    } else {
      scratch.add(SASL);
    }
    if (mechanism != null) {
      scratch.add(" mech=").addEscaped(mechanism);
    }
  }

  private void modifyDn(ModifyDnOp op) {
    target("MODRDN dn=\"", op);
    scratch.add(" newrdn=\"");
    values.name(scratch, op.newRdn());
    scratch.add('"');
    byte[] superior = op.newSuperior();
    if (superior != null) {
      scratch.add(" newsuperior=\"");
      values.name(scratch, superior);
      scratch.add('"');
    }
  }

  private void extended(ExtendedOp op) {
    if (op.oid().equals(Oids.START_TLS)) {
      scratch.add("STARTTLS");
    } else {
      scratch.add("EXT oid=").addEscaped(op.oid());
    }
  }
}
