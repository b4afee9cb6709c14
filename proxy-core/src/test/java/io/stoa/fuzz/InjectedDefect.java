// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import io.stoa.cache.sharing.ClassTable;
import io.stoa.coherence.tracking.TrackingMutationTargets;
import io.stoa.ldap.filter.QueryNormalizer;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.schema.AttributeSelection;
import io.stoa.testing.mutation.Advices.Anonymous;
import io.stoa.testing.mutation.Advices.ReturnTrue;
import io.stoa.testing.mutation.MethodRef;
import io.stoa.testing.mutation.MutatedCode;
import net.bytebuddy.asm.Advice;

/**
 * A defect that is put into Stoa, to prove that the fuzzer finds it.
 *
 * <p>Threading: immutable.
 */
enum InjectedDefect {
  /** A stored entry serves a search that wants other attributes. */
  SHARED_ENTRIES("none", "PLAIN", ReturnTrue.class, MethodRef.of(AttributeSelection::covers)),
  /** A stored entry serves a search of another form. */
  SHARED_FORMS("dynlist", "PLAIN", ConstantKey.class, MethodRef.of(QueryNormalizer::entryKey)),
  /** All identities share one partition. */
  SHARED_IDENTITIES(
      "none",
      "PLAIN",
      Anonymous.class,
      MethodRef.of(ClassTable::of),
      MethodRef.of(ClassTable::peek)),
  /** A write changes its own entry alone, whatever overlays the server has. */
  NO_SIDE_EFFECTS("collect", "FED", ReturnTrue.class, TrackingMutationTargets.IS_CONTAINED);

  private final String overlay;
  private final String kind;
  private final Class<?> advice;

  @SuppressWarnings("ImmutableEnumChecker") // never written
  private final MethodRef[] targets;

  InjectedDefect(String overlay, String kind, Class<?> advice, MethodRef... targets) {
    this.overlay = overlay;
    this.kind = kind;
    this.advice = advice;
    this.targets = targets.clone();
  }

  /** True if replays show it soon enough for a build: fed ones wait until the feed is live. */
  boolean isShrunk() {
    return kind.equals("PLAIN");
  }

  /** Returns the report of the fuzzer on Stoa with the defect; empty if it finds nothing. */
  String found(long seed) {
    return (String)
        new MutatedCode()
            .advise(advice, targets)
            .call(MethodRef.of(Fuzz::firstDifference), seed, overlay, kind, isShrunk());
  }

  /** The method returns one key for all. Stateless. */
  static final class ConstantKey {
    private ConstantKey() {}

    @SuppressWarnings("UnusedVariable") // the method returns it
    @Advice.OnMethodExit
    static void forget(@Advice.Return(readOnly = false) Octets result) {
      result = Octets.EMPTY;
    }
  }
}
