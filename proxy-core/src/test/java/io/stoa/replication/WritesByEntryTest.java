// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.ServerProfile;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Reads of one entry do not depend on the number of writes to other entries. */
class WritesByEntryTest {
  private static final String WRITER = "writer";
  private static final byte[] EMPTY = {0x64, 4, 0x04, 0, 0x30, 0};
  private static final ServerProfile FIRST = newSchema();
  private static final ServerProfile SECOND = newSchema();

  private final UnreplicatedWrites writes = new UnreplicatedWrites(10_000);
  private final AtomicInteger examined = new AtomicInteger();

  private static ServerProfile newSchema() {
    try {
      return ServerProfile.of(SearchEntry.parse(EMPTY.clone()), null);
    } catch (LdapProtocolException e) {
      throw new AssertionError(e);
    }
  }

  private static Footprint entry(String uid, ServerProfile schema) {
    byte[] name = ("uid=" + uid + ",dc=x").getBytes(UTF_8);
    return Objects.requireNonNull(Footprint.ofEntry(name, schema));
  }

  private static Footprint deleted(String uid) {
    return new Footprint(FIRST, entry(uid, FIRST).place(), true, true, null);
  }

  private static Position position(int mark) {
    return Position.of(Map.of("x#1", String.format("%09d", mark)));
  }

  private UnreplicatedWrite write(String session, Footprint footprint) {
    UnreplicatedWrite write = writes.begin(session, WRITER, footprint, 0, 1000);
    writes.end(write, WRITER, 0);
    return write;
  }

  private void writeMany(String session, ServerProfile schema) {
    for (int i = 0; i < 1000; i++) {
      write(session, entry("" + i, schema));
    }
  }

  private void reportPosition(int mark) {
    writes.onPosition(WRITER, position(mark), writes.earliestInFlight(WRITER, any -> true), 1);
  }

  /** True if a replica with that position may answer; counts the writes that are examined. */
  private boolean allows(String session, Footprint read, int mark) {
    examined.set(0);
    ReplicaPosition replica =
        new ReplicaPosition(
            "replica",
            position(mark),
            ReplicaPosition.NOW,
            writer -> examined.incrementAndGet() > 0,
            writer -> false);
    return writes.isAllowed(session, read, replica, write -> false);
  }

  @Test
  void aReplicaServesUnchangedEntriesThoughTheFirstWriteHasNoPlace() {
    write("other", Footprint.ANYWHERE);
    writeMany("s", FIRST);
    assertThat(allows("s", entry("unchanged", FIRST), 1)).isTrue();
    assertThat(allows("s", entry("7", FIRST), 1)).isFalse();
    assertThat(allows("other", entry("unchanged", FIRST), 1)).isFalse();
  }

  @Test
  void aReplicaServesUnchangedEntriesAfterEachSchemaChange() {
    UnreplicatedWrite slow = writes.begin("other", WRITER, entry("slow", FIRST), 0, 1000);
    for (ServerProfile schema : List.of(SECOND, newSchema())) {
      write("other", Footprint.ANYWHERE);
      write("other", entry("late", FIRST));
      writeMany("s", schema);
      assertThat(allows("s", entry("unchanged", schema), 1)).isTrue();
      assertThat(allows("s", entry("7", schema), 1)).isFalse();
      assertThat(allows("other", entry("unchanged", schema), 1)).isFalse();
      assertThat(allows("s", entry("unchanged", FIRST), 1)).isFalse();
      reportPosition(2);
      writes.end(slow, WRITER, 0); // moves it in the index
      reportPosition(3);
      writes.forget(writer -> List.of(position(3)));
      assertThat(writes.isEmpty()).isTrue();
    }
  }

  @Test
  void aWriteThatEndsAfterASchemaChangeKeepsReadsAtReplicas() {
    UnreplicatedWrite slow = writes.begin("other", WRITER, entry("slow", FIRST), 0, 1000);
    writeMany("s", SECOND);
    writes.end(slow, WRITER, 0);
    writeMany("s", SECOND);
    assertThat(allows("s", entry("unchanged", SECOND), 1)).isTrue();
    assertThat(allows("other", entry("unchanged", SECOND), 1)).isFalse();
  }

  @Test
  void fewWritesAreExaminedForAReadOfOneEntry() {
    for (int i = 0; i < 4000; i++) {
      write("s", deleted("" + i));
      reportPosition(2 * i);
      write("s", entry("hot", FIRST));
      reportPosition(2 * i + 1);
    }
    for (String uid : List.of("hot", "unchanged")) {
      assertThat(allows("s", entry(uid, FIRST), 7999)).isTrue();
      assertThat(examined).hasValueLessThan(10);
      assertThat(allows("t", entry(uid, FIRST), 7900)).isTrue();
      assertThat(examined).hasValueLessThan(110);
      assertThat(allows("t", entry(uid, FIRST), 1)).isFalse();
      assertThat(examined).hasValueLessThan(10);
    }
  }

  @Test
  void fewWritesWithoutAPositionAreExaminedForAReadOfOneEntry() {
    for (int i = 0; i < 5000; i++) {
      write("s", deleted("" + i));
    }
    assertThat(allows("t", entry("unchanged", FIRST), 1)).isFalse();
    assertThat(examined).hasValueLessThan(1100);
  }

  /** Compares the index with a scan of all writes. */
  @Test
  void theIndexFindsEachWriteThatMayConcernARead() {
    Random random = new Random(1);
    WritesByEntry index = new WritesByEntry();
    List<UnreplicatedWrite> all = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      if (random.nextInt(20) < 11) {
        all.add(new UnreplicatedWrite("s", WRITER, footprint(random), i, 0));
        index.add(all.get(all.size() - 1));
      } else if (!all.isEmpty()) {
        index.remove(all.remove(random.nextInt(all.size())));
      }
      Footprint read = footprint(random);
      List<UnreplicatedWrite> found = index.of(read).toList();
      Set<UnreplicatedWrite> near =
          all.stream().filter(w -> read.overlaps(w.footprint())).collect(Collectors.toSet());
      assertThat(new HashSet<>(found)).hasSize(index.size(read)).containsAll(near);
      assertThat(all).containsAll(found);
    }
    all.forEach(index::remove);
    assertThat(index.size(entry("0", FIRST))).isZero();
    assertThat(index.size(Footprint.ANYWHERE)).isZero();
  }

  private static Footprint footprint(Random random) {
    ServerProfile schema = List.of(ServerProfile.EXACT, FIRST, SECOND).get(random.nextInt(3));
    Octets place = entry("" + random.nextInt(5), schema).place();
    int kind = random.nextInt(6);
    return new Footprint(schema, kind == 0 ? null : place, kind == 1, kind == 2, null);
  }
}
