// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import io.stoa.ldap.schema.KeyWriter;
import io.stoa.ldap.schema.ValueFolding.ValueRule;
import java.util.ArrayList;
import java.util.List;

/**
 * The places of values in a key that is written without them, in the order of the key.
 *
 * <p>Threading: confined to one thread.
 */
final class ValueSlots {
  /** Stands for keys that are written with their values. */
  static final ValueSlots NONE = new ValueSlots(new Counter());

  private final List<Slot> slots = new ArrayList<>();
  private final Counter counter;

  ValueSlots() {
    this(new Counter());
  }

  private ValueSlots(Counter counter) {
    this.counter = counter;
  }

  /** State that the slots of all members share. Threading: confined to one thread. */
  private static final class Counter {
    private int next;
    private boolean ambiguous;
  }

  /**
   * The place of a value.
   *
   * @param index index of the value in the request
   * @param rule folding of the value in keys
   */
  record Slot(int index, ValueRule rule) {}

  /**
   * Returns the slots of a member of the same filter. Must be filled in the order of the request.
   */
  ValueSlots ofMember() {
    return this == NONE ? NONE : new ValueSlots(counter);
  }

  /** Adds the next value of the request, and marks its place in the key. */
  void add(ValueRule rule, KeyWriter key) {
    key.octet(0x80).octet(0); // no length is written so, since this 0 has a superfluous digit
    slots.add(new Slot(counter.next++, rule));
  }

  /** Adds the slots of a member whose key follows. */
  void addAll(ValueSlots member) {
    if (this != NONE) {
      slots.addAll(member.slots);
    }
  }

  /** Notes that the order of the values in the key depends on the values. */
  void markAmbiguous() {
    counter.ambiguous = true;
  }

  boolean isAmbiguous() {
    return counter.ambiguous;
  }

  boolean isEmpty() {
    return slots.isEmpty();
  }

  List<Slot> inOrder() {
    return List.copyOf(slots);
  }
}
