// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.cache.sharing.VerifiableHit.ComparableAnswer;
import io.stoa.ldap.protocol.Octets;
import io.stoa.testing.ExpectedLog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A sharing class with two members, its verifier, and a clock that tests set. */
abstract class VerifierFixture {
  static final Duration SETTLE = Duration.ofSeconds(1);

  static final int ONE_IN = 1000;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  final SharingClassState declared = declared(false);

  final ClassMember one = join(declared, Octets.ofUtf8("cn=one"));

  final ClassMember two = join(declared, Octets.ofUtf8("cn=two"));

  final List<SharingClassState> demoted = new ArrayList<>();

  long now;

  static SharingClassState declared(boolean uniform) {
    return new SharingClassState(
        new Declaration("apps", List.of("cn=a"), List.of(), "dc=x", Attributes.ALL, uniform),
        () -> Octets.EMPTY);
  }

  static ClassMember join(SharingClassState declared, Octets name) {
    return join(declared, name, Octets.EMPTY);
  }

  static ClassMember join(SharingClassState declared, Octets name, Octets manner) {
    return declared.join(name, new CanonicalIdentity(manner, name));
  }

  Verifier verifier(long seed) {
    Random random = new Random(seed);
    Verifier verifier = new Verifier(ONE_IN, demoted::add, n -> random.nextInt(n) == 0, () -> now);
    verifier.setMaxLag(SETTLE);
    return verifier;
  }

  void hit(Verifier verifier, ClassMember member, ScriptedHit evidence, int given) {
    evidence.given = ScriptedHit.answer(given);
    verifier.onHit(member, () -> evidence);
  }

  static ScriptedHit shared(int... codes) {
    ScriptedHit evidence = new ScriptedHit(codes);
    evidence.given = ScriptedHit.answer(0);
    return evidence;
  }

  /** Who is asked for what it was given a while ago. */
  static ScriptedHit given(VerifiableHit.Hit before, int code) {
    ScriptedHit script = new ScriptedHit(code);
    script.given = before.servedAnswer();
    return script;
  }

  /** Evidence that is of no use. */
  record Failing(At at) implements VerifiableHit.HitSource {
    enum At {
      TAKE,
      LATER,
      ASK
    }

    @Override
    public VerifiableHit copy() {
      failAt(At.TAKE);
      return new ScriptedHit(0) {
        @Override
        public void executeLater(Runnable action) {
          failAt(At.LATER);
          super.executeLater(action);
        }

        @Override
        public void askUpstream(Consumer<ComparableAnswer> receiver) {
          failAt(At.ASK);
        }
      };
    }

    private void failAt(At now) {
      if (now == at) {
        throw new IllegalStateException("as it was to");
      }
    }
  }
}
