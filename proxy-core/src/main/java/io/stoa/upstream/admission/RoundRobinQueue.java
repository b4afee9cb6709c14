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
    Map<C, ArrayDeque<T>> own = owners.computeIfAbsent(owner, first -> new LinkedHashMap<>());
    int before = own.size();
    own.computeIfAbsent(client, first -> new ArrayDeque<>(2)).add(item);
    clients += own.size() - before;
  }

  /** Removes and returns the next item of the matching clients; null if there is none. */
  public @Nullable T next(Predicate<C> whose) {
    for (Object owner : owners.keySet()) {
      C client = first(owner, whose);
      if (client != null) {
        return take(owner, client);
      }
    }
    return null;
  }

  /** Removes and returns the next item of one owner's matching clients; null if there is none. */
  @Nullable T next(Object owner, Predicate<C> whose) {
    C client = first(owner, whose);
    return client == null ? null : take(owner, client);
  }

  private @Nullable C first(Object owner, Predicate<C> whose) {
    for (C client : owned(owner).keySet()) {
      if (whose.test(client)) {
        return client;
      }
    }
    return null;
  }

  private Map<C, ArrayDeque<T>> owned(Object owner) {
    return owners.getOrDefault(owner, Map.of());
  }

  /**
   * Removes and returns a client's next item. Its owner and the client move to the end of the
   * turns.
   */
  private @Nullable T take(Object owner, C client) {
    Map<C, ArrayDeque<T>> own = owned(owner);
    owners.remove(owner);
    ArrayDeque<T> turn = own.remove(client);
    T item = turn == null ? null : turn.poll();
    if (turn == null || turn.isEmpty()) {
      clients--;
    } else {
      own.put(client, turn);
    }
    if (!own.isEmpty()) {
      owners.put(owner, own);
    }
    return item;
  }

  /** Removes the matching items of one client. Returns true if there were any. */
  boolean removeIf(Object owner, C client, Predicate<T> which) {
    Map<C, ArrayDeque<T>> own = owned(owner);
    ArrayDeque<T> turn = own.get(client);
    if (turn == null || !turn.removeIf(which)) {
      return false;
    }
    if (turn.isEmpty()) {
      own.remove(client);
      clients--;
    }
    if (own.isEmpty()) {
      owners.remove(owner);
    }
    return true;
  }

  /** Removes the matching items of all clients. */
  void removeIf(Predicate<T> which) {
    owners.values().removeIf(own -> without(own, which));
    clients = owners.values().stream().mapToInt(Map::size).sum();
  }

  private static <C, T> boolean without(Map<C, ArrayDeque<T>> own, Predicate<T> which) {
    own.values().forEach(turn -> turn.removeIf(which));
    own.values().removeIf(ArrayDeque::isEmpty);
    return own.isEmpty();
  }

  /** Passes all waiting items. */
  void each(Consumer<T> consumer) {
    owners.values().forEach(own -> own.values().forEach(turn -> turn.forEach(consumer)));
  }

  /** Returns the clients that wait, in the order of turns. */
  Stream<C> sessions() {
    return owners.values().stream().map(Map::keySet).flatMap(Collection::stream);
  }

  /** Passes each owner with the number of its clients that wait. */
  void owners(ObjIntConsumer<Object> each) {
    owners.forEach((owner, own) -> each.accept(owner, own.size()));
  }

  /** Returns the number of one owner's clients that wait. */
  int clients(Object owner) {
    return owned(owner).size();
  }

  /** Returns the number of clients that wait. */
  int clients() {
    return clients;
  }
}
