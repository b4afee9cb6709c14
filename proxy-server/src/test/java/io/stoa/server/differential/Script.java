// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.differential;

import io.stoa.server.differential.Step.Expectation;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.SearchBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** What is done on both sides, in its order. Not thread-safe. */
public final class Script {
  private final List<Step> steps = new ArrayList<>();
  private String connection = "anonymous";
  private String group = "";
  private String documented = "";
  private boolean otherwise;

  /** The steps that follow belong to this group: it names them in reports. */
  public Script group(String name) {
    group = name;
    return this;
  }

  /** The steps that follow go over the connection of this name, opened when first used. */
  public Script on(String name) {
    connection = name;
    return this;
  }

  /**
   * The content of answers to the steps that follow may differ, as is documented under this name,
   * but neither their number nor the result; empty: nothing may.
   */
  public Script documented(String name) {
    documented = name;
    otherwise = false;
    return this;
  }

  /** The steps that follow may be answered otherwise altogether, as is documented. */
  public Script otherwise(String name) {
    documented = name;
    otherwise = true;
    return this;
  }

  public Script cached(SearchBuilder search) {
    return cached(search.request());
  }

  public Script cached(RawRequest request) {
    return add(Expectation.CACHED, false, request);
  }

  public Script uncached(SearchBuilder search) {
    return uncached(search.request());
  }

  public Script uncached(RawRequest request) {
    return add(Expectation.UNCACHED, false, request);
  }

  public Script either(RawRequest request) {
    return add(Expectation.EITHER, false, request);
  }

  public Script once(RawRequest request) {
    return add(Expectation.ONCE, false, request);
  }

  /** A request made of the answer that this side gave to the step before. */
  public Script follow(Function<List<RawMessage>, RawRequest> request) {
    return move(StepAction.following(request));
  }

  /** Anything that is more than one request and its answer. */
  public Script move(StepAction move) {
    return add(Expectation.ONCE, false, move);
  }

  /** A read that the directory refuses with an error that is not kept. */
  public Script refusedRead(RawRequest request) {
    return add(Expectation.UNCACHED, true, request);
  }

  /** A read of an entry that does not exist: an answer like any other. */
  public Script missing(SearchBuilder search) {
    return add(Expectation.CACHED, true, search.request());
  }

  /** Anything else that the directory refuses. */
  public Script refused(RawRequest request) {
    return add(Expectation.ONCE, true, request);
  }

  /** A read that is refused and that Stoa may keep or not. */
  public Script refusedEither(RawRequest request) {
    return add(Expectation.EITHER, true, request);
  }

  private Script add(Expectation expectation, boolean refused, RawRequest request) {
    return add(expectation, refused, StepAction.of(request));
  }

  private Script add(Expectation expectation, boolean refused, StepAction move) {
    steps.add(new Step(connection, nextName(), expectation, refused, documented, otherwise, move));
    return this;
  }

  private String nextName() {
    return "step " + (steps.size() + 1) + " (" + group + ")";
  }

  List<Step> steps() {
    return List.copyOf(steps);
  }
}
