// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.activedirectory;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import io.stoa.operation.Operation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Completes one entry whose attributes came in ranges. Each such attribute is read again from its
 * beginning, all ranges from one server.
 *
 * <p>The ranges are one state of the entry under two conditions. The first range equals the one
 * received before, and {@code uSNChanged} is the same in all ranges.
 *
 * <p>Threading: event loop.
 */
final class RangeMerge {
  /**
   * Attribute with the number of the entry's last change on one server; not every directory has it.
   */
  private static final String SEQUENCE_NUMBER = "uSNChanged";

  private final RangeStage stage;
  private final RangeSink sink;
  private final Operation operation;
  private final SearchEntry entry;
  private final List<byte[]> whole = new ArrayList<>();
  private final List<byte[]> values = new ArrayList<>();
  private int index;
  private byte @Nullable [] sequenceNumber;
  private @Nullable Operation read;

  RangeMerge(RangeStage stage, RangeSink sink, Operation operation, SearchEntry entry) {
    this.stage = stage;
    this.sink = sink;
    this.operation = operation;
    this.entry = entry;
  }

  /** True if the entry has an attribute with further values. */
  static boolean isIncomplete(SearchEntry entry) {
    return entry.attributes().stream().anyMatch(attribute -> firstRange(attribute) != null);
  }

  private static @Nullable RangeDescription firstRange(AttributeOctets attribute) {
    RangeDescription range = RangeDescription.parse(attribute.type());
    return range != null && range.isFirstOfSeveral() ? range : null;
  }

  /** Continues with the next incomplete attribute; reports the entry when there is none. */
  void begin() {
    while (index < entry.attributes().size()) {
      AttributeOctets attribute = entry.attributes().get(index);
      RangeDescription range = firstRange(attribute);
      if (range != null) {
        values.clear();
        read(range, 0);
        return;
      }
      if (!isNamesake(attribute)) {
        whole.add(attribute.encoded());
      }
      index++;
    }
    sink.onMerged(SearchEntry.encode(entry.dn(), whole));
  }

  /** True for the empty attribute that Active Directory returns beside a range of it. */
  private boolean isNamesake(AttributeOctets attribute) {
    String name = RangeDescription.text(attribute.type());
    return entry.attributes().stream()
        .map(RangeMerge::firstRange)
        .anyMatch(range -> range != null && range.name().equalsIgnoreCase(name));
  }

  private void read(RangeDescription range, int from) {
    List<String> attributes = List.of(range.from(from), SEQUENCE_NUMBER);
    Operation next =
        stage.read(operation, entry.dn(), attributes, answer -> onRange(range, answer));
    read = next;
    stage.send(next);
  }

  void abandon() {
    Operation present = read;
    if (present != null) {
      present.abandon();
    }
  }

  private void onRange(RangeDescription range, byte @Nullable [] answer) {
    read = null;
    RangeDescription merged = null;
    try {
      merged = answer == null ? null : add(range, SearchEntry.parse(answer));
    } catch (LdapProtocolException e) {
      // treated like a missing response
    }
    if (merged == null) {
      sink.onMerged(null);
    } else if (merged.last() != RangeDescription.END) {
      read(range, merged.last() + 1);
    } else {
      byte[] type = RangeDescription.utf8(range.name());
      whole.add(SearchEntry.encodeAttribute(type, values));
      index++;
      begin();
    }
  }

  /** Adds the values of the next range; returns null if the range does not fit. */
  private @Nullable RangeDescription add(RangeDescription range, SearchEntry answer) {
    byte[] number = encoded(answer, SEQUENCE_NUMBER);
    for (AttributeOctets attribute : answer.attributes()) {
      RangeDescription next = RangeDescription.parse(attribute.type());
      boolean asked = next != null && next.name().equalsIgnoreCase(range.name());
      if (next != null && asked && fits(next, attribute, number)) {
        sequenceNumber = number;
        values.addAll(attribute.values());
        return next;
      }
    }
    return null;
  }

  private boolean fits(RangeDescription next, AttributeOctets attribute, byte @Nullable [] number) {
    byte[] before = entry.attributes().get(index).encoded();
    boolean same =
        values.isEmpty()
            ? Arrays.equals(attribute.encoded(), before)
            : Arrays.equals(number, sequenceNumber);
    return same
        && next.first() == values.size()
        && next.isCount(attribute.values().size())
        && sink.reserve(attribute.encoded().length);
  }

  private static byte @Nullable [] encoded(SearchEntry entry, String name) {
    return entry.attributes().stream()
        .filter(attribute -> name.equalsIgnoreCase(RangeDescription.text(attribute.type())))
        .map(AttributeOctets::encoded)
        .findFirst()
        .orElse(null);
  }
}
