// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.ldap.sdk.ResultCode;
import io.stoa.coherence.rights.ServerConfigs.ConfigReading;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.event.PrivilegedReader.ReadFailure;
import io.stoa.feed.event.PrivilegedReader.Search;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.NormalDn;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the configuration of each slapd that may answer, periodically and as the account of a feed:
 * access rules, limits and overlays that derive attributes. A reading that differs from the last
 * one moves the {@link RightsWatermark}. Rights count as unchanged between readings if three
 * conditions hold.
 *
 * <ol>
 *   <li>The account can read cn=config of every server.
 *   <li>All servers have the same rules.
 *   <li>Nothing else decides about rights.
 * </ol>
 *
 * <p>Otherwise rights count as unchanged for a bounded time only.
 *
 * <p>Threading: thread-safe.
 */
public final class RightsWatch {
  private static final Logger LOG = LoggerFactory.getLogger(RightsWatch.class);
  private static final int MAX_GROUPS = 100;
  private static final long TOO_MANY_MEMBERS_NANOS = TimeUnit.MINUTES.toNanos(10);

  /** Maximum age of a reading of cn=config as a proof, if a server cannot be read since: 10 min. */
  private static final long PROOF_NANOS = TimeUnit.MINUTES.toNanos(10);

  private static final int SUBTREE = 2;
  private static final Search CONFIGURATION =
      new Search(
          "cn=config".getBytes(UTF_8),
          SUBTREE,
          "(|(objectClass=olcDatabaseConfig)(objectClass=olcOverlayConfig)(objectClass=olcGlobal))"
              .getBytes(UTF_8),
          SlapdSettings.ATTRIBUTES);

  private static final String UNREAD = "cn=config has not been read yet";

  private final Config config;
  private final RightsWatermark watermark;
  private final PrivilegedReader reader;
  private final DerivedConfig declaredConfig;
  private final AtomicBoolean reading = new AtomicBoolean();

  /**
   * Time of the last reading with too many members of groups; null if there was none. After such a
   * reading the members are not read each time.
   */
  private volatile @Nullable Long tooManyMembersNanos;

  /** Start of the last reading of all servers; null if there was none. */
  private volatile @Nullable Long readNanos;

  private volatile Knowledge knowledge;

  /**
   * The configuration of a watch. Immutable.
   *
   * @param context the naming context, as the directory spells it
   * @param rights maximum time for which rights count as unchanged
   * @param account DN of the account that acts for clients; without its rights clients are shown
   *     nothing. Null if there is none
   * @param servers supplies all servers that may answer
   * @param obstacle supplies the reason why rights cannot be watched, whatever cn=config says; null
   *     if they can
   * @param grant judges whether the account of the feed sees everything, and compares names
   * @param changed run when other attributes are derived than before, on any thread
   * @param reached passes on the position of a server that has all changes reported until then, on
   *     the thread that applies changes
   */
  public record Config(
      String context,
      Duration rights,
      @Nullable String account,
      Supplier<List<Server>> servers,
      Supplier<@Nullable String> obstacle,
      ReadGrant grant,
      Runnable changed,
      Consumer<Consumer<Position>> reached) {}

  /**
   * A server that may answer. Immutable.
   *
   * @param name its unique name
   * @param reader reads there as the account of the feed
   * @param mayFeed true if a feed may come from there
   */
  public record Server(String name, PrivilegedReader reader, boolean mayFeed) {}

  /**
   * The knowledge after a reading. Immutable.
   *
   * @param gap the reason why the account of the feed may not see everything; null if the rules
   *     grant that
   * @param members the members of each deciding entry; null if not read
   */
  private record Knowledge(
      ServerConfigs setups,
      @Nullable String reason,
      @Nullable String gap,
      DerivedConfig derived,
      RightsGroups groups,
      @Nullable Map<String, Set<Octets>> members) {}

  /**
   * Makes a watch that knows only the declared attributes.
   *
   * @param reader reads from the feed's server
   * @param declaredConfig the derived attributes, whatever cn=config says
   */
  public RightsWatch(
      Config config,
      RightsWatermark watermark,
      PrivilegedReader reader,
      DerivedConfig declaredConfig) {
    this.config = config;
    this.watermark = watermark;
    this.reader = reader;
    this.declaredConfig = declaredConfig;
    this.knowledge =
        new Knowledge(ServerConfigs.NONE, UNREAD, UNREAD, declaredConfig, RightsGroups.NONE, null);
  }

  /** Returns the interval between two readings. */
  public Duration interval() {
    long half = config.rights().toMillis() / 2;
    return Duration.ofMillis(Math.max(100, Math.min(half, 30_000)));
  }

  /** Returns the derived attributes, as far as they are known. */
  public DerivedConfig derived() {
    return knowledge.derived();
  }

  /** Returns the groups that decide about rights. */
  public RightsGroups groups() {
    return knowledge.groups();
  }

  /** Returns {@code watched}, or why changes of rights may go unnoticed by the last reading. */
  public String state() {
    String obstacle = config.obstacle().get();
    String reason = obstacle == null ? knowledge.reason() : obstacle;
    return reason == null ? "watched" : reason;
  }

  /**
   * Returns why the access rules do not prove the coverage of the feed's account, or null if they
   * do. A proof holds only while rights are watched ({@link RightsWatermark#isWatched}). Every
   * server that may answer must grant the access, since the feed may come from it later.
   */
  public @Nullable String gap() {
    Knowledge now = knowledge;
    return now.reason() == null ? now.gap() : now.reason();
  }

  /**
   * Returns why a server that may answer might not show entries as its own databases hold them.
   * Null if cn=config proves that all servers do. A new overlay is noticed by the next reading.
   *
   * @param now the time of {@link System#nanoTime}
   */
  public @Nullable String foreign(long now) {
    Long read = readNanos;
    if (read == null || now - read > PROOF_NANOS) {
      return read == null ? UNREAD : "the last reading of cn=config is older than 10 min";
    }
    String obstacle = config.obstacle().get();
    return obstacle == null ? knowledge.setups().foreign() : obstacle;
  }

  /**
   * Returns the access rules and limits of all servers, as far as they can be read; null while a
   * server has not answered.
   */
  public @Nullable String rules() {
    ServerConfigs now = knowledge.setups();
    return now.servers().isEmpty() || !now.unreadable().isEmpty() ? null : now.rules();
  }

  /** Returns the entries that decide about rights: a change of one may change rights. */
  private List<String> groupNames(ServerConfigs configs) {
    String account = config.account();
    List<String> groups = configs.all(SlapdSettings::groups);
    return account == null || !configs.isAnyKnown()
        ? groups
        : Stream.concat(Stream.of(account), groups.stream()).toList();
  }

  private RightsGroups groups(ServerConfigs configs, boolean read) {
    return new RightsGroups(
        groupNames(configs).stream().map(this::name).toList(),
        !configs.all(SlapdSettings::patterns).isEmpty(),
        read || !hasGroups(configs));
  }

  /** Starts a reading, unless one is under way. */
  public void run(LongSupplier clock) {
    if (config.rights().isZero() || !reading.compareAndSet(false, true)) {
      return;
    }
    guarded(
        () -> {
          List<Server> servers = config.servers().get();
          if (servers.isEmpty()) {
            endWithoutResult();
          } else {
            new Round(servers, clock.getAsLong()).begin();
          }
        });
  }

  /** Runs a step, and ends the reading if it fails: the next one cannot start before. */
  private void guarded(Runnable action) {
    try {
      action.run();
    } catch (RuntimeException | StackOverflowError e) {
      LOG.debug(
          "feed of {}: rights could not be evaluated (internal error)",
          context(),
          e); // repeated in each reading
      setReason("internal error; details at level DEBUG");
      endWithoutResult();
    }
  }

  /** Ends a reading without a result. */
  private void endWithoutResult() {
    watermark.clearWatched();
    reading.set(false);
  }

  /** One reading of all servers, in parallel. Threading: thread-safe. */
  private final class Round {
    private final Map<String, ConfigReading> answers = new ConcurrentHashMap<>();
    private final List<Server> servers;
    private final long asked;
    private final AtomicInteger left;

    Round(List<Server> servers, long asked) {
      this.servers = servers;
      this.asked = asked;
      this.left = new AtomicInteger(servers.size());
    }

    void begin() {
      for (Server server : servers) {
        server
            .reader()
            .search(
                CONFIGURATION,
                found -> guarded(() -> onFound(server, found)),
                failure -> guarded(() -> onFailed(server, failure)));
      }
    }

    /**
     * Takes a response. One that cannot be evaluated counts as none, so that no step waits for it.
     */
    private void onFound(Server server, List<SearchEntry> found) {
      SlapdSettings settings;
      try {
        settings = setup(found, server);
      } catch (RuntimeException | StackOverflowError e) {
        LOG.debug("{}: cn=config could not be evaluated (internal error)", server.name(), e);
        setReason(
            "cn=config could not be evaluated (internal error): "
                + e); // else unreported with one server
        onFailed(server, ReadFailure.withoutResult(e.toString()));
        return;
      }
      take(server, new ConfigReading(settings, null));
    }

    /**
     * Takes a failure. The server counts as unknown for now, except if the account lacks the
     * rights.
     */
    private void onFailed(Server server, ReadFailure failure) {
      watermark.clearWatched();
      boolean denied = failure.resultCode() == ResultCode.INSUFFICIENT_ACCESS_RIGHTS_INT_VALUE;
      String text = denied ? null : "cn=config cannot be read: " + failure.text();
      take(server, new ConfigReading(null, text));
    }

    private void take(Server server, ConfigReading answer) {
      answers.put(server.name(), answer);
      if (left.decrementAndGet() == 0) {
        read(knowledge.setups().update(answers), servers, asked);
      }
    }
  }

  private @Nullable SlapdSettings setup(List<SearchEntry> found, Server server) {
    return found.isEmpty()
        ? null
        : SlapdSettings.of(found, this::isContext, this::isIn, server.mayFeed(), config.grant());
  }

  private void read(ServerConfigs configs, List<Server> servers, long asked) {
    if (configs.servers().size() == 1 && !configs.unreadable().isEmpty()) {
      endWithoutResult();
      return;
    }
    List<String> all = groupNames(configs);
    List<String> groupsToRead = all.size() > MAX_GROUPS ? List.of() : all;
    List<Server> others = servers.stream().filter(one -> !one.name().isEmpty()).toList();
    boolean exceedsLimit = groupsToRead.size() * (others.size() + 1) > MAX_GROUPS;
    boolean allGroupsKnown =
        configs.all(SlapdSettings::patterns).isEmpty() && configs.unreadable().isEmpty();
    boolean readMembers =
        isRepaired(configs) && allGroupsKnown && !exceedsLimit && !hadTooManyMembers(asked);
    Consumer<GroupReading.GroupResult> done = found -> end(configs, found, asked);
    new GroupReading(reader, config.account(), readMembers, this::guarded, done)
        .read(groupsToRead, others);
  }

  /** True if the directory may repair names in the deciding groups. */
  private boolean isRepaired(ServerConfigs configs) {
    return hasGroups(configs)
        && configs.derived(declaredConfig).linked().stream().anyMatch(AccessRule::isMember);
  }

  /** True if any group decides about rights. */
  private static boolean hasGroups(ServerConfigs configs) {
    return !configs.all(SlapdSettings::groups).isEmpty()
        || !configs.all(SlapdSettings::patterns).isEmpty();
  }

  /** True if a recent reading has found too many members. */
  private boolean hadTooManyMembers(long asked) {
    Long last = tooManyMembersNanos;
    return last != null && asked - last < TOO_MANY_MEMBERS_NANOS;
  }

  private void end(ServerConfigs configs, GroupReading.GroupResult found, long asked) {
    tooManyMembersNanos = found.crowded() ? Long.valueOf(asked) : tooManyMembersNanos;
    take(configs, found);
    readNanos = configs.unreadable().isEmpty() ? Long.valueOf(asked) : readNanos;
    if (knowledge.reason() == null) {
      watermark.confirmWatched(asked);
    } else {
      watermark.clearWatched();
    }
    reading.set(false);
  }

  private boolean isContext(String suffix) {
    return name(suffix).equals(name(config.context()));
  }

  private boolean isIn(String suffix) {
    return name(suffix).isBelowOrEqual(name(config.context()));
  }

  private NormalDn name(String dn) {
    return config.grant().names().apply(dn.getBytes(UTF_8));
  }

  /**
   * Takes the results. Members that cannot be read now stay as they were; rights do not count as
   * watched meanwhile.
   */
  private void take(ServerConfigs configs, GroupReading.GroupResult found) {
    Knowledge before = knowledge;
    String reason = reason(configs, found.hidden());
    String gap = configs.reason(SlapdSettings::gap);
    DerivedConfig derivedConfig = configs.derived(declaredConfig);
    boolean whole = found.hidden() == null && configs.unreadable().isEmpty();
    Map<String, Set<Octets>> members = whole ? found.members() : before.members();
    RightsGroups groups = groups(configs, members != null);
    boolean same = !configs.mayDifferFrom(before.setups()) && groups.equals(before.groups());
    knowledge = new Knowledge(configs, reason, gap, derivedConfig, groups, members);
    if (!same || !Objects.equals(members, before.members())) { // repairs may follow later
      moveWatermark(isRepaired(configs) ? watermark::onRepair : watermark::onRightsChange);
    }
    if (!derivedConfig.equals(before.derived())) {
      config.changed().run();
    }
    if (!same && before.setups().isAnyKnown()) {
      LOG.info(
          "feed of {}: the server configuration has changed, or a server is reachable again. "
              + "Earlier results were invalidated.",
          context());
    }
    if (!Objects.equals(before.reason(), reason)) {
      logReason(reason);
    }
  }

  /**
   * Moves a watermark: earlier results do not count any more, and later ones only from servers that
   * have all changes reported until now. Before this, it was not known which groups decide. Must be
   * called when they are known, so that every later change finds them.
   */
  private void moveWatermark(Consumer<Position> revocation) {
    revocation.accept(Position.NONE);
    config.reached().accept(revocation);
  }

  /** Sets the reason why rights are not watched, and keeps all other knowledge. */
  private void setReason(String reason) {
    Knowledge now = knowledge;
    if (!reason.equals(now.reason())) {
      knowledge =
          new Knowledge(
              now.setups(), reason, now.gap(), now.derived(), now.groups(), now.members());
      logReason(reason);
    }
  }

  private @Nullable String reason(ServerConfigs configs, @Nullable String hidden) {
    String obstacle = config.obstacle().get();
    if (obstacle != null) {
      return obstacle;
    }
    String other =
        configs.reason(config.account() == null ? SlapdSettings::reason : RightsWatch::either);
    List<String> groupNames = groupNames(configs);
    boolean known = other == null && groupNames.size() <= MAX_GROUPS;
    boolean allInContext =
        Stream.concat(groupNames.stream(), configs.all(SlapdSettings::patterns).stream())
            .allMatch(this::isInContext);
    String far = allInContext ? hidden : "rights depend on entries outside the naming context";
    return known ? far : other == null ? "rights depend on more than 100 groups" : other;
  }

  private static @Nullable String either(SlapdSettings settings) {
    return settings.reason() == null ? settings.proxying() : settings.reason();
  }

  /** True if a group, or a pattern of its DN, ends as the naming context does. */
  private boolean isInContext(String group) {
    String dn = group.toLowerCase(Locale.ROOT).replace(" ", "").replaceFirst("\\$$", "");
    return dn.endsWith(config.context().toLowerCase(Locale.ROOT).replace(" ", ""));
  }

  private String context() {
    return config.context();
  }

  private void logReason(@Nullable String reason) {
    if (reason == null) {
      LOG.info(
          "feed of {}: rights are watched. cn=config is read every {} ms; rights depend on entries"
              + " (count={}).",
          context(),
          interval().toMillis(),
          groups().named().size());
    } else {
      LOG.info(
          "feed of {}: rights are not watched. Changes of rights take effect within {} ms "
              + "(cache.maxAclStaleness). Reason: {}",
          context(),
          config.rights().toMillis(),
          reason);
    }
  }
}
