// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import io.stoa.ldap.protocol.OpType;
import io.stoa.net.peer.Network;
import io.stoa.net.peer.Peer;
import io.stoa.net.transport.FailureText;
import io.stoa.operation.AccessListener;
import io.stoa.operation.CompletedOperation;
import io.stoa.operation.OperationCounters;
import io.stoa.operation.event.LogKind;
import io.stoa.server.accesslog.AccessLogConfig.Filter;
import io.stoa.server.accesslog.ConnectionEvent.Step;
import io.stoa.server.accesslog.LogTarget.LogFile;
import io.stoa.server.accesslog.LogTarget.Syslog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The access log and the audit log of a process.
 *
 * <p>Threading: thread-safe.
 */
public final class AccessLogs implements AccessListener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AccessLogs.class);

  /**
   * Results of refusals: strongerAuthRequired, adminLimitExceeded, unavailableCriticalExtension,
   * insufficientAccessRights, busy, unwillingToPerform.
   */
  private static final Set<Integer> REFUSALS = Set.of(8, 11, 12, 50, 51, 53);

  private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

  private final OperationCounters counters;
  private volatile AccessLogConfig config = AccessLogConfig.DEFAULTS;
  private volatile @Nullable LogWriter access;
  private volatile @Nullable LogWriter audit;

  /** Former logs whose destinations may still be stalled. */
  private List<LogWriter> former = List.of();

  /**
   * Opens the logs of a configuration.
   *
   * @param counters count written and dropped events
   * @throws IOException if a file cannot be opened; the message names it
   */
  public AccessLogs(AccessLogConfig config, OperationCounters counters) throws IOException {
    this.counters = counters;
    open(config);
  }

  private void open(AccessLogConfig next) throws IOException {
    LogWriter newAccess =
        next.format() == LogFormat.NONE
            ? null
            : writer(LogKind.ACCESS, format(next), next.target(), next);
    try {
      Optional<LogTarget> target = next.audit();
      audit =
          target.isEmpty()
              ? null
              : writer(LogKind.AUDIT, new LdifFormat(secrets(next)), target.get(), next);
    } catch (IOException e) {
      if (newAccess != null) {
        newAccess.close();
      }
      throw e;
    }
    access = newAccess;
    config = next;
  }

  private LogWriter writer(
      LogKind kind, AccessFormat format, LogTarget target, AccessLogConfig next)
      throws IOException {
    return new LogWriter(kind, format, destination(target, kind.word(), next), counters);
  }

  private static AccessFormat format(AccessLogConfig config) {
    ValueText values = values(config);
    return switch (config.format()) {
      case DS389 -> new Ds389Format(values);
      case JSON -> new JsonFormat(values);
      case OPENLDAP, NONE -> new OpenLdapFormat(values, RequestTexts.LOG_MEMORY);
    };
  }

  /** Returns the writer of names and values. */
  static ValueText values(AccessLogConfig config) {
    return new ValueText(config.values(), secrets(config));
  }

  /** Returns the secret attribute types in lower case. */
  static Set<String> secrets(AccessLogConfig config) {
    return config.secrets().stream()
        .map(type -> type.toLowerCase(Locale.ROOT))
        .collect(Collectors.toUnmodifiableSet());
  }

  private static LogDestination destination(LogTarget target, String log, AccessLogConfig config)
      throws IOException {
    if (target instanceof LogFile file) {
      try {
        return new FileDestination(file.path(), config.rotation());
      } catch (IOException e) {
        throw new IOException(
            "log." + log + ".destination: " + file.path() + ": " + FailureText.of(e), e);
      }
    }
    return target instanceof Syslog syslog
        ? new SyslogDestination(syslog, hostName(), log)
        : new StdoutDestination();
  }

  private static String hostName() {
    try {
      return Files.readString(HOST_NAME).strip();
    } catch (IOException e) {
      return "-"; // the nil value of RFC 5424
    }
  }

  /**
   * Applies a new configuration. The new logs are open before the former ones are closed. If one
   * cannot be opened, or a former log is still stalled, the present logs stay in use, with a
   * warning. So the former logs of only one change hold memory.
   *
   * @return the reason why the change is not applied, for administrators; empty if it is
   */
  public synchronized Optional<String> configure(AccessLogConfig next) {
    if (next.equals(config)) {
      return Optional.empty();
    }
    Optional<LogWriter> stalled = former.stream().filter(LogWriter::isOpen).findAny();
    String failure;
    try {
      if (stalled.isEmpty()) {
        List<LogWriter> present = writers().toList();
        open(next);
        former = present;
        former.forEach(LogWriter::close);
        return Optional.empty();
      }
      failure = "the former log " + stalled.get() + " is stalled";
    } catch (IOException e) {
      failure = String.valueOf(e.getMessage());
    }
    LOG.warn("log: change not applied: {}; correct it, then reload", failure);
    return Optional.of("log: change not applied: " + failure);
  }

  /** Opens the files anew, since they may have been renamed. */
  public void reopen() {
    writers().forEach(LogWriter::reopen);
  }

  private Stream<LogWriter> writers() {
    return Stream.of(Optional.ofNullable(access), Optional.ofNullable(audit))
        .flatMap(Optional::stream);
  }

  // Events

  @Override
  public boolean wants(boolean audited) {
    return access != null || (audited && audit != null);
  }

  @Override
  public boolean wantsValues() {
    return audit != null;
  }

  @Override
  public void onConnected(long client, Peer peer, @Nullable SocketAddress local) {
    offer(new ConnectionEvent(Step.CONNECTED, client, peer, local, 0, "", System.nanoTime()));
  }

  @Override
  public void onTls(long client, Peer peer) {
    offer(new ConnectionEvent(Step.TLS, client, peer, null, 0, "", System.nanoTime()));
  }

  @Override
  public void onDisconnected(long client, Peer peer, long operations, String reason) {
    offer(
        new ConnectionEvent(
            Step.DISCONNECTED, client, peer, null, operations, reason, System.nanoTime()));
  }

  private void offer(ConnectionEvent event) {
    LogWriter writer = access;
    if (writer != null && admits(config.filter(), event.peer())) {
      writer.offer(event);
    }
  }

  @Override
  public void onCompleted(CompletedOperation operation) {
    LogWriter auditWriter = audit;
    LogWriter writer = access;
    if (writer != null && admits(config.filter(), operation)) {
      writer.offer(operation.withoutValues());
    }
    if (auditWriter != null && operation.values() != null) {
      auditWriter.offer(operation);
    } else if (auditWriter != null && isAction(operation)) {
      auditWriter.offer(operation);
    } else if (auditWriter != null && isRefusal(operation)) {
      auditWriter.offerRefusal(operation);
    } else {
      operation.release();
    }
  }

  /** True for a trace, and for a bind as administrator that succeeded. */
  private static boolean isAction(CompletedOperation operation) {
    return operation.trace().isAction()
        || (isAdministrativeBind(operation) && operation.resultCode() == 0);
  }

  /** True for an administrative operation that was refused, failed binds included. */
  private static boolean isRefusal(CompletedOperation operation) {
    return operation.trace().isAdministrative()
        && (isAdministrativeBind(operation) || REFUSALS.contains(operation.resultCode()));
  }

  private static boolean isAdministrativeBind(CompletedOperation operation) {
    return operation.trace().isAdministrative() && operation.type() == OpType.BIND_REQUEST;
  }

  private static boolean admits(Filter filter, Peer peer) {
    return (filter.listeners().isEmpty() || filter.listeners().contains(peer.listener()))
        && (filter.networks().isEmpty() || isIn(filter.networks(), peer));
  }

  private static boolean isIn(List<Network> networks, Peer peer) {
    InetAddress address = peer.address();
    return address != null && networks.stream().anyMatch(network -> network.contains(address));
  }

  private static boolean admits(Filter filter, CompletedOperation operation) {
    if (operation.type() == OpType.UNBIND_REQUEST) {
      return admits(filter, operation.peer());
    }
    return operation.times().elapsed() >= filter.slowerThan().toNanos()
        && (filter.results().isEmpty() || filter.results().contains(operation.resultCode()))
        && (filter.sampleEvery() == 1
            || ThreadLocalRandom.current().nextInt(filter.sampleEvery()) == 0)
        && admits(filter, operation.peer());
  }

  /** Writes what waits, and closes the logs. */
  @Override
  public synchronized void close() {
    List<LogWriter> open = writers().toList();
    access = null;
    audit = null;
    open.forEach(LogWriter::close);
  }
}
