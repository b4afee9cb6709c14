// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import io.stoa.fuzz.Stoas.Kind;
import java.util.List;
import java.util.stream.Stream;

/** The kinds of directories that are fuzzed. Stateless. */
final class SetUps {
  private static final List<Kind> ALL = List.of(Kind.PLAIN, Kind.FED, Kind.SHARED, Kind.PROXIED);

  /** Without proxied authorization, which a server behind does not know. */
  private static final List<Kind> DIRECT =
      List.of(Kind.PLAIN, Kind.FED, Kind.SHARED, Kind.WINDOWED);

  /** With the accesslog as the feed. */
  private static final List<Kind> LOGGED = List.of(Kind.LOGGED, Kind.WINDOWED);

  /** Without a feed and without proxied authorization, which the server does not know. */
  private static final List<Kind> AGED = List.of(Kind.PLAIN, Kind.CLASS, Kind.WINDOWED);

  private SetUps() {}

  /** The set-ups that every build fuzzes. */
  static Stream<SetUp> quick() {
    return Stream.of(
        new SlapdSetUp("overlays", Overlays.plain(), ALL),
        new SlapdSetUp("computing", Overlays.computing(), ALL),
        new ProxiedSlapdSetUp(DIRECT));
  }

  static Stream<SetUp> all() {
    return Stream.concat(
        quick(),
        Stream.of(
            new SlapdSetUp("logged", List.of(Overlays.logged()), LOGGED),
            new Ds389SetUp(ALL),
            new SambaSetUp(AGED)));
  }

  /** A database without overlays, and one of each with a name that begins so. */
  static SetUp forDefect(String overlay, Kind kind) {
    List<Overlay> some =
        Overlays.computing().stream().filter(it -> it.name().startsWith(overlay)).toList();
    return new SlapdSetUp("planted", some, List.of(kind));
  }
}
