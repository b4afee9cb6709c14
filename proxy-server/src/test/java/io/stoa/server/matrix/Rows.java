// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.matrix;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** All rows of the matrix, in the order of the document. */
final class Rows {
  static final List<Row> ALL =
      Stream.of(
              MessageRows.rows(),
              ExtensibilityRows.rows(),
              BindRows.rows(),
              SecurityRows.rows(),
              SearchRows.rows(),
              WriteRows.rows(),
              ControlRows.rows(),
              StatefulRows.rows(),
              ActiveDirectoryRows.rows(),
              DiscoveryRows.rows())
          .flatMap(Function.identity())
          .toList();

  private Rows() {}
}
