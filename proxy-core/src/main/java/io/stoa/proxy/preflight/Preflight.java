// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.preflight;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.stoa.net.tls.TlsContext;
import io.stoa.net.tls.TlsContexts;
import io.stoa.net.tls.TlsException;
import io.stoa.net.transport.FailureText;
import io.stoa.net.transport.Transport;
import io.stoa.proxy.ProxyConfig;
import io.stoa.proxy.preflight.PreflightFinding.CheckOutcome;
import io.stoa.routing.directory.DirectorySpec;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.connect.Dialer;
import io.stoa.upstream.connect.ServiceRecords;
import io.stoa.upstream.health.Contents;
import io.stoa.upstream.pool.UpstreamConfig;
import io.stoa.upstream.server.ServerAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.naming.NamingException;
import org.jspecify.annotations.Nullable;

/**
 * Checks a configuration against its directory servers, before Stoa starts.
 *
 * <ol>
 *   <li>Each server: name, connection, TLS, root DSE, accounts. All servers are checked, whatever
 *       becomes of the others.
 *   <li>The servers of each directory: whether they hold the same tree, as the health checks
 *       compare them.
 *   <li>A {@link TrialRun}: the health checks and the feeds of a real proxy.
 * </ol>
 *
 * <p>Threading: confined to one thread that may block.
 */
public final class Preflight {
  /** Maximum number of servers that are checked at once: 8. */
  private static final int PARALLEL = 8;

  /** Maximum size of a message from a server: 16 MiB. The preflight reads small entries only. */
  private static final int MAX_RESPONSE = 16 * 1024 * 1024;

  private final ProxyConfig config;
  private final PreflightOptions options;
  private final long end;
  private final List<PreflightFinding> findings = new ArrayList<>();

  /**
   * Options of a preflight.
   *
   * <p>Threading: immutable.
   *
   * @param actsFor DN of a client for whom the service account must be allowed to act; empty to try
   *     any person of the directory
   * @param timeout maximum time of all checks together
   */
  public record PreflightOptions(String actsFor, Duration timeout) {}

  private Preflight(ProxyConfig config, PreflightOptions options) {
    this.config = config;
    this.options = options;
    this.end = System.nanoTime() + options.timeout().toNanos();
  }

  /** Returns the findings of all checks, grouped by subject. */
  public static List<PreflightFinding> run(ProxyConfig config, PreflightOptions options) {
    return new Preflight(config, options).checkAll();
  }

  private List<PreflightFinding> checkAll() {
    Transport transport = Transport.best();
    EventLoopGroup loops = transport.eventLoops(1, "stoa-preflight-loop");
    boolean reached = false;
    try (TlsContexts contexts = new TlsContexts()) {
      UpstreamConfig upstream = config.upstream();
      TlsContext tls =
          upstream.usesTls()
              ? contexts.client(upstream.transport().tls(), upstream.transport().verifyHost())
              : null;
      EventLoop loop = loops.next();
      for (DirectorySpec directory : DirectorySpec.of(upstream.servers())) {
        reached |= check(directory, loop, dialer(loop, transport, tls));
      }
    } catch (TlsException e) {
      report("upstream.tls", "files", FailureText.of(e), "correct the files of upstream.tls");
    } finally {
      Transport.shutDown(loops);
    }
    trial(reached);
    return grouped();
  }

  private Dialer dialer(EventLoop loop, Transport transport, @Nullable TlsContext tls) {
    UpstreamConfig upstream = config.upstream();
    Dialer.DialSettings settings =
        new Dialer.DialSettings(
            upstream.transport(),
            upstream.connectTimeout(),
            Math.min(MAX_RESPONSE, upstream.maxResponse()));
    return new Dialer(loop, transport, tls, settings);
  }

  private void report(String subject, String check, String text, String remedy) {
    Findings one = new Findings(subject);
    one.failed(check, text, remedy);
    findings.addAll(one.all());
  }

  /** Checks the servers of a directory. Returns true if one was reached. */
  private boolean check(DirectorySpec directory, EventLoop loop, Dialer dialer) {
    Findings common = new Findings(name(directory));
    boolean reached = false;
    try (Accounts accounts = Accounts.of(config, directory, common)) {
      ServerCheck.CheckSettings settings =
          new ServerCheck.CheckSettings(
              config.upstream(), loop, dialer, accounts, options.actsFor());
      List<ServerCheck> checks =
          addresses(directory, common).stream()
              .map(server -> new ServerCheck(server, settings))
              .toList();
      List<ServerCheck> late = runAll(checks);
      late.forEach(
          one ->
              one.findings()
                  .failed("time", "not finished in time", "raise --timeout of the probe"));
      checks.forEach(one -> findings.addAll(one.findings().all()));
      compare(checks, common);
      reached = checks.stream().anyMatch(ServerCheck::isConnected);
    }
    findings.addAll(common.all());
    return reached;
  }

  private static String name(DirectorySpec directory) {
    return directory.suffixes().isEmpty()
        ? "directory"
        : "directory " + String.join(" and ", directory.suffixes());
  }

  /** Returns the servers to check; those of a domain are asked of DNS. */
  private Set<ServerAddress> addresses(DirectorySpec directory, Findings common) {
    Set<ServerAddress> servers = new LinkedHashSet<>();
    for (ServerSpec spec : directory.servers()) {
      if (spec.address().isDomain()) {
        servers.addAll(ofDomain(spec.address(), common));
      } else {
        servers.add(spec.address());
      }
    }
    return servers;
  }

  private List<ServerAddress> ofDomain(ServerAddress domain, Findings common) {
    String remedy = "add SRV records, or name the servers in upstream.servers";
    List<ServerAddress> servers = new ArrayList<>();
    try {
      new ServiceRecords(config.upstream().names())
          .of(domain)
          .forEach(one -> servers.add(one.address()));
    } catch (NamingException e) {
      common.failed("dns", domain.serviceName() + ": " + FailureText.of(e), remedy);
      return servers;
    }
    if (servers.isEmpty()) {
      common.failed("dns", domain.serviceName() + " has no usable SRV record", remedy);
    } else {
      common.ok("dns", domain.serviceName() + " names " + servers);
    }
    return servers;
  }

  /** Runs all checks in parallel. Returns those that have not ended in time. */
  private List<ServerCheck> runAll(List<ServerCheck> checks) {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            PARALLEL,
            PARALLEL,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            new DefaultThreadFactory("stoa-preflight", true));
    List<ServerCheck> late = new ArrayList<>(checks);
    checks.forEach(
        one ->
            threads.execute(
                () -> {
                  one.run();
                  synchronized (late) {
                    late.remove(one);
                  }
                }));
    threads.shutdown();
    try {
      threads.awaitTermination(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    threads.shutdownNow();
    synchronized (late) {
      return List.copyOf(late);
    }
  }

  /** Compares each server with the first one whose contents are known. */
  private static void compare(List<ServerCheck> checks, Findings common) {
    ServerCheck reference = null;
    int equal = 0;
    for (ServerCheck one : checks) {
      Contents contents = one.contents();
      if (contents != null && !contents.contexts().isEmpty()) {
        Contents first = reference == null ? null : reference.contents();
        if (reference == null || first == null) {
          reference = one;
        } else {
          String difference = contents.differenceFrom(first, reference.server().toString());
          equal += difference.isEmpty() ? 1 : 0;
          reportDifference(one, difference, common);
        }
      }
    }
    if (reference != null && equal > 0 && equal == checks.size() - 1) {
      common.ok("same tree", "all " + checks.size() + " servers hold the same tree");
    } else if (checks.size() > 1 && reference == null) {
      common.skipped("same tree", "the naming contexts of no server are known");
    }
  }

  private static void reportDifference(ServerCheck one, String difference, Findings common) {
    if (!difference.isEmpty()) {
      common.failed(
          "same tree",
          one.server() + ": " + difference,
          "remove the server, or give it suffixes of its own in upstream.servers");
    }
  }

  private void trial(boolean reached) {
    Duration left = Duration.ofNanos(end - System.nanoTime());
    if (!reached) {
      Findings feeds = new Findings("feeds");
      feeds.skipped("feed", "no server was reached");
      findings.addAll(feeds.all());
    } else if (left.isNegative()) {
      report("feeds", "time", "no time was left for the feeds", "raise --timeout of the probe");
    } else {
      new TrialRun(config).run(left).stream().filter(this::isNew).forEach(findings::add);
    }
  }

  /** False for the health check of a server whose failed connection was reported. */
  private boolean isNew(PreflightFinding one) {
    return !one.check().equals(TrialRun.HEALTH)
        || findings.stream()
            .filter(other -> other.subject().equals(one.subject()))
            .noneMatch(other -> other.outcome() == CheckOutcome.FAILED);
  }

  /** Returns the findings with those about one subject together, in the order of the subjects. */
  private List<PreflightFinding> grouped() {
    Set<String> subjects = new LinkedHashSet<>();
    findings.forEach(one -> subjects.add(one.subject()));
    return subjects.stream()
        .flatMap(subject -> findings.stream().filter(one -> one.subject().equals(subject)))
        .toList();
  }
}
