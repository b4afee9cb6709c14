// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.trace;

import io.stoa.ldap.protocol.LdapResultCode;
import io.stoa.net.transport.Plural;
import io.stoa.operation.CompletedOperation;
import io.stoa.operation.Sending;
import io.stoa.operation.TraceStep;
import io.stoa.server.accesslog.AccessLogConfig;
import io.stoa.server.accesslog.OperationText;
import io.stoa.server.localtree.TreeEntry;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Creates the entries of a trace. Texts of clients are escaped, and have no passwords.
 *
 * <p>Threading: confined to the thread of the trace.
 */
final class TraceEntries {
  /** Name of the entry above all entries of traces. */
  static final String BASE = "cn=Trace,cn=Monitor";

  private static final int NANOS_PER_MICRO = 1_000;

  /** GeneralizedTime (RFC 4517) with microseconds. */
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMddHHmmss.SSSSSS'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final OperationText texts;

  TraceEntries(AccessLogConfig config) {
    texts = new OperationText(config);
  }

  /** Encodes the entry of an operation, which is the {@code number}th of its trace. */
  byte[] operation(long number, TracedOperation traced) {
    CompletedOperation operation = traced.operation();
    String name = "Operation " + number;
    TreeEntry entry =
        new TreeEntry("cn=" + name + "," + BASE)
            .add("objectClass", "stoaTracedOperation")
            .add("cn", name)
            .add("stoaTraceTime", time(operation.times().received()))
            .add(TraceSelection.CLIENT, Long.toString(operation.client()))
            .add("stoaTraceFrom", present(OperationText.address(operation.peer().endpoint())))
            .add("stoaTraceListener", present(operation.peer().listener()))
            .add(TraceSelection.IDENTITY, present(texts.identity(operation)))
            .add("stoaTraceOperation", Long.toString(operation.trace().number()))
            .add("stoaTraceMessageID", Integer.toString(operation.messageId()))
            .add("stoaTraceRequest", present(texts.request(operation)))
            .add("stoaTraceCache", operation.trace().outcome().word())
            .add("stoaTraceStep", steps(traced));
    if (operation.resultCode() != CompletedOperation.ABANDONED) {
      entry.add("stoaTraceResult", Integer.toString(operation.resultCode()));
    }
    return entry
        .add("stoaTraceEntries", Integer.toString(operation.trace().entries()))
        .add("stoaTraceOctets", Long.toString(operation.trace().octets()))
        .add("stoaTraceMicros", Long.toString(operation.times().elapsed() / NANOS_PER_MICRO))
        .encode();
  }

  /** Encodes the last entry of a trace. */
  static byte[] summary(long operations, long dropped) {
    return new TreeEntry("cn=Summary," + BASE)
        .add("objectClass", "stoaTraceSummary")
        .add("cn", "Summary")
        .add("stoaTraceShown", Long.toString(operations))
        .add("stoaTraceDropped", Long.toString(dropped))
        .encode();
  }

  private static String time(long nanos) {
    return TIME.format(Instant.now().minusNanos(System.nanoTime() - nanos));
  }

  private static List<String> present(String text) {
    return text.isEmpty() ? List.of() : List.of(text);
  }

  /** Returns the steps. Each begins with its place, as the values of an attribute have no order. */
  private static List<String> steps(TracedOperation traced) {
    CompletedOperation operation = traced.operation();
    List<TraceStep> ordered = new ArrayList<>(traced.steps());
    ordered.sort(Comparator.comparingLong(TraceStep::nanos));
    List<String> values = new ArrayList<>();
    add(values, 0, "received");
    for (TraceStep step : ordered) {
      add(values, step.nanos() - operation.times().received(), text(step));
    }
    add(values, operation.times().elapsed(), end(operation));
    return values;
  }

  private static void add(List<String> values, long nanos, String text) {
    values.add("{" + values.size() + "}" + Math.max(0, nanos) / NANOS_PER_MICRO + " " + text);
  }

  private static String text(TraceStep step) {
    return switch (step.event()) {
      case QUEUED -> "queued";
      case CACHE -> "cache " + step.detail();
      case SENT -> "sent" + (step.sending() == null ? "" : to(step.sending()));
      case FIRST_ANSWER -> "first answer";
      case LAST_ANSWER -> "last answer";
      case FAILED -> "attempt failed";
      case HEDGED -> "hedge";
      case OMITTED -> "further steps omitted";
    };
  }

  private static String to(Sending sending) {
    return " to %s, connection %d, port %d, msgid %d"
        .formatted(
            sending.server(),
            sending.connection(),
            OperationText.port(sending.local()),
            sending.messageId());
  }

  private static String end(CompletedOperation operation) {
    int code = operation.resultCode();
    if (code == CompletedOperation.ABANDONED) {
      return "abandoned";
    }
    return "result %s (%d), %s, %s"
        .formatted(
            LdapResultCode.of(code).label(),
            code,
            Plural.of(operation.trace().entries(), "entry", "entries"),
            Plural.of(operation.trace().octets(), "octet"));
  }
}
