// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which reads a change concerns, and when it is known who has it. */
class UnreplicatedWritesTest {
  private static final String WRITER = "writer";
  private static final Object GROUP = new Object();
  private static final long DEADLINE = 1000;
  private static final byte[] EMPTY = {0x64, 4, 0x04, 0, 0x30, 0};

  private final UnreplicatedWrites changes = new UnreplicatedWrites(100);

  private static byte[] octets(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Footprint at(String dn, boolean deep, boolean wide) {
    return footprint(NormalDn.of(octets(dn), ServerProfile.EXACT).treePosition(), deep, wide);
  }

  private static Footprint footprint(@Nullable Octets place, boolean deep, boolean wide) {
    return new Footprint(ServerProfile.EXACT, place, deep, wide, null);
  }

  private static Footprint entry(String dn) {
    return at(dn, false, false);
  }

  private static Footprint below(String dn) {
    return at(dn, true, false);
  }

  private static Position position(int mark) {
    return Position.of(Map.of("x#1", String.format("%09d", mark)));
  }

  private UnreplicatedWrite done(String session, Footprint footprint) {
    UnreplicatedWrite change = changes.begin(session, WRITER, footprint, 0, DEADLINE);
    changes.end(change, WRITER, 0);
    return change;
  }

  private void reportPosition(int mark) {
    changes.onPosition(WRITER, position(mark), changes.earliestInFlight(WRITER, any -> true), 1);
  }

  /** Whether a replica with that position may answer. */
  private boolean allows(String session, Footprint read, int mark) {
    return allows(changes, session, read, position(mark));
  }

  private static boolean allows(
      UnreplicatedWrites all, String session, Footprint read, Position at) {
    return all.isAllowed(session, read, replica(at), change -> false);
  }

  private static ReplicaPosition replica(Position position) {
    return new ReplicaPosition(
        "replica", position, ReplicaPosition.NOW, writer -> true, writer -> false);
  }

  @Test
  void aWriteConcernsReadsOfItsSessionThatMayShowIt() {
    done("s", entry("uid=a,ou=p,dc=x"));
    assertThat(allows("s", entry("uid=a,ou=p,dc=x"), 1)).isFalse();
    assertThat(allows("s", entry("UID=A, OU=P, DC=X"), 1)).isFalse();
    assertThat(allows("s", below("ou=p,dc=x"), 1)).isFalse();
    assertThat(allows("s", below(""), 1)).isFalse();
    assertThat(allows("s", entry("uid=b,ou=p,dc=x"), 1)).isTrue();
    assertThat(allows("s", entry("ou=p,dc=x"), 1)).isTrue();
    assertThat(allows("s", below("ou=q,dc=x"), 1)).isTrue();
    assertThat(allows("s", below("uid=a2,ou=p,dc=x"), 1)).isTrue();
    assertThat(allows("other", entry("uid=a,ou=p,dc=x"), 1)).isTrue();
  }

  @Test
  void aWriteOfAnInvalidDnMayBeAnywhere() {
    done("s", entry("uid=a,ou=p,dc=x"));
    assertThat(allows("s", footprint(null, false, false), 1)).isFalse();
    UnreplicatedWrites others = new UnreplicatedWrites(10);
    others.begin("s", WRITER, footprint(null, true, true), 0, DEADLINE);
    assertThat(allows(others, "s", entry("uid=b,dc=x"), Position.NONE)).isFalse();
  }

  @Test
  void aDeleteConcernsAllReadsOfItsOwnSession() {
    done("s", at("ou=p,dc=x", true, true));
    assertThat(allows("s", entry("cn=group,dc=x"), 1)).isFalse();
    changes.onAnswer("t", below("dc=x"));
    assertThat(allows("t", entry("cn=group,dc=x"), 1)).isTrue();
    assertThat(allows("t", entry("uid=a,ou=p,dc=x"), 1)).isFalse();
  }

  @Test
  void laterReadsOfASessionShowEntriesItMayHaveSeen() {
    Footprint entry = entry("uid=a,dc=x");
    done("s", entry);
    assertThat(allows("t", entry, 1)).isTrue();
    changes.onAnswer("t", entry("uid=b,dc=x"));
    assertThat(allows("t", entry, 1)).isTrue();
    changes.onAnswer("t", below("dc=x"));
    assertThat(allows("t", entry, 1)).isFalse();
    assertThat(allows("u", entry, 1)).isTrue();
  }

  @Test
  void aWriteInFlightMayHaveBeenSeen() {
    Footprint entry = entry("uid=a,dc=x");
    changes.begin("s", WRITER, entry, 0, DEADLINE);
    changes.onAnswer("t", entry);
    assertThat(allows("t", entry, 1)).isFalse();
  }

  @Test
  void aServerThatCoversThePositionHasTheWrite() {
    Footprint entry = entry("uid=a,dc=x");
    done("s", entry);
    reportPosition(5);
    assertThat(allows("s", entry, 4)).isFalse();
    assertThat(allows("s", entry, 5)).isTrue();
  }

  /** OpenLDAP's contextCSN stops before the first change that is still under way. */
  @Test
  void aPositionProvesNothingWhileAnEarlierWriteIsInFlight() {
    Footprint entry = entry("uid=a,dc=x");
    UnreplicatedWrite slow = changes.begin("s", WRITER, entry("uid=b,dc=x"), 0, DEADLINE);
    done("s", entry);
    reportPosition(5);
    assertThat(allows("s", entry, 5)).isFalse();
    changes.end(slow, WRITER, 0);
    reportPosition(7);
    assertThat(allows("s", entry, 5)).isFalse();
    assertThat(allows("s", entry, 7)).isTrue();
  }

  @Test
  void anUnendedWriteEndsAtItsDeadline() {
    Footprint entry = entry("uid=a,dc=x");
    UnreplicatedWrite lost = changes.begin("s", WRITER, entry("uid=b,dc=x"), 0, DEADLINE);
    done("s", entry);
    changes.endOverdue(DEADLINE, DEADLINE + 10);
    reportPosition(5);
    assertThat(allows("s", entry, 5)).isFalse();
    changes.endOverdue(DEADLINE + 1, DEADLINE + 10);
    changes.onPosition(
        WRITER, position(7), changes.earliestInFlight(WRITER, any -> true), DEADLINE + 9);
    assertThat(allows("s", entry, 7)).isTrue();
    assertThat(allows("s", entry("uid=b,dc=x"), 7)).isFalse();
    changes.onPosition(
        WRITER, position(8), changes.earliestInFlight(WRITER, any -> true), DEADLINE + 10);
    changes.forget(writer -> List.of(position(8)));
    assertThat(changes.isEmpty()).isTrue();
    changes.end(lost, WRITER, 0); // it was answered after all
    assertThat(allows("s", entry("uid=b,dc=x"), 8)).isFalse();
    reportPosition(9);
    assertThat(allows("s", entry("uid=b,dc=x"), 9)).isTrue();
  }

  @Test
  void aPositionRequestedBeforeTheEndProvesNothing() {
    Footprint entry = entry("uid=a,dc=x");
    UnreplicatedWrite change = changes.begin("s", WRITER, entry, 0, DEADLINE);
    long earliest = changes.earliestInFlight(WRITER, any -> true);
    changes.end(change, WRITER, 0);
    changes.onPosition(WRITER, position(5), earliest, 1);
    assertThat(allows("s", entry, 9)).isFalse();
  }

  @Test
  void aWriteThatMayStillHappenIsInNoPosition() {
    Footprint entry = entry("uid=a,dc=x");
    UnreplicatedWrite change = changes.begin("s", WRITER, entry, 0, DEADLINE);
    changes.end(change, WRITER, 1000);
    changes.onPosition(WRITER, position(5), changes.earliestInFlight(WRITER, any -> true), 999);
    assertThat(allows("s", entry, 9)).isFalse();
    changes.onPosition(WRITER, position(6), changes.earliestInFlight(WRITER, any -> true), 1000);
    assertThat(allows("s", entry, 9)).isTrue();
  }

  @Test
  void replicatedWritesAreForgottenWithALowWatermark() {
    done("s", entry("uid=a,dc=x"));
    reportPosition(5);
    changes.forget(writer -> List.of(position(5), position(4)));
    assertThat(changes.isEmpty()).isFalse();
    changes.forget(writer -> List.of(position(5), position(6)));
    assertThat(changes.isEmpty()).isTrue();
    assertThat(changes.lowWatermarks()).containsEntry(WRITER, position(5));
  }

  /** Of each that concerns more than one entry, and of those of one. */
  @Test
  void onlyFullyReplicatedWritesAreForgotten() {
    UnreplicatedWrites many = reportedWrites("s", 1000);
    for (int i = 1000; i < 1010; i++) {
      many.end(many.begin("s", WRITER, below("ou=p,dc=x"), 0, DEADLINE), WRITER, 0);
      many.onPosition(WRITER, position(i), many.earliestInFlight(WRITER, any -> true), 1);
    }
    many.forget(writer -> List.of(position(1004), position(900)));
    assertThat(many.size()).isEqualTo(109);
    assertThat(many.lowWatermarks()).containsOnly(Map.entry(WRITER, position(900)));
    assertThat(allows(many, "s", entry("uid=900,dc=x"), position(1))).isTrue();
    assertThat(allows(many, "s", entry("uid=901,dc=x"), position(900))).isFalse();
    many.forget(writer -> List.of(position(1004), position(2000)));
    assertThat(many.size()).isEqualTo(5);
    assertThat(many.lowWatermarks()).containsOnly(Map.entry(WRITER, position(1004)));
    assertThat(many.missingEntries("s", below("dc=x"), replica(position(1)))).hasSize(1);
    assertThat(allows(many, "s", entry("cn=a,ou=p,dc=x"), position(1008))).isFalse();
    assertThat(allows(many, "s", entry("cn=a,ou=p,dc=x"), position(1009))).isTrue();
    many.forget(writer -> List.of(position(1009)));
    assertThat(many.isEmpty()).isTrue();
  }

  /** What a server took before it went is known of those that followed it, later ones of itself. */
  @Test
  void lowWatermarksOfALostWriterMoveToItsGroup() {
    done("s", entry("uid=a,dc=x"));
    reportPosition(5);
    changes.onWriterRemoved(WRITER, GROUP, List.of(position(4)), DEADLINE);
    done("s", entry("uid=b,dc=x"));
    reportPosition(6);
    changes.forget(writer -> List.of(position(7)));
    assertThat(changes.isEmpty()).isTrue();
    assertThat(changes.lowWatermarks())
        .containsOnly(Map.entry(GROUP, position(5)), Map.entry(WRITER, position(6)));
  }

  @Test
  void evictedWritesStillCount() {
    for (int i = 0; i < 101; i++) {
      done("s", entry("uid=" + i + ",dc=x"));
    }
    assertThat(changes.size()).isEqualTo(100);
    assertThat(mayBeReadAnywhere(4)).isFalse();
    reportPosition(5);
    assertThat(mayBeReadAnywhere(4)).isFalse();
    assertThat(mayBeReadAnywhere(5)).isTrue();
    changes.forget(writer -> List.of(position(5)));
    assertThat(changes.isEmpty()).isTrue();
    assertThat(changes.lowWatermarks()).containsEntry(WRITER, position(5));
  }

  @Test
  void anyWriteMayBeAnywhereAfterASchemaChange() throws LdapProtocolException {
    ServerProfile later = ServerProfile.of(SearchEntry.parse(EMPTY.clone()), null);
    Footprint other = Objects.requireNonNull(Footprint.ofEntry(octets("uid=b,dc=x"), later));
    done("s", entry("uid=a,dc=x"));
    assertThat(allows("s", other, 1)).isFalse();
    UnreplicatedWrite next = done("s", other);
    assertThat(allows("s", entry("uid=c,dc=x"), 1)).isFalse();
    changes.cancel(next);
    assertThat(allows("s", entry("uid=c,dc=x"), 1)).isTrue();
    reportPosition(5);
    assertThat(allows("s", other, 5)).isTrue();
    changes.forget(writer -> List.of(position(5)));
    assertThat(changes.isEmpty()).isTrue();
  }

  @Test
  void onlyTheWritersPositionCoversEvictedWrites() {
    UnreplicatedWrite first = changes.begin("s", WRITER, entry("uid=first,dc=x"), 0, DEADLINE);
    for (int i = 0; i < 100; i++) {
      done("s", entry("uid=" + i + ",dc=x"));
    }
    changes.onPosition("replica", position(1), changes.earliestInFlight("replica", any -> true), 1);
    assertThat(mayBeReadAnywhere(1)).isFalse();
    reportPosition(5); // the first may still happen
    assertThat(mayBeReadAnywhere(5)).isFalse();
    changes.end(first, WRITER, 10);
    changes.onPosition(WRITER, position(6), changes.earliestInFlight(WRITER, any -> true), 9);
    assertThat(mayBeReadAnywhere(6)).isFalse();
    changes.onPosition(WRITER, position(7), changes.earliestInFlight(WRITER, any -> true), 10);
    assertThat(mayBeReadAnywhere(6)).isFalse();
    assertThat(mayBeReadAnywhere(7)).isTrue();
  }

  /** Later ones of another server are evicted with their positions. */
  @Test
  void evictedWritesOutlastThoseOfOtherServers() {
    for (int i = 0; i < 101; i++) {
      done("s", entry("uid=" + i + ",dc=x"));
    }
    for (int i = 0; i < 300; i++) {
      changes.end(changes.begin("s", "second", entry("uid=b,dc=x"), 0, DEADLINE), "second", 0);
      changes.onPosition("second", position(i), changes.earliestInFlight("second", s -> true), 1);
    }
    assertThat(changes.size()).isEqualTo(100);
    assertThat(mayBeReadAnywhere(999)).isFalse();
    reportPosition(1_000);
    assertThat(mayBeReadAnywhere(999)).isFalse();
    assertThat(mayBeReadAnywhere(1_000)).isTrue();
  }

  /** By a session that has seen nothing, of an entry that nobody has written. */
  private boolean mayBeReadAnywhere(int mark) {
    return allows("t", entry("uid=none,dc=x"), mark);
  }

  @Test
  void aWriteInFlightDelaysNoWriteOfAnotherWriter() {
    UnreplicatedWrite slow = changes.begin("s", "other", entry("uid=b,dc=x"), 0, DEADLINE);
    done("s", entry("uid=a,dc=x"));
    reportPosition(5);
    assertThat(allows("s", entry("uid=a,dc=x"), 5)).isTrue();
    changes.markElsewhere(slow);
    done("s", entry("uid=c,dc=x"));
    reportPosition(6);
    assertThat(allows("s", entry("uid=c,dc=x"), 6)).isFalse();
  }

  @Test
  void reportedWritesOutliveTheirWriter() {
    done("s", entry("uid=a,dc=x"));
    reportPosition(5);
    done("s", entry("uid=b,dc=x"));
    UnreplicatedWrite late = changes.begin("s", WRITER, entry("uid=c,dc=x"), 0, DEADLINE);
    changes.onWriterRemoved(WRITER, GROUP, List.of(position(4)), DEADLINE);
    changes.end(late, WRITER, 0);
    assertThat(changes.size()).isEqualTo(1);
    assertThat(allows("s", entry("uid=a,dc=x"), 4)).isFalse();
    assertThat(allows("s", entry("uid=a,dc=x"), 5)).isTrue();
    changes.forget(writer -> List.of(position(5)));
    assertThat(changes.isEmpty()).isTrue();
    assertThat(changes.lowWatermarks()).containsOnly(Map.entry(GROUP, position(5)));
  }

  @Test
  void writesLostWithTheirWriterAreDropped() {
    done("s", entry("uid=a,dc=x"));
    reportPosition(5);
    done("s", entry("uid=b,dc=x"));
    reportPosition(7);
    changes.onWriterRemoved(WRITER, GROUP, List.of(position(4)), DEADLINE);
    changes.dropUnreceived(DEADLINE, writer -> List.of(position(4)));
    assertThat(changes.size()).isEqualTo(2);
    changes.dropUnreceived(DEADLINE + 1, writer -> List.of(position(6)));
    assertThat(changes.size()).isEqualTo(1);
    assertThat(allows("s", entry("uid=a,dc=x"), 4)).isFalse();
    assertThat(allows("s", entry("uid=b,dc=x"), 4)).isTrue();
  }

  /** The write was given up at one server, which was removed; another one answers it later. */
  @Test
  void aWriteAnsweredByAnotherServerOutlivesItsWriter() {
    UnreplicatedWrite write = changes.begin("s", WRITER, entry("uid=a,dc=x"), 0, DEADLINE);
    changes.end(write, WRITER, 0);
    reportPosition(5);
    changes.onWriterRemoved(WRITER, GROUP, List.of(position(4)), DEADLINE);
    changes.end(write, "replica", 0);
    changes.dropUnreceived(DEADLINE + 1, writer -> List.of(position(4)));
    assertThat(changes.size()).isEqualTo(1);
    assertThat(write.isWriterRemoved()).isFalse();
  }

  @Test
  void forgottenWritesOfARemovedWriterAreStillRequired() {
    done("s", entry("uid=a,dc=x"));
    reportPosition(5);
    changes.forget(writer -> List.of(position(5)));
    changes.onWriterRemoved(WRITER, GROUP, List.of(position(1), position(5)), DEADLINE);
    assertThat(changes.lowWatermarks()).containsOnly(Map.entry(GROUP, position(5)));
    changes.onWriterRemoved("replica", GROUP, List.of(), DEADLINE);
    assertThat(changes.lowWatermarks()).isEmpty();
  }

  @Test
  void writesThatNoServerHasAreNotRequired() {
    for (int i = 0; i < 100; i++) {
      done("s", entry("uid=" + i + ",dc=x"));
    }
    reportPosition(5);
    done("s", entry("uid=a,dc=x"));
    assertThat(changes.lowWatermarks()).containsOnly(Map.entry(WRITER, position(5)));
    changes.onWriterRemoved(WRITER, GROUP, List.of(position(4)), DEADLINE);
    assertThat(changes.lowWatermarks()).isEmpty();
    done("s", entry("uid=b,dc=x"));
    done("s", entry("uid=c,dc=x"));
    assertThat(changes.size()).isEqualTo(100); // there is room for no more of those it has told
    assertThat(changes.lowWatermarks()).isEmpty();
  }

  @Test
  void aServerThatLacksTooManyWritesIsRefused() {
    UnreplicatedWrites many = new UnreplicatedWrites(1000);
    for (int i = 0; i < 512; i++) {
      many.begin("other", WRITER, entry("uid=" + i + ",dc=x"), 0, DEADLINE);
    }
    assertThat(allows(many, "s", below("dc=x"), Position.NONE)).isTrue();
    UnreplicatedWrite last = many.begin("other", WRITER, entry("uid=last,dc=x"), 0, DEADLINE);
    assertThat(allows(many, "s", below("dc=x"), Position.NONE)).isFalse();
    assertThat(allows(many, "s", entry("uid=a,dc=x"), Position.NONE)).isTrue();
    many.cancel(last);
    assertThat(allows(many, "s", below("dc=x"), Position.NONE)).isTrue();
  }

  /** The origin of {@link System#nanoTime} is arbitrary, so times may be negative. */
  @Test
  void evictedWritesSettleByANegativeClock() {
    UnreplicatedWrites few = new UnreplicatedWrites(2);
    for (int i = 0; i < 4; i++) {
      Footprint entry = entry("uid=" + i + ",dc=x");
      few.end(few.begin("s", WRITER, entry, -1000, -500), WRITER, -900);
    }
    assertThat(allows(few, "t", entry("uid=none,dc=x"), position(5))).isFalse();
    few.onPosition(WRITER, position(5), few.earliestInFlight(WRITER, any -> true), -800);
    assertThat(allows(few, "t", entry("uid=none,dc=x"), position(5))).isTrue();
  }

  @Test
  void onlyMissingWritesCount() {
    UnreplicatedWrites many = reportedWrites("s", 5000);
    assertThat(allows(many, "s", below("dc=x"), position(4999))).isTrue();
    assertThat(allows(many, "s", below("dc=x"), position(4998))).isFalse();
    assertThat(allows(many, "t", below("dc=x"), position(4600))).isTrue();
    assertThat(allows(many, "s", entry("uid=4601,dc=x"), position(4600))).isFalse();
    assertThat(many.missingEntries("s", below("dc=x"), replica(position(4997)))).hasSize(2);
  }

  /** All of these, one after the other, and each is told of at once. */
  private static UnreplicatedWrites reportedWrites(String session, int count) {
    UnreplicatedWrites many = new UnreplicatedWrites(10_000);
    for (int i = 0; i < count; i++) {
      UnreplicatedWrite change =
          many.begin(session, WRITER, entry("uid=" + i + ",dc=x"), 0, DEADLINE);
      many.end(change, WRITER, 0);
      many.onPosition(WRITER, position(i), many.earliestInFlight(WRITER, any -> true), 1);
    }
    return many;
  }

  @Test
  void aServerThatLacksManyWritesIsRefusedUnchecked() {
    UnreplicatedWrites many = reportedWrites("s", 1000);
    AtomicInteger asked = new AtomicInteger();
    Predicate<UnreplicatedWrite> harmless = change -> asked.incrementAndGet() > 0;
    assertThat(many.isAllowed("s", below("dc=x"), replica(position(486)), harmless)).isFalse();
    assertThat(asked).hasValue(0);
    assertThat(many.isAllowed("s", below("dc=x"), replica(position(487)), harmless)).isTrue();
    assertThat(asked).hasValue(512);
  }

  /** Its position was told before that: it says nothing of what was done since. */
  @Test
  void aReadFromTheWriterHadAllItsWrites() {
    UnreplicatedWrites many = reportedWrites("s", 1000);
    long read = many.tick();
    ReplicaPosition then =
        new ReplicaPosition(WRITER, position(1), read, any -> true, any -> false);
    assertThat(many.isAllowed("s", below("dc=x"), then, change -> false)).isTrue();
    ReplicaPosition earlier =
        new ReplicaPosition(WRITER, position(1), read - 1, any -> true, any -> false);
    assertThat(many.isAllowed("s", below("dc=x"), earlier, change -> false)).isFalse();
  }

  @Test
  void aSessionThatSawMuchCountsAsHavingSeenAll() {
    for (int i = 0; i < 65; i++) {
      done("s", entry("uid=" + i + ",dc=x"));
    }
    changes.onAnswer("t", below("ou=none,dc=x"));
    assertThat(allows("t", entry("uid=1,dc=x"), 1)).isFalse();
    assertThat(allows("u", entry("uid=1,dc=x"), 1)).isTrue();
    done("s", entry("uid=later,dc=x"));
    assertThat(allows("t", entry("uid=later,dc=x"), 1)).isTrue();
    reportPosition(5);
    changes.forget(writer -> List.of(position(5)));
    done("s", entry("uid=1,dc=x"));
    assertThat(allows("t", entry("uid=1,dc=x"), 1)).isTrue();
  }

  /** A database that was restored may tell less than before. */
  @Test
  void aLaterWriteImpliesTheEarlierOnesOfItsWriter() {
    done("s", entry("uid=a,dc=x"));
    reportPosition(5);
    done("s", entry("uid=b,dc=x"));
    reportPosition(3);
    assertThat(allows("s", entry("uid=b,dc=x"), 4)).isFalse();
    assertThat(allows("s", below("dc=x"), 4)).isFalse();
    assertThat(allows("s", below("dc=x"), 5)).isTrue();
  }

  @Test
  void aLateAnswerMovesItsWrite() {
    Footprint entry = entry("uid=a,dc=x");
    UnreplicatedWrite late = changes.begin("s", WRITER, entry, 0, DEADLINE);
    changes.endOverdue(DEADLINE + 1, 0);
    reportPosition(5);
    assertThat(allows("s", below("dc=x"), 5)).isTrue();
    changes.end(late, WRITER, 0);
    assertThat(allows("s", below("dc=x"), 5)).isFalse();
    reportPosition(6);
    assertThat(allows("s", below("dc=x"), 5)).isFalse();
    assertThat(allows("s", below("dc=x"), 6)).isTrue();
  }

  @Test
  void aServerWithAllWritesOfAHotEntryIsAllowed() {
    UnreplicatedWrites many = new UnreplicatedWrites(1000);
    Footprint hot = entry("cn=counter,dc=x");
    for (int i = 0; i < 600; i++) {
      many.end(many.begin("s", WRITER, hot, 0, DEADLINE), WRITER, 0);
    }
    ReplicaPosition writer =
        new ReplicaPosition(WRITER, Position.NONE, ReplicaPosition.NOW, any -> true, any -> false);
    assertThat(many.isAllowed("s", hot, writer, change -> false)).isTrue();
    assertThat(allows(many, "s", hot, Position.NONE)).isFalse();
    many.onPosition(WRITER, position(5), many.earliestInFlight(WRITER, any -> true), 1);
    assertThat(allows(many, "s", hot, position(5))).isTrue();
  }

  /** One with a lower number was pending when its writer was asked for its position. */
  @Test
  void aPositionRequestedTooEarlyProvesNothing() {
    UnreplicatedWrite change = changes.begin("s", WRITER, entry("uid=a,dc=x"), 0, DEADLINE);
    changes.end(change, WRITER, UnreplicatedWrite.PENDING_NANOS);
    reportPosition(5);
    assertThat(allows("s", entry("uid=a,dc=x"), 5)).isFalse();
    changes.onPosition(
        WRITER,
        position(6),
        changes.earliestInFlight(WRITER, any -> true),
        UnreplicatedWrite.PENDING_NANOS);
    assertThat(allows("s", entry("uid=a,dc=x"), 5)).isFalse();
    assertThat(allows("s", entry("uid=a,dc=x"), 6)).isTrue();
  }

  /** It is better than nothing. */
  @Test
  void anEarlyPositionSufficesIfTheWriterIsLost() {
    UnreplicatedWrite change = changes.begin("s", WRITER, entry("uid=a,dc=x"), 0, DEADLINE);
    changes.end(change, WRITER, UnreplicatedWrite.PENDING_NANOS);
    reportPosition(5);
    ReplicaPosition near =
        new ReplicaPosition("replica", position(5), ReplicaPosition.NOW, any -> true, any -> true);
    ReplicaPosition far =
        new ReplicaPosition("replica", position(4), ReplicaPosition.NOW, any -> true, any -> true);
    Footprint read = entry("uid=a,dc=x");
    assertThat(changes.isAllowed("s", read, near, lacked -> false)).isTrue();
    assertThat(changes.isAllowed("s", read, far, lacked -> false)).isFalse();
    changes.onWriterRemoved(WRITER, GROUP, List.of(position(4)), 1_000);
    assertThat(allows("s", read, 4)).isFalse();
    assertThat(allows("s", read, 5)).isTrue();
  }

  /** It may still happen. */
  @Test
  void anEarlyPositionDoesNotProveAnUnknownOutcome() {
    UnreplicatedWrite change = changes.begin("s", WRITER, entry("uid=a,dc=x"), 0, DEADLINE);
    changes.end(change, WRITER, 10 * UnreplicatedWrite.PENDING_NANOS);
    reportPosition(5);
    ReplicaPosition near =
        new ReplicaPosition("replica", position(5), ReplicaPosition.NOW, any -> true, any -> true);
    assertThat(changes.isAllowed("s", entry("uid=a,dc=x"), near, lacked -> false)).isFalse();
  }

  /** It has shown what somebody else's write of a group has made of an entry. */
  @Test
  void derivedDataOfASessionDoesNotBecomeOlder() {
    done("other", entry("cn=group,dc=x"));
    reportPosition(5);
    Footprint derived = at("uid=a,dc=x", false, true);
    assertThat(allows("s", derived, 4)).isTrue();
    changes.onAnswer("s", derived);
    assertThat(allows("s", derived, 4)).isFalse();
    assertThat(allows("s", derived, 5)).isTrue();
    assertThat(allows("s", entry("uid=a,dc=x"), 4)).isTrue();
  }
}
