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
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.CompletedOperation;
import io.stoa.server.accesslog.RequestTexts.Text;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.ZoneId;
import org.jspecify.annotations.Nullable;

/**
 * The lines of the access log of 389 Directory Server 2.x, which {@code logconv.pl} reads. A line
 * of a result ends with Stoa's own fields. Numbers of clients stand for file descriptors and slots.
 *
 * <p>Threading: confined to the thread of one log.
 */
final class Ds389Format implements AccessFormat {
  private static final int SIMPLE = 128;

  /** Result code canceled (RFC 3909), for operations without a response. */
  private static final int CANCELED = 118;

  private static final int NANOS_DIGITS = 9;
  private static final String LOCAL = "local";

  private final LogClock clock = new LogClock("dd/MMM/yyyy:HH:mm:ss", ZoneId.systemDefault());
  private final LogClock zone = new LogClock("xx", ZoneId.systemDefault());
  private final ValueText values;
  private final RequestTexts texts;
  private final LineBuffer scratch = new LineBuffer(512);

  Ds389Format(ValueText values) {
    this.values = values;
    this.texts = new RequestTexts(this::text, values::hasSecret, RequestTexts.LOG_MEMORY);
  }

  @Override
  public void beginBatch() {
    clock.synchronize();
    zone.synchronize();
  }

  private LineBuffer begin(LineBuffer lines, long nanos, long client) {
    lines.add('[').add(clock.secondOf(nanos)).add('.');
    lines.addPadded(clock.fractionOf(nanos), NANOS_DIGITS).add(' ').add(zone.secondOf(nanos));
    return lines.add("] conn=").add(client);
  }

  @Override
  public void add(LineBuffer lines, ConnectionEvent event) {
    begin(lines, event.nanos(), event.client());
    switch (event.step()) {
      case CONNECTED -> {
        lines.add(" fd=").add(event.client()).add(" slot=").add(event.client());
        lines.add(" connection from ").add(host(event.peer().endpoint())).add(" to ");
        lines.add(host(event.local()));
      }
      case TLS ->
          lines.add(' ').add(String.valueOf(event.peer().tlsVersion()).replace("TLSv", "TLS"));
      case DISCONNECTED -> {
        lines.add(" op=").add(event.operations() == 0 ? -1 : event.operations() - 1);
        lines.add(" fd=").add(event.client());
        lines.add(event.reason().isEmpty() ? " closed - U1" : " closed error - ");
        lines.add(event.reason());
      }
    }
    lines.add('\n');
  }

  private static String host(@Nullable SocketAddress address) {
    return address instanceof InetSocketAddress inet && inet.getAddress() != null
        ? inet.getAddress().getHostAddress()
        : LOCAL;
  }

  @Override
  public void add(LineBuffer lines, CompletedOperation operation) {
    begin(lines, operation.times().received(), operation);
    if (operation.type() == OpType.UNBIND_REQUEST) {
      lines.add("UNBIND\n");
      return;
    }
    lines.add(texts.of(operation).first()).add('\n');
    if (operation.type() != OpType.ABANDON_REQUEST) {
      addResult(lines, operation);
    }
  }

  private void begin(LineBuffer lines, long nanos, CompletedOperation operation) {
    begin(lines, nanos, operation.client());
    lines.add(" op=").add(operation.trace().number()).add(' ');
  }

  private void addResult(LineBuffer lines, CompletedOperation operation) {
    begin(lines, operation.times().ended(), operation);
    boolean abandoned = operation.resultCode() == CompletedOperation.ABANDONED;
    lines.add("RESULT err=").add(abandoned ? CANCELED : operation.resultCode());
    lines.add(" tag=").add(operation.type().response().tag());
    lines.add(" nentries=").add(operation.trace().entries());
    long queue = Results.queueNanos(operation);
    lines.add(" wtime=").addSeconds(queue);
    lines.add(" optime=").addSeconds(operation.times().elapsed() - queue);
    lines.add(" etime=").addSeconds(operation.times().elapsed());
    if (operation.type() == OpType.BIND_REQUEST && operation.resultCode() == 0) {
      lines.add(" dn=\"");
      values.name(lines, ClientIdentity.labelOf(operation.identity()));
      lines.add('"');
    }
    lines.add(abandoned ? " abandoned=1" : "");
    addOwnFields(lines, operation);
    lines.add('\n');
  }

  private void addOwnFields(LineBuffer lines, CompletedOperation operation) {
    lines.add(" id=\"");
    values.name(lines, ClientIdentity.labelOf(operation.identity()));
    lines.add('"');
    if (operation.peer().tlsVersion() != null) {
      lines.add(" tls=").add(operation.peer().tlsVersion());
    }
    lines.add(" msgid=").add(operation.messageId());
    lines.add(" octets=").add(operation.trace().octets());
    Results.addCacheAndUpstream(lines, operation);
  }

  private Text text(Request request) {
    scratch.clear();
    op(request.op());
    return new Text(scratch.toByteArray(), new byte[0]);
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
      case ABANDON_REQUEST -> {
        scratch.add("ABANDON targetop=NOTFOUND msgid=").add(((AbandonOp) op).id());
      }
      case EXTENDED_REQUEST -> {
        String oid = ((ExtendedOp) op).oid();
        scratch.add("EXT oid=\"").addEscaped(oid).add('"');
        scratch.add(oid.equals(Oids.START_TLS) ? " name=\"start_tls_plugin\"" : "");
      }
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
    scratch.add(" scope=").add(search.scope()).add(" filter=\"");
    values.filter(scratch, search.filter());
    scratch.add("\" attrs=");
    if (search.attributes().isEmpty()) {
      scratch.add("ALL");
      return;
    }
    scratch.add('"');
    for (int index = 0; index < search.attributes().size(); index++) {
      if (index > 0) {
        scratch.add(' ');
      }
      scratch.addEscaped(search.attributes().get(index));
    }
    scratch.add('"');
  }

  private void bind(BindOp bind) {
    scratch.add("BIND dn=\"");
    values.name(scratch, bind.name());
    String mechanism = bind.saslMechanism();
    if (bind.authentication() == BindAuthentication.SIMPLE) {
      scratch.add("\" method=").add(SIMPLE).add(" version=").add(bind.version());
    } else {
      scratch.add("\" method=sasl version=").add(bind.version()).add(" mech=");
      scratch.addEscaped(String.valueOf(mechanism));
    }
  }

  private void modifyDn(ModifyDnOp op) {
    target("MODRDN dn=\"", op);
    scratch.add(" newrdn=\"");
    values.name(scratch, op.newRdn());
    byte[] superior = op.newSuperior();
    scratch.add("\" newsuperior=\"");
    if (superior == null) {
      scratch.add("(null)");
    } else {
      values.name(scratch, superior);
    }
    scratch.add('"');
  }
}
