// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Damages BER as a tree, so that its lengths stay right and the damage reaches the deeper parts of
 * a reader. Not thread-safe.
 */
final class Mutations {
  private static final int CONSTRUCTED = 0x20;
  private static final int[] TAGS = {
    0x01, 0x02, 0x04, 0x05, 0x0A, 0x10, 0x11, 0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x87, 0x89, 0x8A
  };

  private final Random random;

  Mutations(Random random) {
    this.random = random;
  }

  /** An element; either its content or its members are null. */
  private static final class Element {
    int tag;
    byte[] content;
    List<Element> members;
  }

  /** Well-formed elements, one to three times damaged. */
  byte[] of(byte[] elements) {
    List<Element> tree = read(elements, 0, elements.length);
    for (int times = 1 + random.nextInt(3); times > 0; times--) {
      damage(tree);
    }
    BerWriter out = new BerWriter();
    write(tree, out);
    return out.toByteArray();
  }

  private void damage(List<Element> tree) {
    List<List<Element>> lists = new ArrayList<>();
    List<Element> all = new ArrayList<>();
    collect(tree, lists, all);
    List<Element> list = lists.get(random.nextInt(lists.size()));
    Element element = all.get(random.nextInt(all.size()));
    switch (random.nextInt(7)) {
      case 0 -> list.add(random.nextInt(list.size() + 1), fresh());
      case 1 -> doubleOne(list);
      case 2 -> element.tag = TAGS[random.nextInt(TAGS.length)] | (element.tag & CONSTRUCTED);
      case 3 -> element.content = element.members == null ? octets(6) : null;
      case 4 -> Collections.shuffle(list, random);
      default -> removeOne(list, tree);
    }
  }

  private void doubleOne(List<Element> list) {
    if (!list.isEmpty()) {
      list.add(random.nextInt(list.size() + 1), list.get(random.nextInt(list.size())));
    }
  }

  private void removeOne(List<Element> list, List<Element> tree) {
    if (!list.isEmpty() && (list != tree || list.size() > 1)) {
      list.remove(random.nextInt(list.size()));
    }
  }

  private Element fresh() {
    Element element = new Element();
    element.tag = TAGS[random.nextInt(TAGS.length)];
    element.content = octets(4);
    return element;
  }

  private byte[] octets(int bound) {
    byte[] octets = new byte[random.nextInt(bound)];
    random.nextBytes(octets);
    return octets;
  }

  private static void collect(List<Element> list, List<List<Element>> lists, List<Element> all) {
    lists.add(list);
    for (Element element : list) {
      all.add(element);
      if (element.members != null) {
        collect(element.members, lists, all);
      }
    }
  }

  private static List<Element> read(byte[] in, int from, int to) {
    List<Element> list = new ArrayList<>();
    for (int index = from; index < to; ) {
      Element element = new Element();
      element.tag = in[index] & 0xFF;
      int first = in[index + 1] & 0xFF;
      int count = first < 0x80 ? 0 : first & 0x7F;
      int length = count == 0 ? first : 0;
      for (int octet = 0; octet < count; octet++) {
        length = length << 8 | (in[index + 2 + octet] & 0xFF);
      }
      int content = index + 2 + count;
      index = content + length;
      if ((element.tag & CONSTRUCTED) == 0) {
        element.content = Arrays.copyOfRange(in, content, index);
      } else {
        element.members = read(in, content, index);
      }
      list.add(element);
    }
    return list;
  }

  private static void write(List<Element> list, BerWriter out) {
    for (Element element : list) {
      int begun = out.begin(element.tag);
      if (element.members != null) {
        write(element.members, out);
      } else {
        out.raw(element.content);
      }
      out.end(begun);
    }
  }
}
