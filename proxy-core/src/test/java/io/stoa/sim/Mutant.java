// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.namedOneOf;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;

import io.stoa.coherence.invalidation.ChangeRing;
import io.stoa.coherence.invalidation.RingRecord;
import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.sim.check.Violation.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.asm.MemberSubstitution;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.implementation.bytecode.assign.Assigner;
import net.bytebuddy.pool.TypePool;

/**
 * Stoa with one bug put in, to prove that the simulator finds it: a changed copy of one class, in a
 * class loader of its own. Immutable.
 */
enum Mutant {
  /** A change voids nothing. */
  NO_EPOCHS("io.stoa.cache.result.CacheEpoch", Skipped.class, "end", 0, Fault.NONE),
  /** What is stored is stored although the outcome of a write is not known. */
  NO_SUSPENSION(
      "io.stoa.cache.result.CacheEpoch", Denied.class, "suspended", 1, Fault.WRITE_ANSWER_LOST),
  /** Nothing becomes too old. */
  NO_AGE("io.stoa.cache.result.Lookup", Nothing.class, "oldestNanos", 0, Fault.NONE),
  /** A replica is taken for as new as the primary. */
  NO_LAG("io.stoa.operation.ReadFrom", Nothing.class, "behindNanos", 0, Fault.REPLICA_LAG),
  /** What a session must be shown does not matter to the choice of a server. */
  NO_SESSIONS(
      "io.stoa.replication.SessionGuarantees", Agreed.class, "admits", 3, Fault.REPLICA_LAG),
  /** It does not matter to what memory answers. */
  NO_SESSIONS_IN_MEMORY(
      "io.stoa.replication.SessionGuarantees", Agreed.class, "admits", 2, Fault.PRIMARY_SILENT),
  /** What a session has been shown of what others have written is not remembered. */
  NO_SIGHTINGS(
      "io.stoa.replication.UnreplicatedWrites", Skipped.class, "seen", 2, Fault.REPLICA_LAG),
  /** An entry that was read with few attributes is given to who wants others. */
  NO_SELECTIONS("io.stoa.ldap.schema.AttributeSelection", Agreed.class, "covers", 1, Fault.NONE),
  /** Those that wait for a search of others are never told of its end. */
  NO_WAKING("io.stoa.cache.result.Fill$Table", Skipped.class, "end", 1, Fault.NONE),
  /** It is said that an answer is in memory, whether it is or not. */
  NO_TRUE_WORD("io.stoa.cache.result.Explanation", Found.class, "end", 2, Fault.NONE),
  /** Everybody shares one partition. */
  NO_IDENTITIES("io.stoa.cache.sharing.ClassTable", Anonymous.class, "of|peek", 3, Fault.NONE),
  /** Two of three identities share one. */
  TWO_IDENTITIES_ARE_ONE(
      "io.stoa.cache.sharing.ClassTable", Promoted.class, "of|peek", 3, Fault.NONE),
  /** Who asks after a write waits for an answer that was asked for before it. */
  NO_NEW_SEARCHES("io.stoa.cache.result.Fill", Unasked.class, "serves/epoch", 1, Fault.NONE),
  /** A server's first word after a write is taken for its last. */
  NO_PENDING("io.stoa.replication.UnreplicatedWrite", Sooner.class, "end", 3, Fault.NONE),
  /** Answers are not compared with what has changed while they were on their way. */
  NO_RING_SCAN(
      "io.stoa.coherence.invalidation.ChangeRing", Empty.class, "relevantTo", 1, Fault.NONE),
  /** A server shows at once what it says that it has. */
  NO_SETTLING(
      "io.stoa.coherence.invalidation.FillValidator", Denied.class, "isYoung", 2, Fault.NONE),
  /** However long a transaction takes, it is taken for over when it has settled. */
  NO_TRANSACTIONS("io.stoa.feed.transaction.CommitTracker", Given.class, "settled", 1, Fault.NONE),
  /** What a server says that it has, it shows; whatever it shows. */
  POSITIONS_ONLY(
      "io.stoa.coherence.invalidation.FillValidator", Believed.class, "judge", 3, Fault.NONE),
  /** What has died stays in the index. */
  NO_LEAVING("io.stoa.coherence.view.IndexRegistration", Skipped.class, "leave", 1, Fault.NONE),
  /** What may have happened has not. */
  NO_UNKNOWN_OUTCOMES(
      "io.stoa.coherence.tracking.OwnWrites",
      Skipped.class,
      "outcomeUnknown",
      1,
      Fault.WRITE_ANSWER_LOST),
  /** Of a subtree that gets another name only the top does. */
  NO_SUBTREES(
      "io.stoa.coherence.view.SubtreeInvalidation", Skipped.class, "renamed", 1, Fault.NONE),
  /** What has nothing below it when it is looked at had nothing when it was renamed. */
  BELIEVED_LOOKS(
      "io.stoa.coherence.view.SubtreeInvalidation", Skipped.class, "left", 2, Fault.FEED_SILENT),
  /** The feed will tell of own writes soon enough. */
  NO_OWN_WRITES(
      "io.stoa.coherence.tracking.OwnWrites", Skipped.class, "tell", 4, Fault.FEED_SILENT),
  /** A feed is as good as its last word, however old that is. */
  NO_LEASE(
      "io.stoa.coherence.freshness.CoherenceLease", Agreed.class, "live", 1, Fault.FEED_SILENT),
  /** Own changes whose place among those of the feed is not known are left to the feed. */
  NO_UNPLACED(
      "io.stoa.coherence.invalidation.CoherenceDomain",
      Skipped.class,
      "take",
      1,
      Fault.FEED_SILENT),
  /** What rests on a feed outlives its gaps. */
  NO_GAPS("io.stoa.coherence.view.Terms", Skipped.class, "end", 0, Fault.COOKIE_LOST),
  /** What an answer shows because the feed has told it is never looked at again. */
  NO_CONFIRMING(
      "io.stoa.coherence.invalidation.UpdateVerifier", Skipped.class, "schedule", 0, Fault.NONE),
  /** What the feed shows is given to whoever is given something else. */
  ALL_UNIFORM("io.stoa.cache.sharing.SharingClass", Agreed.class, "uniform", 0, Fault.NONE),
  /** What an answer shows is said to be changed, and is not. */
  NO_AMENDING("io.stoa.cache.result.ResultMaintainer", Done.class, "amended", 2, Fault.NONE);

  /** By constants, as they are written into the changed method. */
  private static final String ADMIN = World.ADMIN;

  private static final String CLERK = World.CLERK;

  private final String className;
  private final Class<?> advice;
  private final String method;
  private final int parameters;
  private final Fault fault;

  Mutant(String className, Class<?> advice, String method, int parameters, Fault fault) {
    this.className = className;
    this.advice = advice;
    this.method = method;
    this.parameters = parameters;
    this.fault = fault;
  }

  /** A history that is likely to show it, so that it takes less time to find one. */
  long likely() {
    return switch (this) {
      case NO_EPOCHS -> 9;
      case NO_SUSPENSION -> 177;
      case NO_LAG, NO_GAPS -> 20;
      case NO_RING_SCAN, NO_TRANSACTIONS -> 146;
      case NO_CONFIRMING -> 133;
      case NO_UNPLACED -> 1_493;
      case NO_SETTLING, POSITIONS_ONLY -> 324;
      case NO_SESSIONS_IN_MEMORY -> 196;
      case NO_NEW_SEARCHES -> 602;
      case NO_PENDING -> 322;
      case NO_UNKNOWN_OUTCOMES -> 118;
      case BELIEVED_LOOKS -> 2_454;
      case NO_OWN_WRITES -> 45;
      case ALL_UNIFORM -> 10;
      case NO_AMENDING, NO_SUBTREES -> 61;
      default -> 1;
    };
  }

  /** Which promises it breaks: it counts as found only if one of these is broken. */
  Set<Kind> breaks() {
    return switch (this) {
      case NO_IDENTITIES, TWO_IDENTITIES_ARE_ONE, ALL_UNIFORM -> EnumSet.of(Kind.LEAK);
      case NO_SESSIONS,
          NO_SESSIONS_IN_MEMORY,
          NO_SIGHTINGS,
          NO_PENDING,
          NO_OWN_WRITES,
          NO_UNPLACED ->
          EnumSet.of(Kind.SESSION);
      case NO_LEASE, NO_TRUE_WORD -> EnumSet.of(Kind.TIME);
      case NO_AGE -> EnumSet.of(Kind.STATE, Kind.TIME);
      case NO_LEAVING -> EnumSet.of(Kind.MEMORY);
      case NO_WAKING -> EnumSet.of(Kind.UNANSWERED);
      default -> EnumSet.of(Kind.STATE);
    };
  }

  /** Whether it shows only where answers rest on a feed. */
  private boolean fed() {
    return Stream.of(
            "coherence.",
            "feed.transaction.",
            "cache.sharing.SharingClass",
            "cache.result.ResultMaintainer",
            "ldap.schema.AttributeSelection")
        .anyMatch(one -> className.startsWith("io.stoa." + one));
  }

  /** Stoa with the bug. */
  Copy copy() {
    Map<String, byte[]> changed = new HashMap<>();
    changed.put(className, changed(className, change()));
    if (this == NO_NEW_SEARCHES) { // whoever has waited would look again
      String other = "io.stoa.cache.result.CacheStage";
      changed.put(
          other,
          changed(other, Advice.to(Earlier.class).on(named("lookup").and(takesArguments(5)))));
    }
    return new Copy(Mutant.class.getClassLoader(), changed);
  }

  private static byte[] changed(String name, AsmVisitorWrapper change) {
    ClassFileLocator files = ClassFileLocator.ForClassLoader.of(Mutant.class.getClassLoader());
    TypeDescription type = TypePool.Default.of(files).describe(name).resolve();
    return new ByteBuddy().redefine(type, files).visit(change).make().getBytes();
  }

  private AsmVisitorWrapper change() {
    if (advice == Unasked.class) {
      String[] names = method.split("/", -1);
      return MemberSubstitution.relaxed().method(named(names[1])).stub().on(named(names[0]));
    }
    String[] names = method.split("[|]", -1);
    return Advice.to(advice).on(namedOneOf(names).and(takesArguments(parameters)));
  }

  /** All of Stoa and of the simulator once more, with a bug in it. Thread-safe. */
  static final class Copy extends ClassLoader {
    private static final String OURS = "io.stoa.";

    private final Map<String, byte[]> changed;

    Copy(ClassLoader original, Map<String, byte[]> changed) {
      super(original);
      this.changed = Map.copyOf(changed);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      synchronized (getClassLoadingLock(name)) {
        Class<?> known = findLoadedClass(name);
        if (known != null || !name.startsWith(OURS)) {
          return known == null ? super.loadClass(name, resolve) : known;
        }
        byte[] changedOctets = changed.get(name);
        byte[] octets = changedOctets == null ? original(name) : changedOctets;
        return defineClass(name, octets, 0, octets.length);
      }
    }

    private byte[] original(String name) throws ClassNotFoundException {
      String file = name.replace('.', '/') + ".class";
      try (InputStream in = getParent().getResourceAsStream(file)) {
        if (in == null) {
          throw new ClassNotFoundException(name);
        }
        return in.readAllBytes();
      } catch (IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }

    /** The kinds of the promises that a history breaks with the bug. */
    Set<Kind> broken(long seed, Mutant mutant) {
      Set<Kind> broken = EnumSet.noneOf(Kind.class);
      Set<?> names = (Set<?>) replay("broken", List.of(seed, mutant.fed(), mutant.fault.name()));
      names.forEach(name -> broken.add(Kind.valueOf((String) name)));
      return broken;
    }

    /** How many acts it takes to break one of them, and what else. */
    String summary(long seed, Mutant mutant, Kind kind) {
      return (String)
          replay("summary", List.of(seed, mutant.fed(), mutant.fault.name(), kind.name()));
    }

    /** What {@link Replay} says of a history with the bug. */
    private Object replay(String name, List<?> arguments) {
      try {
        Method method =
            Stream.of(loadClass(Replay.class.getName()).getMethods())
                .filter(one -> one.getName().equals(name))
                .findFirst()
                .orElseThrow();
        return method.invoke(null, arguments.toArray());
      } catch (InvocationTargetException e) {
        throw new AssertionError("the mutant breaks the simulator", e.getCause());
      } catch (ReflectiveOperationException e) {
        throw new LinkageError("the simulator cannot be run in a copy", e);
      }
    }
  }

  /** Code that is put around a method. Stateless. */
  static final class Skipped {
    private Skipped() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean skip() {
      return true;
    }
  }

  /** Code that is put around a method. Stateless. */
  static final class Done {
    private Done() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean skip() {
      return true;
    }

    @SuppressWarnings("UnusedVariable") // it is what the method returns
    @Advice.OnMethodExit
    static void agree(@Advice.Return(readOnly = false) boolean result) {
      result = true;
    }
  }

  /** Code that is put behind a method. Stateless. */
  static final class Agreed {
    private Agreed() {}

    @SuppressWarnings("UnusedVariable") // it is what the method returns
    @Advice.OnMethodExit
    static void agree(@Advice.Return(readOnly = false) boolean result) {
      result = true;
    }
  }

  /** Code that is put behind a method. Stateless. */
  static final class Denied {
    private Denied() {}

    @SuppressWarnings("UnusedVariable") // it is what the method returns
    @Advice.OnMethodExit
    static void deny(@Advice.Return(readOnly = false) boolean result) {
      result = false;
    }
  }

  /** Code that is put behind a method. Stateless. */
  static final class Nothing {
    private Nothing() {}

    @SuppressWarnings("UnusedVariable") // it is what the method returns
    @Advice.OnMethodExit
    static void forget(@Advice.Return(readOnly = false) long result) {
      result = 0;
    }
  }

  /** Code that is put behind a method. Stateless. */
  static final class Given {
    private Given() {}

    @SuppressWarnings("UnusedVariable") // it is what the method returns
    @Advice.OnMethodExit
    static void give(@Advice.Argument(0) long given, @Advice.Return(readOnly = false) long result) {
      result = given;
    }
  }

  /** Code that is put behind a method. Stateless. */
  static final class Empty {
    private Empty() {}

    @SuppressWarnings("UnusedVariable") // it is what the method returns
    @Advice.OnMethodExit
    static void empty(
        @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object result) {
      result = List.of();
    }
  }

  /** Code that is put before a method. Stateless. */
  static final class Found {
    private Found() {}

    @SuppressWarnings("UnusedVariable") // it is what the method is given
    @Advice.OnMethodEnter
    static void find(@Advice.Argument(value = 1, readOnly = false) boolean found) {
      found = true;
    }
  }

  /** In one method, what another one says is not asked for: it is nothing. Stateless. */
  static final class Unasked {
    private Unasked() {}
  }

  /** Code that is put before a method. Stateless. */
  static final class Promoted {
    private Promoted() {}

    @SuppressWarnings("UnusedVariable") // it is what the method is given
    @Advice.OnMethodEnter
    static void promote(@Advice.Argument(value = 0, readOnly = false) Octets identity) {
      identity = identity.equals(Octets.ofUtf8(CLERK)) ? Octets.ofUtf8(ADMIN) : identity;
    }
  }

  /** Code that is put before a method. Stateless. */
  static final class Earlier {
    private Earlier() {}

    @SuppressWarnings("UnusedVariable") // it is what the method is given
    @Advice.OnMethodEnter
    static void turnBack(
        @Advice.Argument(0) Operation operation,
        @Advice.Argument(value = 4, readOnly = false) long epoch) {
      epoch = operation.state() == OperationState.WAITING ? epoch - 1 : epoch;
    }
  }

  /** Code that is put before a method. Stateless. */
  static final class Sooner {
    private Sooner() {}

    @SuppressWarnings("UnusedVariable") // it is what the method is given
    @Advice.OnMethodEnter
    static void hasten(@Advice.Argument(value = 2, readOnly = false) long after) {
      after = after - 20_000_000;
    }
  }

  /** Code that is put behind a method. Stateless. */
  static final class Believed {
    private Believed() {}

    @SuppressWarnings("UnusedVariable") // it is what the method returns
    @Advice.OnMethodExit
    static void believe(
        @Advice.Argument(0) RingRecord change,
        @Advice.Argument(1) ChangeRing.Reading reading,
        @Advice.Return(readOnly = false, typing = Assigner.Typing.DYNAMIC) Object verdict) {
      Object[] verdicts = verdict.getClass().getEnumConstants();
      verdict = verdicts[change.isCoveredBy(reading.position()) ? 0 : 1];
    }
  }

  /** Code that is put before a method. Stateless. */
  static final class Anonymous {
    private Anonymous() {}

    @SuppressWarnings("UnusedVariable") // it is what the method is given
    @Advice.OnMethodEnter
    static void forget(@Advice.Argument(value = 0, readOnly = false) Octets identity) {
      identity = Octets.EMPTY;
    }
  }
}
