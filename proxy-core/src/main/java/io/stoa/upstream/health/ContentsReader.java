// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.health;

import io.stoa.operation.InternalSearch.Found;
import io.stoa.operation.InternalSearch.SearchParameters;
import io.stoa.upstream.connection.ProbeLink;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the contents of a server on the health-check connection: the root DSE, then the top entry
 * of each naming context in turn. A reading that misses a response is discarded, since partial
 * contents could hide a difference.
 *
 * <p>Threading: event loop.
 */
final class ContentsReader {
  /** Maximum number of naming contexts compared: 32. A server can name any number. */
  private static final int MAX_CONTEXTS = 32;

  private static final List<String> ROOT = List.of("namingContexts");

  private final ProbeLink link;
  private boolean reading;

  ContentsReader(ProbeLink link) {
    this.link = link;
  }

  /**
   * Reads the contents, unless a reading is in progress.
   *
   * @param outcome receives the contents; null if the server did not respond
   */
  void read(Consumer<@Nullable Contents> outcome) {
    if (!reading) {
      reading = true;
      link.search(SearchParameters.entry(new byte[0], ROOT), root -> onRootDse(root, outcome));
    }
  }

  private void end(@Nullable Contents contents, Consumer<@Nullable Contents> outcome) {
    reading = false;
    outcome.accept(contents);
  }

  private void onRootDse(Found root, Consumer<@Nullable Contents> outcome) {
    if (root.code() < 0) {
      end(null, outcome);
      return;
    }
    List<Map.Entry<String, byte[]>> contexts =
        Contents.contexts(root.read()).entrySet().stream().limit(MAX_CONTEXTS).toList();
    readNext(contexts.iterator(), new HashMap<>(), outcome);
  }

  private void readNext(
      Iterator<Map.Entry<String, byte[]>> contexts,
      Map<String, Contents.Top> read,
      Consumer<@Nullable Contents> outcome) {
    if (!contexts.hasNext()) {
      end(new Contents(read), outcome);
      return;
    }
    Map.Entry<String, byte[]> context = contexts.next();
    List<String> attributes = new ArrayList<>(Contents.IDENTIFIERS);
    attributes.add("objectClass");
    link.search(
        SearchParameters.entry(context.getValue(), attributes),
        top -> {
          if (top.code() < 0) {
            end(null, outcome);
          } else {
            read.put(context.getKey(), Contents.Top.of(top));
            readNext(contexts, read, outcome);
          }
        });
  }
}
