// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.sim.SimChange.Kind;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Histories that once broke a promise, act by act. The seed gives the delays alone. {@link Replay}
 * prints a new one as {@link ActCode}.
 */
class KnownHistoriesTest {
  private static final Act[] BESIDE = {
    new Act.DirectWrite(13, 664_526_584L, new SimChange(Kind.MODIFY, "cn=e3,ou=g0,dc=x", "f2")),
    new Act.Transaction(
        24,
        1_207_019_641L,
        List.of(
            new SimChange(Kind.MODIFY, "cn=e0,ou=g0,dc=x", "f1"),
            new SimChange(Kind.DELETE, "cn=e4,ou=g0,dc=x", "")),
        false),
    new Act.ClientRead(
        25, 1_286_467_179L, 1, search(SimNames.ADMIN, "dc=x", 2, "(cn=e3*)", "serialNumber")),
    new Act.DirectWrite(26, 1_322_207_953L, new SimChange(Kind.MODIFY, "cn=e4,ou=g1,dc=x", "f1")),
    new Act.RenameAndEmpty(28, 1_437_384_806L, 3, 0),
    new Act.DirectWrite(30, 1_516_074_684L, new SimChange(Kind.RENAME, "ou=g2,dc=x", "ou=g0,dc=x")),
    new Act.ClientWrite(33, 1_695_417_348L, 1, new SimChange(Kind.DELETE, "cn=e2,ou=g0,dc=x", "")),
    new Act.ClientWrite(
        82, 4_116_399_726L, 3, new SimChange(Kind.MODIFY, "cn=e4,ou=g1,dc=x", "f2")),
    new Act.ClientRead(
        94, 4_745_240_564L, 1, search(SimNames.ADMIN, "ou=g0,dc=x", 1, "(l=f1)", "serialNumber")),
    new Act.RenameAndEmpty(95, 4_781_200_344L, 1, 2),
    new Act.DirectWrite(107, 5_359_282_778L, new SimChange(Kind.ADD, "cn=e0,ou=g0,dc=x", "f1")),
    new Act.ClientRead(
        108, 5_427_932_794L, 0, search(SimNames.ADMIN, "dc=x", 2, "(cn=e3*)", "serialNumber")),
    new Act.DirectWrite(111, 5_579_630_966L, new SimChange(Kind.MODIFY, "cn=e0,ou=g0,dc=x", "f1")),
    new Act.ClientWrite(113, 5_698_533_627L, 3, new SimChange(Kind.ADD, "cn=e2,ou=g2,dc=x", "f2")),
    new Act.DirectWrite(118, 5_936_993_338L, new SimChange(Kind.MODIFY, "cn=e4,ou=g1,dc=x", "f1")),
    new Act.ClientRead(
        122, 6_139_343_381L, 1, search(SimNames.ADMIN, "cn=e0,ou=g0,dc=x", 0, "(objectClass=*)")),
    new Act.ClientRead(
        130, 6_543_022_955L, 2, search(SimNames.CLERK, "dc=x", 2, "(l=f1)", "l", "serialNumber")),
    new Act.DirectWrite(
        132, 6_622_751_096L, new SimChange(Kind.RENAME, "ou=g0,dc=x", "ou=g3,dc=x")),
    new Act.DirectWrite(134, 6_735_704_395L, new SimChange(Kind.MODIFY, "cn=e2,ou=g2,dc=x", "f2")),
    new Act.Transaction(
        140,
        7_016_248_659L,
        List.of(
            new SimChange(Kind.MODIFY, "cn=e1,ou=g1,dc=x", "f1"),
            new SimChange(Kind.MODIFY, "cn=e8,ou=g2,dc=x", "f2")),
        false),
    new Act.ClientRead(
        153, 7_678_537_966L, 0, search(SimNames.ADMIN, "cn=e0,ou=g0,dc=x", 0, "(objectClass=*)")),
    new Act.ClientWrite(
        171, 8_590_742_450L, 3, new SimChange(Kind.MODIFY, "cn=e0,ou=g0,dc=x", "f0")),
    new Act.ClientRead(175, 8_766_299_820L, 1, search(SimNames.ADMIN, "dc=x", 2, "(l=f2)")),
    new Act.ClientRead(
        177, 8_873_603_797L, 1, search(SimNames.ADMIN, "cn=e2,ou=g2,dc=x", 0, "(objectClass=*)")),
    new Act.ClientRead(
        190, 9_519_091_571L, 1, search(SimNames.ADMIN, "cn=e2,ou=g2,dc=x", 0, "(objectClass=*)"))
  };

  private static SimSearch search(
      String identity, String base, int scope, String filter, String... attributes) {
    return new SimSearch(identity, base, scope, filter, List.of(attributes));
  }

  private static Program history(long seed, Fault fault, Set<Quirk> quirks, Act... acts) {
    return Program.fed(seed).with(fault).with(quirks).with(false).of(acts);
  }

  private static void assertExplained(Program program) {
    Outcome outcome = new Simulation(program).run();
    assertThat(outcome.violations()).isEmpty();
    assertThat(outcome.hits()).isPositive();
  }

  /**
   * A change of an entry is lost. A change of a group through Stoa updates its memberOf, and
   * nothing else of it: a client that does not ask for memberOf is shown no less than before.
   */
  @Test
  void derivedAttributesAreNotRepairedByAGroupChange() {
    assertExplained(
        history(
            -566_609_774,
            Fault.HOLE,
            Set.of(),
            new Act.ClientRead(
                19,
                950_731_323L,
                1,
                search(SimNames.ADMIN, "cn=e0,ou=g0,dc=x", 0, "(objectClass=*)")),
            new Act.ClientRead(
                20,
                1_042_762_192L,
                2,
                search(
                    SimNames.CLERK, "cn=e0,ou=g0,dc=x", 0, "(objectClass=*)", "l", "serialNumber")),
            new Act.ClientRead(
                27, 1_391_004_902L, 3, search(SimNames.ANONYMOUS, "dc=x", 2, "(!(l=f1))")),
            new Act.ClientRead(
                28, 1_425_808_995L, 0, search(SimNames.ADMIN, "dc=x", 2, "(cn=e1*)")),
            new Act.ClientRead(
                29,
                1_499_840_823L,
                2,
                search(SimNames.CLERK, "cn=e0,ou=g0,dc=x", 0, "(objectClass=*)")),
            new Act.DirectWrite(
                37, 1_881_278_396L, new SimChange(Kind.MODIFY, "cn=e0,ou=g0,dc=x", "f2")),
            new Act.ClientWrite(
                44, 2_224_878_477L, 1, new SimChange(Kind.JOIN, "cn=t0,dc=x", "cn=e0,ou=g0,dc=x")),
            new Act.ClientRead(
                84,
                4_241_735_208L,
                0,
                search(SimNames.ADMIN, "cn=e0,ou=g0,dc=x", 0, "(objectClass=*)"))));
  }

  /**
   * The removal of an entry is lost. Another entry gets its name through Stoa, and the feed reports
   * that before Stoa has read it.
   */
  @Test
  void aNameGivenToAnotherEntryIsTaken() {
    assertExplained(
        history(
            1_002_787,
            Fault.HOLE,
            Set.of(),
            new Act.ClientRead(86, 4_326_699_330L, 0, search(SimNames.ADMIN, "dc=x", 2, "(l=f0)")),
            new Act.Transaction(
                87,
                4_385_065_467L,
                List.of(
                    new SimChange(Kind.DELETE, "cn=e0,ou=g0,dc=x", ""),
                    new SimChange(Kind.MODIFY, "cn=e1,ou=g1,dc=x", "f2")),
                false),
            new Act.ClientWrite(
                89,
                4_460_325_994L,
                1,
                new SimChange(Kind.RENAME, "cn=e2,ou=g2,dc=x", "cn=e0,ou=g0,dc=x")),
            new Act.ClientRead(
                94, 4_740_108_923L, 0, search(SimNames.ADMIN, "dc=x", 2, "(l=f0)"))));
  }

  /** The rename of a container is lost. A client gives it its former name again. */
  @Test
  void aNameGivenBackIsFound() {
    assertExplained(
        history(
            1_010_888,
            Fault.HOLE,
            Set.of(),
            new Act.ClientRead(
                42,
                2_104_047_288L,
                0,
                search(SimNames.ADMIN, "dc=x", 2, "(l=f0)", "l", "serialNumber")),
            new Act.DirectWrite(
                43, 2_184_100_314L, new SimChange(Kind.RENAME, "ou=g0,dc=x", "ou=g3,dc=x")),
            new Act.DirectWrite(
                73, 3_697_899_777L, new SimChange(Kind.JOIN, "cn=t0,dc=x", SimNames.CLERK)),
            new Act.RenameAndEmpty(79, 3_966_605_216L, 2, 2),
            new Act.ClientRead(
                85,
                4_286_989_179L,
                0,
                search(SimNames.ADMIN, "ou=g0,dc=x", 1, "(l=f1)", "serialNumber")),
            new Act.ClientRead(
                101,
                5_053_839_681L,
                1,
                search(SimNames.ADMIN, "ou=g0,dc=x", 1, "(l=f1)", "serialNumber"))));
  }

  /**
   * A silent feed has not reported the rename of a container. A client is told that it is absent,
   * and another client gives it its former name.
   */
  @Test
  void anAbsentEntryComesBackByItsFormerName() {
    assertExplained(
        history(
            -1_649_141_873,
            Fault.FEED_SILENT,
            Set.of(),
            new Act.DirectWrite(
                33, 1_697_583_898L, new SimChange(Kind.MODIFY, "cn=e2,ou=g2,dc=x", "f0")),
            new Act.ClientRead(34, 1_708_646_306L, 0, search(SimNames.ADMIN, "dc=x", 2, "(l=f0)")),
            new Act.DirectWrite(
                49, 2_479_244_613L, new SimChange(Kind.RENAME, "ou=g2,dc=x", "ou=g3,dc=x")),
            new Act.ClientRead(
                57,
                2_893_926_126L,
                1,
                search(
                    SimNames.ADMIN,
                    "ou=g2,dc=x",
                    1,
                    "(&(objectClass=person)(l=f1))",
                    "serialNumber",
                    "telephoneNumber")),
            new Act.RenameAndEmpty(86, 4_322_216_097L, 3, 2),
            new Act.ClientRead(
                140,
                7_017_173_503L,
                0,
                search(SimNames.ADMIN, "ou=g2,dc=x", 1, "(&(objectClass=person)(l=f1))"))));
  }

  /**
   * A slow search meets a change that adds an entry to its result, and one that removes it again,
   * is reported, and then undone.
   */
  @Test
  void anUndoneChangeDoesNotVouchForAnEarlierRead() {
    assertExplained(
        history(
            1_011_706,
            Fault.HOLE,
            Set.of(Quirk.PHANTOM),
            new Act.ClientRead(
                121,
                6_098_285_272L,
                1,
                search(SimNames.ADMIN, "ou=g0,dc=x", 1, "(l=f1)", "serialNumber")),
            new Act.DirectWrite(
                122, 6_148_851_440L, new SimChange(Kind.MODIFY, "cn=e0,ou=g0,dc=x", "f1")),
            new Act.Transaction(
                138,
                6_914_780_647L,
                List.of(
                    new SimChange(Kind.MODIFY, "cn=e0,ou=g0,dc=x", "f0"),
                    new SimChange(Kind.ADD, "cn=e3,ou=g0,dc=x", "f1")),
                false),
            new Act.ClientRead(
                143,
                7_154_245_959L,
                1,
                search(SimNames.ADMIN, "ou=g0,dc=x", 1, "(l=f1)", "serialNumber"))));
  }

  /**
   * A read goes to a replica that lags, and a verification of its sharing class to the primary at
   * the same time. The position of the primary says nothing about the read.
   */
  @Test
  void aVerificationDoesNotVouchForTheReadBesideIt() {
    assertExplained(
        history(-662_358_207, Fault.REPLICA_LAG, Set.of(Quirk.PHANTOM, Quirk.PENDING_CSN), BESIDE)
            .with(true));
  }
}
