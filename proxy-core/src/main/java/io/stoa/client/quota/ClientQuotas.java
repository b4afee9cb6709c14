// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.quota;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.RequestOp.BindAuthentication;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.FailedBindCounters;
import io.stoa.operation.InternalSink;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationCounters;
import io.stoa.operation.Rejection;
import io.stoa.operation.event.QuotaLimit;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Enforces the limits of each client network and of each identity.
 *
 * <ol>
 *   <li>A network is an IPv4 address or an IPv6 /64. Local sockets have no network.
 *   <li>An identity is a name as the directory compares names. Anonymous clients have none, and the
 *       administrator of Stoa has no limits.
 *   <li>The tables are bounded. A network or identity that is evicted begins anew.
 *   <li>The answer to a failed bind is delayed, never that to a successful one. The number of
 *       delayed answers is bounded; beyond it the client is disconnected without an answer.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
public final class ClientQuotas {
  /** Maximum number of networks and of identities with counted operations: 20,000 each. */
  private static final int MAX_ENTRIES = 20_000;

  /**
   * Maximum octets of a name in the tables: 512. Of a longer name its beginning counts, so that
   * clients cannot fill the memory with bind names.
   */
  private static final int MAX_NAME = 512;

  /** Divisor: by default a network leaves an eighth of all connections to others. */
  private static final int OTHERS_SHARE = 8;

  /** First octet of the IPv4 loopback network. */
  private static final byte LOOPBACK = 127;

  /** Maximum number of answers that are delayed at once: 1,024. */
  private static final int MAX_DELAYED = 1_024;

  private final Supplier<Quotas> current;
  private final IntSupplier connections;
  private final Supplier<ServerProfile> profile;
  private final OperationCounters counters;
  private final Cache<Octets, Usage> networks =
      Caffeine.newBuilder().maximumSize(MAX_ENTRIES).build();
  private final Cache<Octets, Usage> identities =
      Caffeine.newBuilder().maximumSize(MAX_ENTRIES).build();
  private final Cache<Octets, Octets> normalNames =
      Caffeine.newBuilder().maximumSize(MAX_ENTRIES).build();
  private final ConnectionCounts networkConnections = new ConnectionCounts();
  private final ConnectionCounts identityConnections = new ConnectionCounts();
  private final AtomicInteger delayed = new AtomicInteger();
  private final FailedBindLog failedBindLog;
  private final Map<QuotaLimit, QuotaLog> logs = new EnumMap<>(QuotaLimit.class);

  /**
   * Creates an instance.
   *
   * @param current supplies the limits, which may change between calls
   * @param connections supplies the maximum number of all connections
   * @param profile supplies the rules by which names are equal
   */
  public ClientQuotas(
      Supplier<Quotas> current,
      IntSupplier connections,
      Supplier<ServerProfile> profile,
      OperationCounters counters) {
    this.current = current;
    this.connections = connections;
    this.profile = profile;
    this.counters = counters;
    this.failedBindLog = new FailedBindLog(counters.failedBinds());
    for (QuotaLimit limit : QuotaLimit.values()) {
      logs.put(limit, new QuotaLog(limit));
    }
  }

  Quotas config() {
    return current.get();
  }

  // Connections

  /**
   * Counts a new connection of a network, which the caller removes by {@link #onClosed} if true is
   * returned.
   *
   * @return false at the limit of its network
   */
  public boolean admitConnection(Octets network) {
    int limit = maxConnections(network);
    int open = networkConnections.add(network);
    boolean room = limit == 0 || open <= limit;
    if (!room) {
      networkConnections.remove(network);
      countRefusal(QuotaLimit.NETWORK_CONNECTIONS, FailedBindCounters.nameOf(network));
    }
    return room;
  }

  /**
   * Returns the limit of connections of a network; 0 without one. By default it leaves an eighth of
   * all connections to other networks. Loopback addresses have no limit by default, since a load
   * balancer on the same host may connect for all clients.
   */
  private int maxConnections(Octets network) {
    int limit = config().network().connections();
    if (limit != QuotaConfig.AUTO) {
      return limit;
    }
    int all = connections.getAsInt();
    return isLoopback(network.array()) ? 0 : Math.max(1, all - all / OTHERS_SHARE);
  }

  private static boolean isLoopback(byte[] network) {
    boolean ipv6 = network.length == ClientSession.NETWORK_OCTETS;
    return ipv6 ? ByteBuffer.wrap(network).getLong() == 0 : network[0] == LOOPBACK;
  }

  /** Called when an admitted connection has closed. */
  public void onClosed(Octets network) {
    networkConnections.remove(network);
  }

  /**
   * Counts a connection that is bound now, and disconnects it at the limit of its identity. Without
   * a limit no name is parsed, and nothing is counted.
   */
  public void onBound(ClientSession session) {
    ClientIdentity identity = session.identity();
    int limit = config().identity().connections();
    if (limit <= 0 || identity.isAnonymous() || identity.isAdministrator()) {
      return;
    }
    Octets key = key(identity);
    int open = identityConnections.add(key);
    session.onReset(() -> identityConnections.remove(key));
    if (open > limit) {
      countRefusal(QuotaLimit.IDENTITY_CONNECTIONS, nameOf(identity));
      session.disconnect(Rejection.IDENTITY_LIMIT);
    }
  }

  // Operations

  /**
   * Admits an operation and counts it until it ends.
   *
   * @return why the operation is refused; null if it is admitted
   */
  public @Nullable Rejection admit(Operation operation) {
    Quotas config = config();
    ClientIdentity identity = operation.session().identity();
    boolean counts = config.network().countsOperations() || config.identity().countsOperations();
    if (!counts || identity.isAdministrator() || operation.sink() instanceof InternalSink) {
      return null;
    }
    Usage network = config.network().countsOperations() ? network(operation.session()) : null;
    Usage own =
        config.identity().countsOperations() && !identity.isAnonymous()
            ? identity(key(identity), () -> nameOf(identity))
            : null;
    QuotaLimit exceeded = begin(network, own);
    if (exceeded != null) {
      return refuse(exceeded, Objects.requireNonNull(exceeded.isOfNetwork() ? network : own));
    }
    operation.setSink(new QuotaSink(operation.sink(), network, own));
    return null;
  }

  private @Nullable QuotaLimit begin(@Nullable Usage network, @Nullable Usage own) {
    Quotas config = config();
    long now = System.nanoTime();
    if (network != null && !network.isWithinRate(config.network(), now)) {
      return QuotaLimit.NETWORK_OPERATIONS_PER_SECOND;
    }
    if (own != null && !own.isWithinRate(config.identity(), now)) {
      return QuotaLimit.IDENTITY_OPERATIONS_PER_SECOND;
    }
    if (network != null && !network.begin(config.network())) {
      return QuotaLimit.NETWORK_OPERATIONS_IN_FLIGHT;
    }
    if (own != null && !own.begin(config.identity())) {
      if (network != null) {
        network.end();
      }
      return QuotaLimit.IDENTITY_OPERATIONS_IN_FLIGHT;
    }
    return null;
  }

  private Rejection refuse(QuotaLimit limit, Usage usage) {
    countRefusal(limit, usage.name());
    return limit.isOfNetwork() ? Rejection.NETWORK_LIMIT : Rejection.IDENTITY_LIMIT;
  }

  // Binds

  /**
   * Admits a bind, and wraps its sink to count its failure.
   *
   * @return why the bind is refused; null if it is admitted
   */
  public @Nullable Rejection admitBind(Operation operation, BindOp bind) {
    Rejection refusal = judgeBind(operation, bind);
    if (refusal != null) {
      onFailed(operation.session(), refusal.resultCode());
    }
    return refusal;
  }

  private @Nullable Rejection judgeBind(Operation operation, BindOp bind) {
    Rejection refusal = admit(operation);
    if (refusal != null) {
      return refusal;
    }
    Quotas config = config();
    byte[] name = bind.name();
    boolean named =
        config.identity().countsBinds()
            && bind.authentication() == BindAuthentication.SIMPLE
            && name.length > 0;
    Octets key = named ? normal(Octets.of(name)) : null;
    int limit = config.identity().connections();
    if (limit > 0 && key != null && identityConnections.get(key) >= limit) {
      countRefusal(QuotaLimit.IDENTITY_CONNECTIONS, printable(name));
      return Rejection.IDENTITY_LIMIT;
    }
    Usage network = config.network().failedBinds() > 0 ? network(operation.session()) : null;
    Usage own =
        key != null && config.identity().failedBinds() > 0
            ? identity(key, () -> printable(name))
            : null;
    if (network != null && !network.beginBind(config.network(), System.nanoTime())) {
      return refuse(QuotaLimit.NETWORK_FAILED_BINDS, network);
    }
    if (own != null) {
      own.beginBind();
    }
    operation.setSink(new QuotaBindSink(this, operation, network, own));
    return null;
  }

  /** Counts a bind that has failed, for whatever reason. */
  void onFailed(ClientSession session, int resultCode) {
    counters.failedBinds().add(session.network(), resultCode);
  }

  /** Begins to delay an answer; false at the maximum number of delayed answers. */
  boolean beginDelay() {
    boolean room = delayed.incrementAndGet() <= MAX_DELAYED;
    if (!room) {
      delayed.decrementAndGet();
    }
    return room;
  }

  void endDelay() {
    delayed.decrementAndGet();
  }

  /** Counts a refusal or delay at a limit, for metrics and for the log. */
  void countRefusal(QuotaLimit limit, String name) {
    counters.limits().increment(limit);
    Objects.requireNonNull(logs.get(limit)).add(name);
  }

  /** Logs refusals and failed binds, if a line is due. Called periodically. */
  public void report() {
    long now = System.nanoTime();
    logs.values().forEach(log -> log.report(now));
    failedBindLog.report(now);
  }

  // Keys and names

  private @Nullable Usage network(ClientSession session) {
    Octets network = session.network();
    return network.length() == 0
        ? null
        : networks.get(
            network, key -> new Usage(FailedBindCounters.nameOf(key), System.nanoTime()));
  }

  private Usage identity(Octets key, Supplier<String> name) {
    return identities.get(key, same -> new Usage(name.get(), System.nanoTime()));
  }

  private Octets key(ClientIdentity identity) {
    byte[] dn = identity.dn();
    return normal(dn == null ? identity.name() : Octets.of(dn));
  }

  /** Returns the name in a form that is equal for all spellings of a DN. */
  private Octets normal(Octets name) {
    return name.length() > MAX_NAME ? digest(fold(name)) : normalNames.get(name, this::fold);
  }

  /** Returns the position of a DN in the tree; other names in lower case and without spaces. */
  private Octets fold(Octets name) {
    Octets position = NormalDn.of(name.array(), profile.get()).treePosition();
    return position == null
        ? Octets.of(
            new String(name.array(), StandardCharsets.UTF_8)
                .replaceAll("\\s", "")
                .toLowerCase(Locale.ROOT)
                .getBytes(StandardCharsets.UTF_8))
        : position;
  }

  /** Returns a key of bounded length for a long name. */
  private static Octets digest(Octets name) {
    try {
      return Octets.of(MessageDigest.getInstance("SHA-256").digest(name.array()));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("each Java has SHA-256", e);
    }
  }

  private static String nameOf(ClientIdentity identity) {
    byte[] dn = identity.dn();
    byte[] name = dn == null ? ClientIdentity.dnOf(identity.name()) : dn;
    Octets authzId = identity.authzId();
    byte[] other = authzId == null ? new byte[0] : authzId.array();
    return printable(name == null ? other : name);
  }

  /** Returns a name for logs: at most 200 characters, without control characters. */
  private static String printable(byte[] name) {
    int length = Math.min(name.length, MAX_NAME);
    String text = new String(name, 0, length, StandardCharsets.UTF_8).replaceAll("\\p{C}", "?");
    return text.length() > 200 ? text.substring(0, 200) + "..." : text;
  }

  /** True for requests that are binds, which are admitted by {@link #admitBind}. */
  static boolean isBind(Operation operation) {
    return operation.type() == OpType.BIND_REQUEST;
  }
}
