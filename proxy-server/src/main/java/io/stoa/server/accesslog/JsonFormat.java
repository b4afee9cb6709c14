// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp;
import io.stoa.ldap.protocol.RequestOp.AbandonOp;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.ldap.protocol.RequestOp.CompareOp;
import io.stoa.ldap.protocol.RequestOp.ExtendedOp;
import io.stoa.ldap.protocol.RequestOp.ModifyDnOp;
import io.stoa.ldap.protocol.RequestOp.ModifyOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.CompletedOperation;
import io.stoa.operation.Sending;
import io.stoa.operation.event.CacheOutcome;
import io.stoa.server.accesslog.RequestTexts.Text;
import java.time.ZoneOffset;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * A JSON object (RFC 8259) for each line. Durations are integers in microseconds. Texts of clients
 * are ASCII: other octets are escaped as in RFC 4514 and RFC 4515.
 *
 * <p>Threading: confined to the thread of one log.
 */
final class JsonFormat implements AccessFormat {
  private static final int NANOS_PER_MICRO = 1_000;
  private static final int MICROS_DIGITS = 6;

  /** Words for the kinds of requests. */
  private static final Map<OpType, String> NAMES = new EnumMap<>(OpType.class);

  static {
    for (OpType type : OpType.values()) {
      NAMES.put(type, word(type));
    }
  }

  private final LogClock clock = new LogClock("yyyy-MM-dd'T'HH:mm:ss", ZoneOffset.UTC);
  private final ValueText values;
  private final RequestTexts texts;
  private final ClientTexts clients = new ClientTexts(this::clientText);
  private final LineBuffer fields = LineBuffer.json(512);

  JsonFormat(ValueText values) {
    this.values = values;
    this.texts = new RequestTexts(this::text, values::hasSecret, RequestTexts.LOG_MEMORY);
  }

  @Override
  public void beginBatch() {
    clock.synchronize();
  }

  private LineBuffer begin(LineBuffer lines, long nanos, String event, long client) {
    lines.add("{\"time\":\"").add(clock.secondOf(nanos)).add('.');
    lines.addPadded(clock.fractionOf(nanos) / NANOS_PER_MICRO, MICROS_DIGITS);
    lines.add("Z\",\"event\":\"").add(event).add("\",\"client\":").add(client);
    return lines;
  }

  @Override
  public void add(LineBuffer lines, ConnectionEvent event) {
    begin(lines, event.nanos(), event.step().name().toLowerCase(Locale.ROOT), event.client());
    string(lines, "from", origin(event));
    string(lines, "listener", event.peer().listener());
    if (event.peer().tlsVersion() != null) {
      string(lines, "tls", event.peer().tlsVersion());
    }
    if (event.step() == ConnectionEvent.Step.DISCONNECTED) {
      lines.add(",\"operations\":").add(event.operations());
      string(lines, "reason", event.reason());
    }
    lines.add("}\n");
  }

  private static String origin(ConnectionEvent event) {
    return event.peer().endpoint() == null
        ? event.peer().origin()
        : Results.address(event.peer().endpoint());
  }

  @Override
  public void add(LineBuffer lines, CompletedOperation operation) {
    begin(lines, operation.times().received(), "operation", operation.client());
    lines.add(",\"op\":").add(operation.trace().number());
    lines.add(",\"msgid\":").add(operation.messageId());
    string(lines, "type", name(operation.type()));
    lines.add(clients.of(operation));
    lines.add(texts.of(operation).first());
    addResult(lines, operation);
    lines.add("}\n");
  }

  /** Returns the members that stay equal while a client keeps its identity. */
  private byte[] clientText(CompletedOperation operation) {
    fields.clear();
    if (operation.peer().endpoint() != null) {
      string(fields, "from", Results.address(operation.peer().endpoint()));
    }
    string(fields, "listener", operation.peer().listener());
    if (operation.peer().tlsVersion() != null) {
      string(fields, "tls", operation.peer().tlsVersion());
    }
    name("identity", ClientIdentity.labelOf(operation.identity()));
    return fields.toByteArray();
  }

  /** Returns the word for a kind of request. */
  static String name(OpType type) {
    return Objects.requireNonNull(NAMES.get(type));
  }

  private static String word(OpType type) {
    return type == OpType.MODIFY_DN_REQUEST
        ? "modifyDN"
        : type.name().replace("_REQUEST", "").toLowerCase(Locale.ROOT);
  }

  private static void addResult(LineBuffer lines, CompletedOperation operation) {
    boolean abandoned = operation.resultCode() == CompletedOperation.ABANDONED;
    lines.add(abandoned ? ",\"abandoned\":true" : ",\"result\":");
    if (!abandoned) {
      lines.add(operation.resultCode());
    }
    lines.add(",\"entries\":").add(operation.trace().entries());
    lines.add(",\"octets\":").add(operation.trace().octets());
    lines.add(",\"elapsed\":").add(operation.times().elapsed() / NANOS_PER_MICRO);
    if (operation.trace().outcome() != CacheOutcome.NONE) {
      string(lines, "cache", operation.trace().outcome().word());
      if (!operation.trace().reason().isEmpty()) {
        string(lines, "reason", operation.trace().reason());
      }
    }
    Sending sent = operation.trace().last();
    if (sent != null) {
      addUpstream(lines, operation, sent);
    }
  }

  private static void addUpstream(LineBuffer lines, CompletedOperation operation, Sending sent) {
    lines.add(",\"queued\":").add(Results.queueNanos(operation) / NANOS_PER_MICRO);
    string(lines, "upstream", sent.server().toString());
    lines.add(",\"upstreamConnection\":").add(sent.connection());
    lines.add(",\"upstreamPort\":").add(Results.port(sent.local()));
    lines.add(",\"upstreamMsgid\":").add(sent.messageId());
    lines.add(",\"upstreamElapsed\":").add(Results.upstreamNanos(operation) / NANOS_PER_MICRO);
    lines.add(",\"retries\":").add(Results.retries(operation));
    lines.add(",\"hedged\":").add(String.valueOf(operation.trace().isHedged()));
  }

  /** Appends a member with a text of Stoa, which needs no escapes. */
  private static void string(LineBuffer lines, String name, String own) {
    lines.add(",\"").add(name).add("\":\"").add(own).add('"');
  }

  private Text text(Request request) {
    fields.clear();
    op(request.op());
    return new Text(fields.toByteArray(), new byte[0]);
  }

  private void op(RequestOp op) {
    byte[] target = op.target();
    if (target != null && op.type() != OpType.BIND_REQUEST) {
      name(op.type() == OpType.SEARCH_REQUEST ? "base" : "dn", target);
    }
    switch (op.type()) {
      case SEARCH_REQUEST -> search((SearchOp) op);
      case BIND_REQUEST -> bind((BindOp) op);
      case COMPARE_REQUEST -> attributes(List.of(((CompareOp) op).attribute()));
      case MODIFY_REQUEST -> attributes(((ModifyOp) op).attributes());
      case MODIFY_DN_REQUEST -> modifyDn((ModifyDnOp) op);
      case ABANDON_REQUEST -> fields.add(",\"target\":").add(((AbandonOp) op).id());
      case EXTENDED_REQUEST -> escaped("oid", ((ExtendedOp) op).oid());
      default -> {
        // add, delete and unbind have no more fields
      }
    }
  }

  private void name(String member, byte[] dn) {
    begin(member);
    values.name(fields, dn);
    fields.add('"');
  }

  private void escaped(String member, String untrusted) {
    begin(member);
    fields.addEscaped(untrusted).add('"');
  }

  private void begin(String member) {
    fields.add(",\"").add(member).add("\":\"");
  }

  private void search(SearchOp search) {
    fields.add(",\"scope\":").add(search.scope());
    begin("filter");
    values.filter(fields, search.filter());
    fields.add('"');
    attributes(search.attributes());
  }

  private void attributes(List<byte[]> attributes) {
    fields.add(",\"attributes\":[");
    for (int index = 0; index < attributes.size(); index++) {
      fields.add(index == 0 ? "\"" : ",\"").addEscaped(attributes.get(index)).add('"');
    }
    fields.add(']');
  }

  private void bind(BindOp bind) {
    name("dn", bind.name());
    String mechanism = bind.saslMechanism();
    escaped("mechanism", mechanism == null ? "simple" : mechanism);
  }

  private void modifyDn(ModifyDnOp op) {
    name("newRdn", op.newRdn());
    byte[] superior = op.newSuperior();
    if (superior != null) {
      name("newSuperior", superior);
    }
  }
}
