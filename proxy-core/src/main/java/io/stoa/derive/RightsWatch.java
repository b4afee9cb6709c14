// SPDX-License-Identifier: Apache-2.0
package io.stoa.derive;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.unboundid.ldap.sdk.ResultCode;
import io.stoa.change.PrivilegedReader;
import io.stoa.change.PrivilegedReader.Search;
import io.stoa.ldap.SearchEntry;
import io.stoa.match.NormalDn;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads now and then, as the account of a feed, how slapd is set up: who may see what, and what is
 * derived. If it may, and if nothing else decides, rights need not be taken for changed when they
 * have not been looked at for a while. Thread-safe.
 */
public final class RightsWatch {
  private static final Logger LOG = LoggerFactory.getLogger(RightsWatch.class);
  private static final int MOST_GROUPS = 100;
  private static final int BASE = 0;
  private static final int SUBTREE = 2;
  private static final byte[] ANYTHING = "(objectClass=*)".getBytes(UTF_8);
  private static final Search CONFIGURATION =
      new Search(
          "cn=config".getBytes(UTF_8),
          SUBTREE,
          "(|(objectClass=olcDatabaseConfig)(objectClass=olcOverlayConfig)(objectClass=olcGlobal))"
              .getBytes(UTF_8),
          ServerSetup.ATTRIBUTES);

  /** How the result code of RFC 4511 begins, as text. */
  private static final String INSUFFICIENT = ResultCode.INSUFFICIENT_ACCESS_RIGHTS_INT_VALUE + " ";

  private static final String UNREADABLE =
      "the account cannot read cn=config: a rule there like \"to * by dn.exact=FEED-ACCOUNT read\" would"
          + " let it";

  private final Terms terms;
  private final Horizon horizon;
  private final PrivilegedReader reader;
  private final DerivedConfig declared;
  private final AtomicBoolean asking = new AtomicBoolean();
  private volatile State state;

  /**
   * Of what it watches. Immutable.
   *
   * @param context the naming context, as the directory spells it
   * @param rights how long rights are taken for what they were
   * @param obstacle why rights cannot be watched, whatever cn=config says; gives null if they can
   * @param names how the directory compares names
   * @param changed is run when something else is derived than before, on any thread
   */
  public record Terms(
      String context,
      Duration rights,
      Supplier<@Nullable String> obstacle,
      Function<byte[], NormalDn> names,
      Runnable changed) {}

  /** What is known. Immutable. */
  private record State(
      @Nullable ServerSetup setup,
      @Nullable String reason,
      DerivedConfig derived,
      RightsGroups groups) {}

  /**
   * Knows nothing but what is declared.
   *
   * @param declared what is derived, whatever cn=config says
   */
  public RightsWatch(
      Terms terms, Horizon horizon, PrivilegedReader reader, DerivedConfig declared) {
    this.terms = terms;
    this.horizon = horizon;
    this.reader = reader;
    this.declared = declared;
    this.state = new State(null, "", declared, RightsGroups.NONE);
  }

  /** How often it is to look. */
  public Duration interval() {
    long half = terms.rights().toMillis() / 2;
    return Duration.ofMillis(Math.max(100, Math.min(half, 30_000)));
  }

  /** What is derived, as far as is known. */
  public DerivedConfig derived() {
    return state.derived();
  }

  /** The groups that decide who may see what. */
  public RightsGroups groups() {
    return state.groups();
  }

  private RightsGroups groups(@Nullable ServerSetup setup) {
    return setup == null
        ? RightsGroups.NONE
        : new RightsGroups(
            setup.groups().stream().map(dn -> terms.names().apply(dn.getBytes(UTF_8))).toList(),
            !setup.patterns().isEmpty());
  }

  /** Looks once more, unless it still does. */
  public void turn(LongSupplier clock) {
    if (terms.rights().isZero() || !asking.compareAndSet(false, true)) {
      return;
    }
    long asked = clock.getAsLong();
    reader.search(CONFIGURATION, found -> read(found, asked), this::failed);
  }

  /** For now; unless it is that the account may not. */
  private void failed(String why) {
    horizon.unwatched();
    if (why.startsWith(INSUFFICIENT)) {
      end(null, null, 0);
    } else {
      asking.set(false);
    }
  }

  private void read(List<SearchEntry> found, long asked) {
    ServerSetup setup = found.isEmpty() ? null : ServerSetup.of(found, this::isContext, this::isIn);
    List<String> groups = setup == null ? List.of() : setup.groups();
    look(setup, groups.size() > MOST_GROUPS ? List.of() : groups, asked);
  }

  /** Of a group that the account does not see, nobody tells it anything. */
  private void look(@Nullable ServerSetup setup, List<String> groups, long asked) {
    if (groups.isEmpty()) {
      end(setup, null, asked);
      return;
    }
    String group = groups.get(0);
    List<String> rest = groups.subList(1, groups.size());
    reader.search(
        new Search(group.getBytes(UTF_8), BASE, ANYTHING, List.of("entryUUID")),
        seen -> {
          if (seen.isEmpty()) {
            end(setup, "the account does not see " + group, asked);
          } else {
            look(setup, rest, asked);
          }
        },
        this::failed);
  }

  private void end(@Nullable ServerSetup setup, @Nullable String hidden, long asked) {
    try {
      take(setup, hidden);
      if (state.reason() == null) {
        horizon.watched(asked);
      } else {
        horizon.unwatched();
      }
    } finally {
      asking.set(false);
    }
  }

  private boolean isContext(String suffix) {
    return name(suffix).equals(name(terms.context()));
  }

  private boolean isIn(String suffix) {
    return name(suffix).isBelowOrEqual(name(terms.context()));
  }

  private NormalDn name(String dn) {
    return terms.names().apply(dn.getBytes(UTF_8));
  }

  private void take(@Nullable ServerSetup setup, @Nullable String hidden) {
    State before = state;
    String reason = reason(setup, hidden);
    DerivedConfig derived = setup == null ? declared : declared.and(setup.derived());
    boolean same = Objects.equals(before.setup(), setup);
    state = new State(setup, reason, derived, groups(setup));
    if (!derived.equals(before.derived())) {
      terms.changed().run();
    }
    if (!same && before.setup() != null) {
      LOG.info(
          "the configuration of {} has changed: what was given to anybody before is void", name());
    }
    if (!same) {
      horizon.revoked();
    }
    if (!Objects.equals(before.reason(), reason)) {
      tell(reason);
    }
  }

  private @Nullable String reason(@Nullable ServerSetup setup, @Nullable String hidden) {
    String obstacle = terms.obstacle().get();
    if (obstacle != null || setup == null) {
      return obstacle == null ? UNREADABLE : obstacle;
    }
    boolean known = setup.reason() == null && setup.groups().size() <= MOST_GROUPS;
    boolean near =
        Stream.concat(setup.groups().stream(), setup.patterns().stream()).allMatch(this::isNear);
    String far = near ? hidden : "rights depend on groups elsewhere";
    return known ? far : setup.reason() == null ? "too many groups decide" : setup.reason();
  }

  /** Whether a group, or what its DN is made of, ends as names in the naming context do. */
  private boolean isNear(String group) {
    String dn = group.toLowerCase(Locale.ROOT).replace(" ", "").replaceFirst("\\$$", "");
    return dn.endsWith(terms.context().toLowerCase(Locale.ROOT).replace(" ", ""));
  }

  private String name() {
    return terms.context();
  }

  private void tell(@Nullable String reason) {
    if (reason == null) {
      LOG.info(
          "rights in {} are watched: cn=config is read every {} ms, and {} groups decide",
          name(),
          interval().toMillis(),
          groups().named().size());
    } else {
      LOG.info(
          "rights in {} are taken for what they were for {} ms at most: {}",
          name(),
          terms.rights().toMillis(),
          reason);
    }
  }
}
