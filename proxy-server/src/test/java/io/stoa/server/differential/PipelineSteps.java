// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import static io.stoa.server.differential.Directory.CROWD;
import static io.stoa.server.differential.Directory.PEOPLE;
import static io.stoa.server.differential.Directory.WORK;
import static io.stoa.server.differential.Directory.person;
import static io.stoa.testing.Requests.add;
import static io.stoa.testing.Requests.compare;
import static io.stoa.testing.Requests.delete;
import static io.stoa.testing.Requests.search;

import io.stoa.testing.RawRequest;

/** Requests that are sent before others are answered, and those that are abandoned. */
final class PipelineSteps {
  private static final int AT_ONCE = 12;

  private PipelineSteps() {}

  static void addTo(Script script) {
    script.group("many at once").on("alice");
    for (int i = 0; i < AT_ONCE; i++) {
      send(script, "search" + i, search(PEOPLE).filter("(uid=staff" + i + ")").request());
      send(script, "compare" + i, compare(person("staff" + i), "l", "City " + i));
      send(script, "again" + i, search(PEOPLE).filter("(uid=staff" + i + ")").request());
    }
    for (int i = 0; i < AT_ONCE; i++) {
      String number = Integer.toString(i);
      script.move(talk -> talk.finish("again" + number));
      script.move(talk -> talk.finish("search" + number));
      script.move(talk -> talk.finish("compare" + number));
    }
    abandoned(script.group("abandoned at once"));
    behindWrites(script.group("behind a write").on("manager"));
  }

  private static void send(Script script, String label, RawRequest request) {
    script.move(talk -> talk.send(label, request));
  }

  /** What an abandoned search has brought by then is not the same twice, and is not looked at. */
  private static void abandoned(Script script) {
    for (int i = 0; i < AT_ONCE; i++) {
      String label = "abandoned" + i;
      String filter = "(cn=crowd" + i + "*)";
      send(script, label, search(CROWD).filter(filter).request());
      script.move(talk -> talk.abandon(label));
      script.cached(search(PEOPLE).filter("(mail=staff" + i + "@*)").attributes("uid"));
      script.move(talk -> talk.drop(label));
      script.either(search(CROWD).filter(filter).attributes("cn").request());
    }
  }

  /** A read behind a write on the same connection sees it once that is answered. */
  private static void behindWrites(Script script) {
    for (int i = 0; i < 3; i++) {
      String name = "cn=behind" + i + "," + WORK;
      send(script, "add" + i, add(name, "objectClass: device", "cn: behind" + i));
      String add = "add" + i;
      script.move(talk -> talk.finish(add));
      script.cached(search(name).baseScope().attributes("cn"));
      send(script, "delete" + i, delete(name));
      String delete = "delete" + i;
      script.move(talk -> talk.finish(delete));
      script.missing(search(name).baseScope().attributes("cn"));
    }
  }
}
