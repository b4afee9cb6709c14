// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.admission;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Waiting items in the order of turns. Owners take turns, and so do the clients of each owner.
 *
 * <p>Threading: confined to the event loop or the lock of its user.
 *
 * @param <C> client of an owner
 * @param <T> item that waits
 */
public final class RoundRobinQueue<C, T> {
  private final Map<Object, Map<C, ArrayDeque<T>>> owners = new LinkedHashMap<>();
  private int clients;

  /** Adds an item behind those of the same client. */
  public void add(Object owner, C client, T item) {
    Map<C, ArrayDeque<T>> queues = owners.computeIfAbsent(owner, first -> new LinkedHashMap<>());
    int previous = queues.size();
    queues.computeIfAbsent(client, first -> new ArrayDeque<>(2)).add(item);
    clients += queues.size() - previous;
  }

  /** Removes and returns the next item of the matching clients; null if there is none. */
  public @Nullable T next(Predicate<C> eligible) {
    for (Object owner : owners.keySet()) {
      C client = first(owner, eligible);
      if (client != null) {
        return take(owner, client);
      }
    }
    return null;
  }

  /** Removes and returns the next item of one owner's matching clients; null if there is none. */
  @Nullable T next(Object owner, Predicate<C> eligible) {
    C client = first(owner, eligible);
    return client == null ? null : take(owner, client);
  }

  private @Nullable C first(Object owner, Predicate<C> eligible) {
    for (C client : queuesOf(owner).keySet()) {
      if (eligible.test(client)) {
        return client;
      }
    }
    return null;
  }

  private Map<C, ArrayDeque<T>> queuesOf(Object owner) {
    return owners.getOrDefault(owner, Map.of());
  }

  /**
   * Removes and returns a client's next item. Its owner and the client move to the end of the
   * turns.
   */
  private @Nullable T take(Object owner, C client) {
    Map<C, ArrayDeque<T>> queues = queuesOf(owner);
    owners.remove(owner);
    ArrayDeque<T> queue = queues.remove(client);
    T item = queue == null ? null : queue.poll();
    if (queue == null || queue.isEmpty()) {
      clients--;
    } else {
      queues.put(client, queue);
    }
    if (!queues.isEmpty()) {
      owners.put(owner, queues);
    }
    return item;
  }

  /** Removes the matching items of one client. Returns true if there were any. */
  boolean removeIf(Object owner, C client, Predicate<T> matching) {
    Map<C, ArrayDeque<T>> queues = queuesOf(owner);
    ArrayDeque<T> queue = queues.get(client);
    if (queue == null || !queue.removeIf(matching)) {
      return false;
    }
    if (queue.isEmpty()) {
      queues.remove(client);
      clients--;
    }
    if (queues.isEmpty()) {
      owners.remove(owner);
    }
    return true;
  }

  /** Removes the matching items of all clients. */
  void removeIf(Predicate<T> matching) {
    owners.values().removeIf(queues -> removeMatching(queues, matching));
    clients = owners.values().stream().mapToInt(Map::size).sum();
  }

  private static <C, T> boolean removeMatching(
      Map<C, ArrayDeque<T>> queues, Predicate<T> matching) {
    queues.values().forEach(queue -> queue.removeIf(matching));
    queues.values().removeIf(ArrayDeque::isEmpty);
    return queues.isEmpty();
  }

  /** Passes all waiting items. */
  void forEach(Consumer<T> consumer) {
    owners.values().forEach(queues -> queues.values().forEach(queue -> queue.forEach(consumer)));
  }

  /** Returns the clients that wait, in the order of turns. */
  Stream<C> sessions() {
    return owners.values().stream().map(Map::keySet).flatMap(Collection::stream);
  }

  /** Passes each owner with the number of its clients that wait. */
  void forEachOwner(ObjIntConsumer<Object> consumer) {
    owners.forEach((owner, queues) -> consumer.accept(owner, queues.size()));
  }

  /** Returns the number of one owner's clients that wait. */
  int clients(Object owner) {
    return queuesOf(owner).size();
  }

  /** Returns the number of clients that wait. */
  int clients() {
    return clients;
  }
}
