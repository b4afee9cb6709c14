// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import io.stoa.feed.event.Change;
import io.stoa.feed.event.FeedGap;
import io.stoa.feed.event.FeedSink;
import io.stoa.ldap.csn.Position;

/** Hears nothing of what a feed says, but for what a test has it hear. Stateless. */
public class DeafSink implements FeedSink {
  @Override
  public void onChange(Change change) {}

  @Override
  public void onCovered(Position position) {}

  @Override
  public void onGap(FeedGap why) {}

  @Override
  public void onLive(Position position) {}

  @Override
  public void onLost(String why) {}
}
