// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import io.stoa.feed.event.Change;
import io.stoa.feed.event.FeedGap;
import io.stoa.feed.event.FeedSink;
import io.stoa.ldap.csn.Position;

/** Hears nothing of what a feed says, but for what a test has it hear. Stateless. */
public class DeafSink implements FeedSink {
  @Override
  public void change(Change change) {}

  @Override
  public void covered(Position position) {}

  @Override
  public void gap(FeedGap why) {}

  @Override
  public void live(Position position) {}

  @Override
  public void lost(String why) {}
}
