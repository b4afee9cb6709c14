// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import io.stoa.cli.client.Rates;
import io.stoa.cli.client.StoaException;
import io.stoa.cli.client.StoactlExitCode;
import io.stoa.cli.client.Watch;
import io.stoa.cli.output.Json;
import io.stoa.cli.output.Screen;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code stoactl top}. Threading: one instance for each run. */
@Command(
    name = "top",
    description =
        "Shows rates, hit ratios, latencies and servers: on a terminal as a screen "
            + "until q is pressed, otherwise as one line for each interval.")
final class TopCommand implements Callable<Integer> {
  private static final double MIN_SECONDS = 0.1;
  private static final double MAX_SECONDS = 3600;
  private static final double RETRY = 1;
  private static final double MILLIS = 1000;

  @ParentCommand
  @SuppressWarnings("NullAway.Init")
  private Stoactl stoactl;

  @Option(
      names = "--interval",
      paramLabel = "SECONDS",
      defaultValue = "2",
      description = "Interval between readings. Default: 2.")
  private double interval;

  @Option(
      names = "--count",
      paramLabel = "N",
      defaultValue = "0",
      description = "Number of intervals. Default: unlimited.")
  private long count;

  @Option(
      names = "--view",
      paramLabel = "VIEW",
      defaultValue = "overview",
      description = "View of the screen: overview, servers or clients. Default: overview.")
  private TopChoice.ScreenView view = TopChoice.ScreenView.OVERVIEW;

  @Option(
      names = "--sort",
      paramLabel = "KEY",
      defaultValue = "rate",
      description = "Order on the screen: rate, flight, time or name. Default: rate.")
  private TopChoice.Order sort = TopChoice.Order.RATE;

  /** Output of one interval. */
  @FunctionalInterface
  private interface Display {
    void show(TopView view) throws IOException;

    /** Called when Stoa cannot be read. */
    default void onLost(StoaException failure) throws StoaException, IOException {
      throw failure;
    }
  }

  /** A screen, which remains while Stoa cannot be reached. Threading: thread-safe. */
  private static final class OnScreen implements Display {
    private final Screen screen;
    private final Watch watch;
    private final TopChoice choice;
    private @Nullable TopView last;

    OnScreen(Screen screen, Watch watch, TopChoice choice) {
      this.screen = screen;
      this.watch = watch;
      this.choice = choice;
    }

    @Override
    public synchronized void show(TopView view) throws IOException {
      last = view;
      screen.draw(view.screen(watch.clients(), choice));
    }

    /** Draws the last reading again. Called on the thread that reads keys. */
    synchronized void redraw() {
      TopView shown = last;
      if (shown != null) {
        try {
          screen.draw(shown.screen(watch.clients(), choice));
        } catch (IOException ignored) {
          last = null; // the terminal has gone, which the next reading reports
        }
      }
    }

    @Override
    public synchronized void onLost(StoaException failure) throws StoaException, IOException {
      last = null;
      if (failure.code() != StoactlExitCode.UNREACHABLE
          && failure.code() != StoactlExitCode.REFUSED) {
        throw failure;
      }
      screen.draw(TopView.lost(failure.getMessage(), Instant.now()));
    }
  }

  @Override
  public Integer call() throws StoaException {
    if (!(interval >= MIN_SECONDS && interval <= MAX_SECONDS)) {
      throw stoactl.usageError(
          "--interval must be between " + MIN_SECONDS + " and " + (int) MAX_SECONDS);
    }
    if (count < 0) {
      throw stoactl.usageError("--count must not be negative");
    }
    try (Watch watch = stoactl.watch()) {
      watch(watch);
    }
    return StoactlExitCode.DONE.code();
  }

  private void watch(Watch watch) throws StoaException {
    if (stoactl.isJson() || !stoactl.environment().interactive()) {
      print(watch);
      return;
    }
    TopChoice choice = new TopChoice(view, sort);
    watch.setWithClients(view == TopChoice.ScreenView.CLIENTS);
    AtomicReference<@Nullable OnScreen> display = new AtomicReference<>();
    Screen taken;
    try {
      taken = // does not wait for an answer
          new Screen(watch::close, key -> onKey(key, choice, watch, display.get()));
    } catch (IOException ignored) {
      print(watch); // the terminal cannot show a screen
      return;
    }
    try (Screen screen = taken) {
      screen.draw(List.of("Reading, for " + interval + " s ... q quits"));
      OnScreen drawn = new OnScreen(screen, watch, choice);
      display.set(drawn);
      watch(watch, screen.end(), drawn);
    } catch (IOException e) {
      throw new StoaException(StoactlExitCode.REFUSED, "the terminal was closed");
    }
  }

  private static void onKey(int key, TopChoice choice, Watch watch, @Nullable OnScreen display) {
    if (choice.onKey(key)) {
      watch.setWithClients(choice.view() == TopChoice.ScreenView.CLIENTS);
      if (display != null) {
        display.redraw();
      }
    }
  }

  /** Prints a line for each interval. Ends when standard output is closed. */
  private void print(Watch watch) throws StoaException {
    PrintWriter out = stoactl.out();
    CountDownLatch end = new CountDownLatch(1);
    if (!stoactl.isJson()) {
      out.println(TopView.head());
    }
    try {
      watch(
          watch,
          end,
          view -> {
            out.println(stoactl.isJson() ? Json.of(view.json()) : view.line());
            if (out.checkError()) {
              end.countDown();
            }
          });
    } catch (IOException e) {
      throw new StoaException(StoactlExitCode.REFUSED, "cannot write to standard output");
    }
  }

  private void watch(Watch watch, CountDownLatch end, Display display)
      throws StoaException, IOException {
    read(watch, end, display);
    double pause = interval;
    for (long i = 0; (count == 0 || i < count) && !hasEnded(end, pause); i++) {
      pause = read(watch, end, display) ? interval : Math.max(interval, RETRY);
    }
  }

  /** Reads once. Returns false if Stoa cannot be read. */
  private static boolean read(Watch watch, CountDownLatch end, Display display)
      throws StoaException, IOException {
    try {
      Rates rates = watch.read();
      if (rates != null) {
        display.show(new TopView(rates, watch.endpoint(), Instant.now()));
      }
      return true;
    } catch (StoaException e) {
      Thread.interrupted(); // clears an interrupt from the end of the watch, as work remains
      if (end.getCount() > 0) {
        display.onLost(e);
      }
      return false;
    }
  }

  /** Waits for an interval. Returns true if the command is to end. */
  private static boolean hasEnded(CountDownLatch end, double pause) {
    try {
      return end.await((long) (pause * MILLIS), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }
}
