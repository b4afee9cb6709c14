// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.cache.memory.BoundedCache;
import io.stoa.cache.sharing.SharingClassState.Rule;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.ClientIdentity;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The access-class cache: identity to access class, which is what the caches are kept apart by.
 * Each identity is a class of its own, unless it is known to belong to a declared one. An identity
 * that was forgotten gets a class that nobody ever had, so nothing that was stored for it before is
 * found again. Anonymous clients need no place. Thread-safe.
 */
public final class ClassTable {
  private static final int OVERHEAD = 320;

  /** The numbers of classes begin with 1. */
  private static final SharingClass NOBODY = SharingClass.own(Octets.of(new byte[Long.BYTES]));

  private static final SharingClass ANONYMOUS = SharingClass.own(Octets.EMPTY);

  private final BoundedCache<Octets, Identity> identities;
  private final AtomicLong last = new AtomicLong();
  private final Verifier verifier;
  private volatile boolean enabled;
  private volatile Rules rules;
  private volatile Consumer<Set<Octets>> dropped = none -> {};

  /**
   * Makes an empty table, for these declared classes.
   *
   * @param clock in the time of {@link System#nanoTime}
   * @param dice throws a number below one that it is given
   */
  public ClassTable(
      Bounds bounds, SharingConfig sharing, LongSupplier clock, IntUnaryOperator dice) {
    this.identities =
        new BoundedCache<>(
            bounds.entries(), bounds.octets(), (name, identity) -> OVERHEAD + name.length());
    this.enabled = bounds.enabled();
    this.verifier = new Verifier(sharing.oneIn(), this::renew, n -> dice.applyAsInt(n) == 0, clock);
    this.rules =
        rules(
            sharing.classes().stream()
                .map(each -> new SharingClassState(each, this::number))
                .toList(),
            ServerProfile.EXACT);
  }

  /**
   * How much the table may hold. Immutable.
   *
   * @param enabled whether anything is stored for clients that have bound
   * @param entries most identities
   * @param octets most memory
   */
  public record Bounds(boolean enabled, int entries, long octets) {}

  /** Who belongs to which class now; one that is replaced holds no more. Immutable. */
  private static final class Rules {
    private final List<Rule> all;

    /** How names are compared. */
    private final ServerProfile profile;

    Rules(List<Rule> all, ServerProfile profile) {
      this.all = List.copyOf(all);
      this.profile = profile;
    }
  }

  /**
   * What is known of one identity. Immutable.
   *
   * @param own what it has to itself
   * @param by the rules by which the rest was found
   * @param shares what it shares
   */
  private record Identity(SharingClass own, Rules by, List<Share> shares) {}

  /**
   * A declared class that an identity belongs to. Immutable.
   *
   * @param bit that of the class in what requests lie in
   * @param member as whom it belongs to it
   * @param shared what it shares
   * @param alone what it has to itself while it is looked into
   * @param group by which it belongs to it; null if its name alone says so
   */
  private record Share(
      long bit,
      ClassMember member,
      SharingClass shared,
      SharingClass alone,
      @Nullable Group group) {
    Share(long bit, ClassMember member, SharingClass own, @Nullable Group group) {
      this(bit, member, member.declared().of(member), own.lookedInto(member), group);
    }

    boolean holds(long covered, long now) {
      return (covered & bit) != 0
          && !member.declared().isDemoted()
          && (group == null || group.isKnown(now));
    }
  }

  /** From now on these bounds hold. */
  public void bounds(Bounds bounds) {
    identities.bounds(bounds.entries(), bounds.octets());
    enabled = bounds.enabled();
  }

  /** From now on names are compared like this. */
  public synchronized void profile(ServerProfile now) {
    declared().forEach(declared -> declared.groups().forEach(Group::unknown));
    rules = rules(declared(), now);
  }

  private static Rules rules(List<SharingClassState> declared, ServerProfile profile) {
    return new Rules(declared.stream().map(each -> each.new Rule(profile)).toList(), profile);
  }

  /** Others belong to a group than before: each identity is looked at again. */
  synchronized void membersChanged() {
    rules = new Rules(rules.all, rules.profile);
  }

  List<SharingClassState> declared() {
    return rules.all.stream().map(Rule::declared).toList();
  }

  /** How names are compared. */
  ServerProfile profile() {
    return rules.profile;
  }

  /** Is told of what nobody gets again, so that it need not be kept. */
  public void onVoid(Consumer<Set<Octets>> partitions) {
    dropped = partitions;
  }

  /**
   * The class that is asked for; null if nothing is stored for the identity.
   *
   * @param covered the declared classes in which the request lies, as {@link SharedAttributes} has
   *     them
   * @param now in the time of {@link System#nanoTime}
   */
  public @Nullable SharingClass of(Octets name, long covered, long now) {
    if (name.length() == 0) {
      return ANONYMOUS;
    }
    if (!enabled) {
      return null;
    }
    Identity known = identities.get(name);
    if (known == null || known.by() != rules) {
      known = identities.compute(name, this::found);
    }
    return known == null ? null : choose(known, covered, now);
  }

  /** The same, without making or using one: a class that nobody has if there is none. */
  public @Nullable SharingClass peek(Octets name, long covered, long now) {
    if (name.length() == 0) {
      return ANONYMOUS;
    }
    if (!enabled) {
      return null;
    }
    Identity known = identities.peek(name);
    boolean present = known != null && known.by() == rules;
    return choose(present && known != null ? known : found(name, NOBODY, List.of()), covered, now);
  }

  /**
   * Under which all is stored that an identity is given, without making any: what it has to itself,
   * and what it shares now, whatever it asks.
   */
  public Set<Octets> partitions(Octets name, long now) {
    SharingClass own = peek(name, 0, now);
    if (own == null) {
      return Set.of();
    }
    Set<Octets> all = new HashSet<>();
    all.add(own.partition());
    Identity known = identities.peek(name);
    if (known != null && known.by() == rules) {
      known.shares().stream()
          .filter(share -> share.holds(share.bit(), now))
          .filter(share -> verifier.mayShare(share.member()))
          .forEach(share -> all.add(share.shared().partition()));
    }
    return all;
  }

  private SharingClass choose(Identity identity, long covered, long now) {
    if (covered != 0) {
      for (Share share : identity.shares()) {
        if (share.holds(covered, now)) {
          return verifier.mayShare(share.member()) ? share.shared() : share.alone();
        }
      }
    }
    return identity.own();
  }

  private Identity found(Octets name, @Nullable Identity before) {
    List<Share> known = before == null ? List.of() : before.shares();
    Identity found = found(name, before == null ? SharingClass.own(number()) : before.own(), known);
    found.shares().stream()
        .map(Share::member)
        .filter(member -> known.stream().noneMatch(share -> share.member() == member))
        .forEach(member -> member.declared().joined());
    return found;
  }

  /** What is known of a member stays known. */
  private Identity found(Octets name, SharingClass own, List<Share> before) {
    Rules now = rules;
    byte[] dn = now.all.isEmpty() ? null : ClientIdentity.dnOf(name);
    if (dn == null || dn.length == 0) {
      return new Identity(own, now, List.of());
    }
    NormalDn normal = NormalDn.of(dn, now.profile);
    List<Share> shares = new ArrayList<>();
    for (int index = 0; index < now.all.size(); index++) {
      Rule rule = now.all.get(index);
      boolean named = rule.names(dn, normal);
      Group group = named ? null : rule.holding(normal);
      if (named || group != null) {
        ClassMember member = member(rule.declared(), name, person(name, dn, normal), before);
        shares.add(new Share(1L << index, member, own, group));
      }
    }
    return new Identity(own, now, List.copyOf(shares));
  }

  /**
   * Who is somebody else by how names are compared now begins anew: else it would not be the same
   * as those who bind with another spelling of its name from now on. But nobody is rid of anything
   * by that.
   */
  private static ClassMember member(
      SharingClassState declared, Octets name, CanonicalIdentity person, List<Share> before) {
    return before.stream()
        .map(Share::member)
        .filter(member -> member.declared() == declared)
        .filter(m -> m.person().equals(person) || m.isHeld() || m.isOwing())
        .findFirst()
        .orElseGet(() -> declared.join(name, person));
  }

  /** What some directory may take for the same name is the same. */
  private static CanonicalIdentity person(Octets name, byte[] dn, NormalDn normal) {
    Octets place = normal.place();
    return new CanonicalIdentity(manner(name, dn), place == null ? Octets.of(dn) : place);
  }

  /**
   * All that is kept apart of a client beside its DN: from where it is said to come, and how it has
   * bound.
   */
  private static Octets manner(Octets name, byte[] dn) {
    byte[] all = name.array();
    return Octets.of(Arrays.copyOf(all, all.length - dn.length));
  }

  /**
   * Forgets identities. What they share is not found again either, by nobody.
   *
   * @return the partitions that they had
   */
  public Set<Octets> forget(Predicate<Octets> names) {
    Set<Octets> forgotten = new HashSet<>();
    Set<SharingClassState> classes = new HashSet<>();
    identities.drop(
        (name, identity) -> {
          boolean meant = names.test(name);
          if (meant) {
            forgotten.add(identity.own().partition());
            identity.shares().forEach(share -> classes.add(share.member().declared()));
          }
          return meant;
        });
    classes.forEach(declared -> forgotten.addAll(declared.renew()));
    if (!classes.isEmpty()) {
      membersChanged();
    }
    return forgotten;
  }

  /** What the members share is not found again, by nobody. */
  private void renew(SharingClassState declared) {
    dropped.accept(declared.renew());
    membersChanged();
  }

  /**
   * Lets the members of a declared class share again; each of them is verified as if it were new.
   *
   * @return false if no class has the name, or it is not demoted
   */
  public boolean restore(String name) {
    for (SharingClassState declared : declared()) {
      if (declared.declaration().name().equals(name) && declared.restore()) {
        forget(identity -> true);
        return true;
      }
    }
    return false;
  }

  private Octets number() {
    return Octets.of(ByteBuffer.allocate(Long.BYTES).putLong(last.incrementAndGet()).array());
  }

  /** Looks whether what is shared may be. */
  public Verifier verifier() {
    return verifier;
  }

  /** The declared classes, in their order. */
  public List<ClassStatus> status(long now) {
    return declared().stream().map(declared -> declared.status(now)).toList();
  }

  /** Whether anything is stored for clients that have bound. */
  public boolean enabled() {
    return enabled;
  }

  /** Most identities. */
  public int maxEntries() {
    return identities.maxEntries();
  }

  /** Identities for which something may be stored now. */
  public long count() {
    return identities.count();
  }
}
