// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

/** What a {@link ScriptedUpstream} does with a request; {@link Answers} has the usual ones. */
@FunctionalInterface
public interface Answer {
  void to(Received request, UpstreamLink link);

  /** This answer, and then another one to the same request. */
  default Answer then(Answer next) {
    return (request, link) -> {
      to(request, link);
      next.to(request, link);
    };
  }
}
