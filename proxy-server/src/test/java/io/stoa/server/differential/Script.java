// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import io.stoa.server.differential.Step.Expectation;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.SearchBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** The requests of the differential test in their order. Not thread-safe. */
final class Script {
  private final List<Step> steps = new ArrayList<>();
  private String connection = "anonymous";
  private String group = "";

  /** The steps that follow belong to this group: it names them in reports. */
  Script group(String name) {
    group = name;
    return this;
  }

  /** The steps that follow go over the connection of this name, opened when first used. */
  Script on(String name) {
    connection = name;
    return this;
  }

  Script cached(SearchBuilder search) {
    return cached(search.request());
  }

  Script cached(RawRequest request) {
    return add(Expectation.CACHED, false, request);
  }

  Script uncached(SearchBuilder search) {
    return uncached(search.request());
  }

  Script uncached(RawRequest request) {
    return add(Expectation.UNCACHED, false, request);
  }

  Script either(RawRequest request) {
    return add(Expectation.EITHER, false, request);
  }

  Script once(RawRequest request) {
    return add(Expectation.ONCE, false, request);
  }

  /** A request made of the answer that this side gave to the step before. */
  Script follow(Function<List<RawMessage>, RawRequest> request) {
    return add(new Step(connection, nextName(), Expectation.ONCE, false, request));
  }

  /** A read that the directory refuses with an error that is not kept. */
  Script refusedRead(RawRequest request) {
    return add(Expectation.UNCACHED, true, request);
  }

  /** A read of an entry that does not exist: an answer like any other. */
  Script missing(SearchBuilder search) {
    return add(Expectation.CACHED, true, search.request());
  }

  /** Anything else that the directory refuses. */
  Script refused(RawRequest request) {
    return add(Expectation.ONCE, true, request);
  }

  /** A read that is refused and that Stoa may keep or not. */
  Script refusedEither(RawRequest request) {
    return add(Expectation.EITHER, true, request);
  }

  private Script add(Expectation expectation, boolean refused, RawRequest request) {
    return add(new Step(connection, nextName(), expectation, refused, previous -> request));
  }

  private Script add(Step step) {
    steps.add(step);
    return this;
  }

  private String nextName() {
    return "step " + (steps.size() + 1) + " (" + group + ")";
  }

  List<Step> steps() {
    return List.copyOf(steps);
  }
}
