// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.feed.syncrepl.SyncContext;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.sim.FeedMirror.MirroredEntry;
import io.stoa.sim.StatelessRandom.Stream;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What the sync session of Stoa makes of what a provider says is all that happens: a copy that is
 * kept up by it holds in the end what the server holds, whatever goes wrong, and at no time does
 * the feed say that it has more than it has told.
 */
class SimFeedTest {
  private static final int HISTORIES = 15;
  private static final long BEFORE = 1_000 * Faults.MILLIS;

  /** A record that is lost without a trace is what nothing but a second look can find. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "HOLE")
  void feedEventsEqualTheChanges(Fault fault) {
    long heard =
        LongStream.rangeClosed(1, HISTORIES)
            .map(seed -> run(Program.of(seed, List.of(fault), List.of(Quirk.values()))))
            .sum();
    assertThat(heard).isGreaterThan(10 * HISTORIES);
  }

  private static long run(Program program) {
    Faults faults = program.faults();
    VirtualTime time = new VirtualTime(program.draws());
    SimTree first = SimTree.FIRST;
    SimDirectory directory = new SimDirectory(time, faults, first, program.replicated());
    List<SimServer> servers = directory.servers();
    SimServer server = servers.get((int) (program.seed() % servers.size()));
    VirtualLoop loop = new VirtualLoop(time, program.draws().of(Stream.LOOP, 2));
    if (faults.fault() == Fault.DOMAIN_PAUSED || faults.fault() == Fault.LOOPS_PAUSED) {
      time.at(faults.from(), () -> loop.pause(faults.until()));
    }
    SimSyncProvider provider = new SimSyncProvider(time, faults, server, loop);
    FeedMirror mirror = new FeedMirror(server, provider);
    SimPositionReader positions = new SimPositionReader(time, faults, server, 7);
    SimReader reader = new SimReader(time, faults, server, loop);
    SimFeed.FeedTarget heard = new SimFeed.FeedTarget(syncContext(time), mirror, reader);
    new SimFeed(time, faults, provider, positions, heard).connect();
    program.acts().forEach(act -> write(time, directory, act));
    time.runUntil(VirtualTime.START + BEFORE + Program.length() + 3 * Faults.PAUSE);
    assertThat(mirror.isLive()).as("%s", program).isTrue();
    compare(program, provider, mirror);
    return mirror.changeCount();
  }

  private static void write(VirtualTime time, SimDirectory directory, Act act) {
    long at = VirtualTime.START + BEFORE + act.at();
    if (act instanceof Act.DirectWrite round) {
      time.at(at, () -> directory.write(round.change(), code -> {}));
    } else if (act instanceof Act.ClientWrite tell) {
      time.at(at, () -> directory.write(tell.change(), code -> {}));
    } else if (act instanceof Act.Transaction together) {
      time.at(at, () -> directory.transaction(together.changes(), together.abort()));
    }
  }

  private static SyncContext syncContext(VirtualTime time) {
    return new SyncContext(SimNames.SUFFIX, 1_000, type -> false, new Rules(), time::now);
  }

  /** Stateless. */
  private static final class Rules implements SyncContext.Rules {
    @Override
    public NormalDn name(byte[] dn) {
      return NormalDn.of(dn, ServerProfile.EXACT);
    }

    @Override
    public Image image(SearchEntry entry) {
      return Image.of(entry, true, ServerProfile.EXACT);
    }
  }

  /** Of what was told and undone no feed says what is right; what was hidden shows up unseen. */
  private static void compare(Program program, SimSyncProvider provider, FeedMirror mirror) {
    Set<String> doubtful = provider.undone();
    Map<String, MirroredEntry> expected = new TreeMap<>(mirror.held());
    Map<String, MirroredEntry> copies = new TreeMap<>(mirror.copies());
    expected.keySet().removeAll(doubtful);
    copies.keySet().removeAll(doubtful);
    if (program.quirks().contains(Quirk.HIDDEN_REFINT)) {
      expected.values().removeIf(SimFeedTest::isGroup);
      copies.values().removeIf(SimFeedTest::isGroup);
    }
    if (program.quirks().contains(Quirk.HIDDEN_SUBTREE)) {
      expected.keySet().retainAll(copies.keySet());
    }
    assertThat(copies).as("%s", program).isEqualTo(expected);
  }

  private static boolean isGroup(MirroredEntry held) {
    return held.dn().startsWith("cn=t");
  }
}
