// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.preflight;

import io.stoa.client.listener.AccessConfig;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.coherence.invalidation.DomainReport;
import io.stoa.feed.event.FeedAbsence;
import io.stoa.metrics.ProxyStatus;
import io.stoa.net.transport.FailureText;
import io.stoa.proxy.Extensions;
import io.stoa.proxy.Proxy;
import io.stoa.proxy.ProxyConfig;
import io.stoa.proxy.feeds.CoherenceConfig;
import io.stoa.upstream.auth.IdentityConfig;
import io.stoa.upstream.server.BackendState;
import io.stoa.upstream.server.BackendStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Runs a proxy without clients for some seconds, and reports its health checks and its feeds. The
 * proxy listens on a free port of the loopback only, and accepts no connection there. Its feeds are
 * the real ones, and so are the reasons of their states.
 *
 * <p>Threading: confined to one thread that may block.
 */
final class TrialRun {
  static final String HEALTH = "health check";
  private static final String FEED = "feed";
  private static final long POLL_MILLIS = 50;

  /** Time in ns for which an explained, but unsettled state is observed: 3 s. */
  private static final long STILL_NANOS = TimeUnit.SECONDS.toNanos(3);

  private static final Pattern UNPROVED = Pattern.compile("\\d+ of \\d+ changes: .*");
  private static final String UNREAD = "has not been read";

  private final ProxyConfig config;

  TrialRun(ProxyConfig config) {
    this.config = config;
  }

  /** Runs it for at most that time. */
  List<PreflightFinding> run(Duration most) {
    Findings start = new Findings("stoa");
    try (Proxy proxy = Proxy.open(trial(), Extensions.none())) {
      return report(await(proxy, most));
    } catch (IOException e) {
      start.failed("start", "Stoa would not start: " + FailureText.of(e), "");
      return start.all();
    }
  }

  /** Returns the configuration without its listeners, its write windows and rules about clients. */
  private ProxyConfig trial() {
    IdentityConfig identity = config.upstream().identity();
    IdentityConfig withoutRules =
        new IdentityConfig(
            identity.mode(),
            identity.serviceDn(),
            identity.servicePasswordFile(),
            identity.serviceMechanism(),
            identity.neverProxied(),
            List.of());
    return new ProxyConfig(
        AccessConfig.of(List.of(new ListenerConfig("127.0.0.1", 0))),
        config.upstream().identity(withoutRules),
        config.cache(),
        config.adapt(),
        config.limits(),
        List.of(),
        2,
        config.coherence());
  }

  /**
   * Waits until everything is known. A state that is explained, but not settled, is observed for 3
   * s more. While a feed connects again it has no reason, so the last explained status is returned.
   */
  private static ProxyStatus await(Proxy proxy, Duration most) {
    long end = System.nanoTime() + most.toNanos();
    long giveUp = end;
    ProxyStatus status = proxy.status();
    ProxyStatus explained = null;
    while (!isSettled(status)) {
      if (isExplained(status)) {
        giveUp = explained == null ? System.nanoTime() + STILL_NANOS : giveUp;
        explained = status;
      }
      long now = System.nanoTime();
      if (now - giveUp >= 0 || now - end >= 0 || !pause()) {
        return explained == null ? status : explained;
      }
      status = proxy.status();
    }
    return status;
  }

  private static boolean pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static boolean isSettled(ProxyStatus status) {
    return status.ready()
        && status.backends().stream().allMatch(one -> one.state() == BackendState.UP)
        && status.feeds().stream().allMatch(TrialRun::isSettled)
        && !(status.feeds().isEmpty() && status.withoutFeed().isEmpty());
  }

  /** True if each feed is live or has a reason. One without a reason has not begun yet. */
  private static boolean isExplained(ProxyStatus status) {
    boolean down = status.backends().stream().allMatch(one -> one.state() == BackendState.DOWN);
    return (status.ready() || down)
        && status.feeds().stream().allMatch(one -> one.isLive() || !one.reason().isEmpty());
  }

  private static boolean isSettled(DomainReport feed) {
    boolean read = !feed.coverage().contains(UNREAD) && !feed.rights().contains(UNREAD);
    return feed.isLive() && feed.leaseAgeNanos() >= 0 && read;
  }

  private List<PreflightFinding> report(ProxyStatus status) {
    List<PreflightFinding> all = new ArrayList<>();
    status.backends().forEach(server -> all.addAll(health(server)));
    status.feeds().forEach(feed -> all.addAll(feed(feed)));
    status.withoutFeed().forEach(none -> all.addAll(absent(none)));
    return all;
  }

  private static List<PreflightFinding> health(BackendStatus server) {
    Findings findings = new Findings(server.address().toString());
    String state = server.state().name().toLowerCase(Locale.ROOT);
    if (server.state() == BackendState.UP) {
      findings.ok(HEALTH, "up" + (server.reason().isEmpty() ? "" : ": " + server.reason()));
    } else if (server.state() == BackendState.DOWN) {
      findings.failed(HEALTH, "down: " + server.reason(), "");
    } else {
      findings.warning(HEALTH, state + ": " + server.reason(), "");
    }
    return findings.all();
  }

  private List<PreflightFinding> feed(DomainReport feed) {
    Findings findings = new Findings("feed of " + feed.context());
    CoherenceConfig coherence = config.coherence();
    if (!feed.isLive()) {
      String why = feed.reason().isEmpty() ? feed.feed().phase().toString() : feed.reason();
      findings.failed(
          FEED,
          feed.mode() + " is " + feed.state() + ": " + why + "; " + byAge(),
          "see docs/guides/feeds.md");
      return findings.all();
    }
    findings.ok(
        FEED,
        String.format(
            "%s is live, from %s: results are at most %d ms old (cache.maxStaleness)",
            feed.mode(), feed.feed().server(), coherence.maxStaleness().toMillis()));
    if (UNPROVED.matcher(feed.coverage()).matches()) {
      findings.warning(
          "coverage",
          "not proved that the account sees every entry: "
              + feed.coverage()
              + ". Subtree and one-level results expire by age until then",
          "let the account read cn=config, or set feed.assumeCoverage if you are sure");
    } else {
      findings.ok("coverage", "the account sees every entry, proved by " + feed.coverage());
    }
    rights(feed, findings);
    return findings.all();
  }

  private void rights(DomainReport feed, Findings findings) {
    long bound = config.coherence().maxAclStaleness().toMillis();
    if (feed.rights().equals("watched")) {
      findings.ok("rights", "changes of access rules are watched");
    } else if (bound == 0) {
      findings.note("rights", "changes of access rules are not watched: " + feed.rights(), "");
    } else {
      findings.note(
          "rights",
          String.format(
              "changes of access rules take effect within %d ms (cache.maxAclStaleness): %s",
              bound, feed.rights()),
          "");
    }
  }

  private String byAge() {
    return "results expire after " + config.cache().maxAge().toMillis() + " ms (cache.maxAge)";
  }

  private List<PreflightFinding> absent(FeedAbsence none) {
    Findings findings = new Findings("feed of " + none.name());
    String text = "none: " + none.why() + "; " + byAge();
    if (config.coherence().feed().hasAccount()) {
      findings.warning(FEED, text, "see docs/guides/feeds.md");
    } else {
      findings.note(FEED, text, "");
    }
    return findings.all();
  }
}
