// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest;

import io.gatling.core.session.Session;
import io.stoa.ldap.protocol.BerWriter;
import io.stoa.loadtest.engine.Text;
import java.util.List;
import java.util.stream.Stream;

/** An attribute with its values. Threading: immutable. */
record Values(Text type, List<Text> texts) {
  static Values of(String type, String... texts) {
    return new Values(Text.el(type), Stream.of(texts).map(Text::el).toList());
  }

  void write(BerWriter out, Session session) {
    int attribute = out.begin(0x30);
    out.octets(0x04, type.octets(session));
    int set = out.begin(0x31);
    texts.forEach(text -> out.octets(0x04, text.octets(session)));
    out.end(set).end(attribute);
  }
}
