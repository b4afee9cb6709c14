// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import com.unboundid.ldap.sdk.controls.ServerSideSortRequestControl;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/** Plays a script in one world, and compares all answers. Confined to the thread of the test. */
final class Runner {
  private static final String SORT = ServerSideSortRequestControl.SERVER_SIDE_SORT_REQUEST_OID;
  private static final int SEARCH = 0x63;
  private static final int COMPARE = 0x6e;

  /** How often the directory is compared anew in case it moved between two answers. */
  private static final int ATTEMPTS = 3;

  /** First wait for an answer that may be old: 10 ms, doubled up to 160 ms. */
  private static final long FIRST_WAIT_NANOS = 10_000_000;

  private static final int MAX_DOUBLINGS = 4;

  private final World world;

  /** Answers of servers with caches of their own, by client and request. */
  private final Map<String, Set<List<String>>> cachedAnswers = new HashMap<>();

  private long writes;

  Runner(World world) {
    this.world = world;
  }

  /**
   * Plays it to its end, or until an answer is wrong and that suffices.
   *
   * @param suffices judges a difference; if it says so the rest is not played
   * @return the differences in their order
   */
  List<Difference> play(List<ScriptStep> script, Predicate<Difference> suffices) {
    List<Difference> all = new ArrayList<>();
    for (int at = 0; at < script.size(); at++) {
      List<Difference> found = play(at, script.get(at));
      all.addAll(found);
      if (found.stream().anyMatch(suffices)) {
        break;
      }
    }
    return all;
  }

  /** How many writes have succeeded. */
  long writes() {
    return writes;
  }

  private List<Difference> play(int at, ScriptStep act) {
    return switch (act.kind()) {
      case ASK, WALK -> compareAnswers(at, act);
      case ABANDON -> {
        world.direct().answer(act);
        world.ways().forEach(way -> way.clients().answer(act));
        yield List.of();
      }
      case PAUSE -> {
        LockSupport.parkNanos(Stoas.AGE.plusMillis(1).toNanos());
        yield List.of();
      }
      case WRITE_THROUGH -> writeThrough(at, act);
      case WRITE_ROUND -> {
        writes += isDone(direct(act)) ? 1 : 0;
        markChanged(act);
        yield List.of();
      }
    };
  }

  /** Asks cold and warm; what may change the directory is asked once. */
  private List<Difference> compareAnswers(int at, ScriptStep act) {
    List<Difference> found = new ArrayList<>();
    List<String> direct = direct(act);
    int tag = act.request().tag();
    boolean reads = tag == SEARCH || tag == COMPARE;
    for (int way = 0; way < world.ways().size(); way++) {
      int before = found.size();
      for (int time = 0; time < (reads ? 2 : 1) && found.size() == before; time++) {
        List<String> told = through(way, act);
        if (told.equals(NormalizedResponse.CLOSED) && !direct.equals(told)) {
          found.add(new Difference(at, way, world.ways().get(way).toString(), act, direct, told));
        } else if (!isSame(act, told, direct)) {
          persistentDifference(at, way, act).ifPresent(found::add);
        }
      }
    }
    if (!reads) { // a directory may keep when an identity has bound
      markChanged(act);
    }
    return found;
  }

  /** The difference, unless the answer is only as old as is promised, or the directory moves. */
  private Optional<Difference> persistentDifference(int at, int number, ScriptStep act) {
    StoaWithClients way = world.ways().get(number);
    String place = act.vocabulary().place();
    List<String> direct = List.of();
    List<String> told = List.of();
    int looks = 0;
    for (int attempt = 0; attempt < ATTEMPTS; looks++) {
      boolean mayBeOld = way.mayBeStale(place);
      List<String> before = direct(act);
      told = through(number, act);
      direct = direct(act);
      if (isSame(act, told, before) || isSame(act, told, direct) || wasCachedAnswer(act, told)) {
        return Optional.empty();
      }
      if (mayBeOld) {
        LockSupport.parkNanos(FIRST_WAIT_NANOS << Math.min(looks, MAX_DOUBLINGS));
      } else {
        attempt++;
      }
    }
    return Optional.of(new Difference(at, number, way.toString(), act, direct, told));
  }

  /** True if a server with a cache of its own has given this answer to the same client before. */
  private boolean wasCachedAnswer(ScriptStep act, List<String> told) {
    return cachedAnswers.getOrDefault(act.toString(), Set.of()).stream()
        .anyMatch(direct -> isSame(act, told, direct));
  }

  /**
   * Entries may come in any order (RFC 4511, section 4.5.2), unless the client wants them sorted.
   * So a page may hold others, if there are more.
   */
  private static boolean isSame(ScriptStep act, List<String> told, List<String> direct) {
    boolean sorts = act.request().controls().stream().anyMatch(it -> it.getOID().equals(SORT));
    return told.equals(direct)
        || (!sorts && (sorted(told).equals(sorted(direct)) || isOtherPage(told, direct)));
  }

  private static boolean isOtherPage(List<String> told, List<String> direct) {
    String last = told.isEmpty() ? "" : told.get(told.size() - 1);
    return last.endsWith(NormalizedResponse.MORE)
        && told.size() == direct.size()
        && last.equals(direct.get(direct.size() - 1));
  }

  private static List<String> sorted(List<String> told) {
    return told.stream().sorted().toList();
  }

  private void markChanged(ScriptStep act) {
    world.ways().forEach(way -> way.onOutsideWrite(act.vocabulary().place()));
  }

  /** A write that was refused is refused by the directory in the same words. */
  private List<Difference> writeThrough(int at, ScriptStep act) {
    List<String> told = through(act.way(), act);
    StoaWithClients own = world.ways().get(act.way());
    world.ways().stream()
        .filter(way -> way != own || act.vocabulary().delay() != Delay.NONE)
        .forEach(way -> way.onOutsideWrite(act.vocabulary().place()));
    if (isDone(told)) {
      writes++;
      return List.of();
    }
    List<String> direct = direct(act);
    return direct.equals(told)
        ? List.of()
        : List.of(new Difference(at, act.way(), own.toString(), act, direct, told));
  }

  /** Whether the result code, which is the first element of the response, is success. */
  private static boolean isDone(List<String> told) {
    String response = told.get(told.size() - 1);
    int length = response.length() > 1 ? response.charAt(1) : 0;
    int start = length < 0x80 ? 2 : 2 + (length & 0x7f);
    return response.length() > start + 2
        && response.charAt(start) == 0x0a
        && response.charAt(start + 2) == 0;
  }

  private List<String> direct(ScriptStep act) {
    List<String> answer = world.direct().answer(act);
    if (act.vocabulary().delay() == Delay.CACHED) {
      cachedAnswers.computeIfAbsent(act.toString(), key -> new HashSet<>()).add(answer);
    }
    return answer;
  }

  private List<String> through(int way, ScriptStep act) {
    return world.ways().get(way).clients().answer(act);
  }
}
