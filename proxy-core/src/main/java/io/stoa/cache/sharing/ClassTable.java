// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.cache.memory.BoundedCache;
import io.stoa.cache.sharing.SharingClassState.MembershipRule;
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
 * Maps each identity to the class whose results it may use.
 *
 * <ol>
 *   <li>Each identity is a class of its own, unless it is known to belong to a declared class.
 *   <li>A forgotten identity gets a new partition that was never used. So its earlier results are
 *       not found again.
 *   <li>Anonymous clients have a fixed partition and take no room in the table.
 * </ol>
 *
 * <p>Octets: about 320 for each identity, and those of its name. Each class of which it is a member
 * takes about 200 more.
 *
 * <p>Threading: thread-safe.
 */
public final class ClassTable {
  private static final int OVERHEAD = 320;

  /** Class without members: numbers of partitions begin with 1. */
  private static final SharingClass EMPTY_CLASS = SharingClass.own(Octets.of(new byte[Long.BYTES]));

  private static final SharingClass ANONYMOUS = SharingClass.own(Octets.EMPTY);

  private final BoundedCache<Octets, Identity> identities;
  private final AtomicLong lastPartition = new AtomicLong();
  private final Verifier verifier;
  private volatile boolean enabled;
  private volatile Rules rules;
  private volatile Consumer<Set<Octets>> dropListener = none -> {};

  /**
   * Creates an empty table for the declared classes.
   *
   * @param clock time in ns, as {@link System#nanoTime}
   * @param random random number from 0 to below its argument
   */
  public ClassTable(
      Bounds bounds, SharingConfig sharing, LongSupplier clock, IntUnaryOperator random) {
    this.identities =
        new BoundedCache<>(
            bounds.entries(), bounds.octets(), (name, identity) -> OVERHEAD + name.length());
    this.enabled = bounds.enabled();
    this.verifier =
        new Verifier(sharing.oneIn(), this::renew, n -> random.applyAsInt(n) == 0, clock);
    this.rules =
        rules(
            sharing.classes().stream()
                .map(each -> new SharingClassState(each, this::newPartition))
                .toList(),
            ServerProfile.EXACT);
  }

  /**
   * Bounds of the table.
   *
   * <p>Threading: immutable.
   *
   * @param enabled true if results are stored for clients that have bound
   * @param entries maximum number of identities
   * @param octets maximum memory in octets
   */
  public record Bounds(boolean enabled, int entries, long octets) {}

  /**
   * Membership rules of all classes. Identities found by replaced rules are looked up again.
   * Threading: immutable.
   */
  private static final class Rules {
    private final List<MembershipRule> all;

    /** Rules for the comparison of names. */
    private final ServerProfile profile;

    Rules(List<MembershipRule> all, ServerProfile profile) {
      this.all = List.copyOf(all);
      this.profile = profile;
    }
  }

  /**
   * Classes of one identity.
   *
   * <p>Threading: immutable.
   *
   * @param own the class of its own
   * @param by the rules by which the shares were found
   * @param shares the declared classes that it belongs to
   */
  private record Identity(SharingClass own, Rules by, List<Share> shares) {}

  /**
   * Membership of an identity in a declared class.
   *
   * <p>Threading: immutable.
   *
   * @param bit the bit of the class in the coverage of a request
   * @param member the member
   * @param shared the class that it shares with other members
   * @param alone the class of its own, used while it is suspended
   * @param group the group that proves the membership; null if the name alone proves it
   */
  private record Share(
      long bit,
      ClassMember member,
      SharingClass shared,
      SharingClass alone,
      @Nullable Group group) {
    Share(long bit, ClassMember member, SharingClass ownClass, @Nullable Group group) {
      this(bit, member, member.classState().of(member), ownClass.suspended(member), group);
    }

    boolean holds(long covered, long now) {
      return (covered & bit) != 0
          && !member.classState().isDemoted()
          && (group == null || group.isKnown(now));
    }
  }

  /** Sets new bounds. */
  public void setBounds(Bounds bounds) {
    identities.setBounds(bounds.entries(), bounds.octets());
    enabled = bounds.enabled();
  }

  /** Sets new rules for the comparison of names. Groups must be read again. */
  public synchronized void setProfile(ServerProfile profile) {
    classStates().forEach(state -> state.groups().forEach(Group::clear));
    rules = rules(classStates(), profile);
  }

  private static Rules rules(List<SharingClassState> classStates, ServerProfile profile) {
    return new Rules(
        classStates.stream().map(each -> each.new MembershipRule(profile)).toList(), profile);
  }

  /** Called when the members of a group have changed. All identities are looked up again. */
  synchronized void onMembersChanged() {
    rules = new Rules(rules.all, rules.profile);
  }

  List<SharingClassState> classStates() {
    return rules.all.stream().map(MembershipRule::declared).toList();
  }

  /** Returns the rules for the comparison of names. */
  ServerProfile profile() {
    return rules.profile;
  }

  /** Sets the listener for partitions whose results are never found again and can be freed. */
  public void onDropped(Consumer<Set<Octets>> partitions) {
    dropListener = partitions;
  }

  /**
   * Returns the class whose results a request may use; null if nothing is stored for the identity.
   *
   * @param covered bit set of the sharing classes that cover the request: see {@link
   *     SharedAttributes}
   * @param now time in ns, as {@link System#nanoTime}
   */
  public @Nullable SharingClass of(Octets name, long covered, long now) {
    if (name.length() == 0) {
      return ANONYMOUS;
    }
    if (!enabled) {
      return null;
    }
    Identity identity = identities.get(name);
    if (identity == null || identity.by() != rules) {
      identity = identities.compute(name, this::resolve);
    }
    return identity == null ? null : choose(identity, covered, now);
  }

  /**
   * Returns the class of a request without recording it. An unknown identity gets an empty class.
   */
  public @Nullable SharingClass peek(Octets name, long covered, long now) {
    if (name.length() == 0) {
      return ANONYMOUS;
    }
    if (!enabled) {
      return null;
    }
    Identity identity = known(name);
    return choose(
        identity == null ? resolve(name, EMPTY_CLASS, List.of()) : identity, covered, now);
  }

  /** Returns a known identity under the present rules without recording it; null if unknown. */
  private @Nullable Identity known(Octets name) {
    Identity known = identities.peek(name);
    return known == null || known.by() == rules
        ? known
        : resolve(name, known.own(), known.shares());
  }

  /**
   * Returns all partitions of an identity without creating any: its own, and those that it shares
   * now for some request.
   */
  public Set<Octets> partitions(Octets name, long now) {
    SharingClass ownClass = peek(name, 0, now);
    if (ownClass == null) {
      return Set.of();
    }
    Set<Octets> all = new HashSet<>();
    all.add(ownClass.partition());
    Identity identity = known(name);
    if (identity != null) {
      identity.shares().stream()
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

  /** Returns the estimated memory of the identities in octets. */
  public long bytes() {
    return identities.bytes();
  }

  private Identity resolve(Octets name, @Nullable Identity before) {
    List<Share> earlierShares = before == null ? List.of() : before.shares();
    Identity found =
        resolve(
            name, before == null ? SharingClass.own(newPartition()) : before.own(), earlierShares);
    found.shares().stream()
        .map(Share::member)
        .filter(member -> earlierShares.stream().noneMatch(share -> share.member() == member))
        .forEach(member -> member.classState().onJoined());
    return found;
  }

  /** Finds the classes of an identity. Existing members are kept. */
  private Identity resolve(Octets name, SharingClass ownClass, List<Share> before) {
    Rules now = rules;
    byte[] dn = now.all.isEmpty() ? null : ClientIdentity.dnOf(name);
    if (dn == null || dn.length == 0) {
      return new Identity(ownClass, now, List.of());
    }
    NormalDn normal = NormalDn.of(dn, now.profile);
    List<Share> shares = new ArrayList<>();
    for (int index = 0; index < now.all.size(); index++) {
      MembershipRule rule = now.all.get(index);
      boolean named = rule.names(dn, normal);
      Group group = named ? null : rule.holding(normal);
      if (named || group != null) {
        ClassMember member = member(rule.declared(), name, canonical(name, dn, normal), before);
        shares.add(new Share(1L << index, member, ownClass, group));
      }
    }
    return new Identity(ownClass, now, List.copyOf(shares));
  }

  /**
   * Returns the member of a class for an identity.
   *
   * <p>Names may be compared by new rules now. A member whose canonical identity changed by that is
   * replaced, so that all spellings of its name share one history. A member that is suspended or
   * has pending verifications is kept, so that no open mismatch is lost.
   */
  private static ClassMember member(
      SharingClassState state, Octets name, CanonicalIdentity canonical, List<Share> before) {
    return before.stream()
        .map(Share::member)
        .filter(member -> member.classState() == state)
        .filter(m -> m.canonical().equals(canonical) || m.isSuspended() || m.hasPending())
        .findFirst()
        .orElseGet(() -> state.join(name, canonical));
  }

  /** Returns the canonical identity: names that some directory may consider equal are equal. */
  private static CanonicalIdentity canonical(Octets name, byte[] dn, NormalDn normal) {
    Octets position = normal.treePosition();
    return new CanonicalIdentity(
        bindContext(name, dn), position == null ? Octets.of(dn) : position);
  }

  /** Returns all properties of a client beside its DN: its address and how it has bound. */
  private static Octets bindContext(Octets name, byte[] dn) {
    byte[] all = name.array();
    return Octets.of(Arrays.copyOf(all, all.length - dn.length));
  }

  /**
   * Forgets identities. Results of the classes that they shared are not found again by any member.
   *
   * @return the partitions that they used
   */
  public Set<Octets> forget(Predicate<Octets> names) {
    Set<Octets> forgotten = new HashSet<>();
    Set<SharingClassState> classes = new HashSet<>();
    identities.drop(
        (name, identity) -> {
          boolean matches = names.test(name);
          if (matches) {
            forgotten.add(identity.own().partition());
            identity.shares().forEach(share -> classes.add(share.member().classState()));
          }
          return matches;
        });
    classes.forEach(state -> forgotten.addAll(state.renewPartitions()));
    if (!classes.isEmpty()) {
      onMembersChanged();
    }
    return forgotten;
  }

  /** Gives the class new partitions: its stored results are not found again by any member. */
  private void renew(SharingClassState state) {
    dropListener.accept(state.renewPartitions());
    onMembersChanged();
  }

  /**
   * Restores a demoted class: its members share again, and each is verified as if it were new.
   *
   * @return false if no class has the name, or it is not demoted
   */
  public boolean restore(String name) {
    for (SharingClassState state : classStates()) {
      if (state.declaration().name().equals(name) && state.isDemoted()) {
        forget(identity -> true); // first, so that no member shares with its earlier verified hits
        return state.restore();
      }
    }
    return false;
  }

  private Octets newPartition() {
    return Octets.of(
        ByteBuffer.allocate(Long.BYTES).putLong(lastPartition.incrementAndGet()).array());
  }

  /** Returns the verifier of shared hits. */
  public Verifier verifier() {
    return verifier;
  }

  /** Returns the status of the declared classes, in their order. */
  public List<ClassStatus> status(long now) {
    return classStates().stream().map(state -> state.status(now)).toList();
  }

  /** True if results are stored for clients that have bound. */
  public boolean isEnabled() {
    return enabled;
  }

  /** Returns the maximum number of identities. */
  public int maxEntries() {
    return identities.maxEntries();
  }

  /** Returns the number of identities for which results may be stored now. */
  public long count() {
    return identities.count();
  }
}
