// SPDX-License-Identifier: Apache-2.0
package io.stoa.bench;

import io.netty.buffer.ByteBuf;
import io.stoa.cache.result.AlwaysAvailable;
import io.stoa.cache.result.CacheConfig;
import io.stoa.cache.result.CacheStage;
import io.stoa.cache.result.Caches;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.InternalSession;
import io.stoa.operation.InternalSink;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.replication.ReplicationConfig;
import io.stoa.replication.SessionGuarantees;
import io.stoa.testing.ManualLoop;
import io.stoa.testing.Records;
import io.stoa.testing.Responses;
import io.stoa.testing.SmallDirectory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The cache in front of a directory that answers at once: one entry for each person.
 *
 * <p>Time stands still except for {@link #expireAll}.
 *
 * <p>Threading: confined to one thread.
 */
final class CachedDirectory {
  private static final Duration MAX_AGE = Duration.ofMinutes(1);
  private static final int SUCCESS = 0;

  private final ManualLoop loop = new ManualLoop();
  private final ClientSession session =
      new InternalSession(
          loop.executor(),
          ClientIdentity.simple("cn=app,dc=x".getBytes(StandardCharsets.UTF_8), null));
  private final RequestDecoder decoder = new RequestDecoder(() -> DecodeLimits.DEFAULTS);
  private final List<ByteBuf> searches = new ArrayList<>();
  private final List<ByteBuf> entries = new ArrayList<>();
  private final ByteBuf done = Messages.received(Responses.searchDone(SUCCESS).encode(1));
  private final Caches caches;
  private final CacheStage stage;
  private int current;
  private long misses;

  /** Creates a directory of some people, with an empty cache. */
  CachedDirectory(int people) {
    loop.pass(MAX_AGE); // requests are received after the start of the caches
    caches =
        new Caches(
            Records.with(CacheConfig.DEFAULTS, "maxAge", MAX_AGE),
            () -> Duration.ofSeconds(1),
            new AlwaysAvailable(),
            Caches.ClockAndRandom.withClock(loop::now));
    caches.setProfile(SmallDirectory.PROFILE);
    SessionGuarantees guarantees =
        new SessionGuarantees(
            ReplicationConfig.DEFAULTS,
            () -> Duration.ofSeconds(1),
            () -> Duration.ofSeconds(1),
            () -> SmallDirectory.PROFILE,
            loop::now);
    stage = new CacheStage(caches, guarantees, this::answer);
    for (int person = 0; person < people; person++) {
      searches.add(Messages.received(Messages.search(person).encode(1)));
      entries.add(Messages.received(Messages.entry(person).encode(1)));
    }
  }

  /** Sends the search for the next person to the cache, and returns its operation. */
  Operation searchNext() {
    current = current + 1 == searches.size() ? 0 : current + 1;
    Operation operation =
        new Operation(
            session,
            Messages.message(searches.get(current)),
            decoder,
            loop.now(),
            InternalSink::new);
    stage.handle(operation);
    return operation;
  }

  /** Answers an operation as a directory server does. */
  private void answer(Operation operation) {
    misses++;
    operation.checkRequest();
    operation.countSending();
    operation.moveTo(OperationState.FORWARDED);
    operation.sink().respond(Messages.message(entries.get(current)));
    operation.sink().complete(Messages.message(done));
  }

  /** Lets time pass until no stored result may be served. */
  void expireAll() {
    loop.pass(MAX_AGE.plusSeconds(1));
  }

  /** Returns the number of searches that the directory has answered. */
  long misses() {
    return misses;
  }

  /** Returns the number of stored results. */
  long stored() {
    return caches.stats().filterCurrent();
  }

  /** Releases all octets. */
  void close() {
    searches.forEach(ByteBuf::release);
    entries.forEach(ByteBuf::release);
    done.release();
  }
}
