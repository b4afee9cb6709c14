// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

/**
 * View and order of the screen of {@code top}, as options and keys choose them. Threading:
 * thread-safe.
 */
final class TopChoice {
  /** Keys of the screen, for its last line. */
  static final String KEYS =
      "q quits  o overview  s servers  c clients  by: r rate f in flight t time n name";

  private volatile ScreenView view;
  private volatile Order order;

  TopChoice(ScreenView view, Order order) {
    this.view = view;
    this.order = order;
  }

  /** Views of the screen. */
  enum ScreenView {
    OVERVIEW,
    SERVERS,
    CLIENTS
  }

  /** Orders of operations, servers and clients. */
  enum Order {
    RATE,
    FLIGHT,
    TIME,
    NAME
  }

  ScreenView view() {
    return view;
  }

  Order order() {
    return order;
  }

  /** Takes a key. Returns true if it changes the screen. */
  boolean onKey(int key) {
    ScreenView oldView = view;
    Order oldOrder = order;
    switch (Character.toLowerCase(key)) {
      case 'o' -> view = ScreenView.OVERVIEW;
      case 's' -> view = ScreenView.SERVERS;
      case 'c' -> view = ScreenView.CLIENTS;
      case 'r' -> order = Order.RATE;
      case 'f' -> order = Order.FLIGHT;
      case 't' -> order = Order.TIME;
      case 'n' -> order = Order.NAME;
      default -> {
        return false;
      }
    }
    return oldView != view || oldOrder != order;
  }
}
