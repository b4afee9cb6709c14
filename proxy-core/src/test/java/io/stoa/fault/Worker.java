// SPDX-License-Identifier: Apache-2.0
package io.stoa.fault;

import static io.stoa.testing.RawLdapClient.last;

import io.stoa.fault.FaultReport.End;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One person who reads, binds and writes, and knows what every answer must be. Nobody else writes
 * its entry, so that it knows what may stand there. A write is waited for by a thread of its own,
 * one at a time, so that it reads on while a directory does not answer it. Confined to a thread,
 * but for the writes.
 */
final class Worker implements AutoCloseable {
  private static final String ATTRIBUTE = "title";
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final int INVALID_CREDENTIALS = 49;
  private static final int BUSY = 51;
  private static final int UNAVAILABLE = 52;
  private static final int OTHER = 80;

  private final int person;
  private final int people;
  private final DirectServers witnesses;
  private final Random random;
  private final RawLdapClient reader;
  private final RawLdapClient binder;
  private final RawLdapClient writer;
  private final ExecutorService writing = Executors.newSingleThreadExecutor();

  /** What may stand in its entry. */
  private final AtomicReference<Set<String>> possible = new AtomicReference<>(Set.of("none"));

  private Future<?> write = CompletableFuture.completedFuture(null);
  private int written;

  Worker(int person, int people, DirectServers witnesses, RunningProxy proxy, long seed) {
    this.witnesses = witnesses;
    this.person = person;
    this.people = people;
    this.random = new Random(seed + person);
    this.reader = proxy.client().bind(People.dn(person), People.PASSWORD);
    this.binder = proxy.client();
    this.writer = proxy.client().bind(People.dn(person), People.PASSWORD).patience(PATIENCE);
  }

  /** Works until the day is over; each operation belongs to the shift in which it began. */
  void work(Supplier<FaultReport> clock) {
    for (FaultReport shift = clock.get(); shift != null; shift = clock.get()) {
      int kind = random.nextInt(100);
      try {
        act(kind, shift);
      } catch (AssertionError e) {
        shift.failed(person + ": " + e.getMessage());
        return;
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private void act(int kind, FaultReport shift) {
    if (kind < 5 && write.isDone()) {
      String value = person + "-" + ++written;
      write = writing.submit(() -> write(value, shift));
    } else if (kind < 25) {
      bind(shift, kind % 5 == 0);
    } else if (kind < 35) {
      list(shift);
    } else if (kind < 50) {
      readOwn(shift);
    } else {
      readOther(shift);
    }
  }

  private List<RawMessage> bind(RawRequest request, FaultReport shift) {
    long sent = System.nanoTime();
    List<RawMessage> answer = binder.call(request);
    shift.ended(End.BIND, "a bind", sent, System.nanoTime());
    return answer;
  }

  private List<RawMessage> read(RawRequest request, String what, FaultReport shift) {
    long sent = System.nanoTime();
    List<RawMessage> answer = reader.call(request);
    shift.ended(End.READ, what, sent, System.nanoTime());
    return answer;
  }

  private void bind(FaultReport shift, boolean wrongly) {
    int other = random.nextInt(people);
    String password = wrongly ? "wrong" : People.PASSWORD;
    RawMessage answer = last(bind(Requests.bind(People.dn(other), password), shift));
    int expected = wrongly ? INVALID_CREDENTIALS : 0;
    expect(answer.resultCode() == expected, shift, "a bind was answered " + answer);
  }

  private void readOther(FaultReport shift) {
    int other = random.nextInt(people);
    List<RawMessage> answer = read(People.find(other), "a search", shift);
    boolean right =
        answer.size() == 2
            && last(answer).resultCode() == 0
            && answer.get(0).mentions("user." + other + "@example.com");
    expect(right, shift, "the search for " + other + " was answered " + answer);
  }

  /** All whose number begins with 1: several entries, so that a server can die among them. */
  private void list(FaultReport shift) {
    RawRequest request =
        Requests.search(People.PEOPLE)
            .filter("(uid=user.1*)")
            .attributes("uid", "cn", "sn")
            .request();
    List<RawMessage> answer = read(request, "a list", shift);
    Set<String> found =
        answer.stream()
            .limit(answer.size() - 1)
            .map(entry -> entry.decoded().getSearchResultEntryProtocolOp().getDN())
            .collect(Collectors.toSet());
    Set<String> meant =
        IntStream.range(0, people)
            .filter(number -> String.valueOf(number).startsWith("1"))
            .mapToObj(People::dn)
            .collect(Collectors.toSet());
    boolean right =
        last(answer).resultCode() == 0 && found.equals(meant) && answer.size() == meant.size() + 1;
    expect(right, shift, "a list was answered " + answer);
  }

  private RawRequest ownEntry() {
    return Requests.search(People.dn(person)).baseScope().attributes(ATTRIBUTE).request();
  }

  private void readOwn(FaultReport shift) {
    Set<String> allowed = new LinkedHashSet<>(possible.get());
    List<InetSocketAddress> present = witnesses.present();
    List<RawMessage> answer = read(ownEntry(), "its own entry", shift);
    boolean found = answer.size() == 2 && last(answer).resultCode() == 0;
    expect(found, shift, "the own entry was answered " + answer);
    if (found) {
      String value = value(answer.get(0));
      allowed.addAll(possible.get()); // what was written in the meantime
      judge(value, allowed, present, shift);
    }
  }

  /**
   * Less than was acknowledged may be shown if nobody has more who lived when Stoa was asked, as
   * far as Stoa could know.
   */
  private void judge(
      String value, Set<String> allowed, List<InetSocketAddress> present, FaultReport shift) {
    boolean right = allowed.contains(value);
    if (!right
        && !DirectServers.anyShows(present, ownEntry(), entry -> allowed.contains(value(entry)))) {
      shift.ended(End.UNREADABLE);
    } else {
      expect(right, shift, "read " + value + " where may be " + allowed);
    }
  }

  private static String value(RawMessage entry) {
    return entry.decoded().getSearchResultEntryProtocolOp().getAttributes().stream()
        .filter(attribute -> attribute.getName().equalsIgnoreCase(ATTRIBUTE))
        .map(attribute -> attribute.getValue())
        .findFirst()
        .orElse("none");
  }

  private void write(String value, FaultReport shift) {
    Set<String> before = possible.get();
    Set<String> either = new LinkedHashSet<>(before);
    either.add(value);
    possible.set(either);
    RawMessage answer = last(writer.call(Requests.replace(People.dn(person), ATTRIBUTE, value)));
    switch (answer.resultCode()) {
      case 0 -> {
        possible.set(Set.of(value));
        shift.ended(End.WRITTEN);
      }
      case OTHER -> {
        expect(answer.mentions("outcome unknown"), shift, "a write was answered " + answer);
        shift.ended(End.OUTCOME_UNKNOWN);
      }
      case BUSY, UNAVAILABLE -> {
        possible.set(before);
        shift.ended(End.NOT_WRITTEN);
      }
      default -> shift.failed("a write was answered " + answer);
    }
  }

  private void expect(boolean condition, FaultReport shift, String otherwise) {
    if (!condition) {
      shift.failed(person + ": " + otherwise);
    }
  }

  /** What stands in its entry at last, read from a directory itself; fails if it may not. */
  String end(RawLdapClient directory) {
    String value = value(directory.call(ownEntry()).get(0));
    if (!possible.get().contains(value)) {
      throw new AssertionError(person + " has " + value + ", may have " + possible);
    }
    return value;
  }

  /** Waits until its last write is answered. */
  void rest() {
    try {
      write.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new AssertionError("a write was not answered", e);
    }
  }

  @Override
  public void close() {
    writing.shutdownNow();
    writer.close();
    reader.close();
    binder.close();
  }
}
