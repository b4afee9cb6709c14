// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.testing.Await;
import io.stoa.testing.FreePort;
import io.stoa.testing.Leftovers;
import io.stoa.testing.Repository;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.remote.RemoteWebDriver;

/** A headless Chromium with one window. Not thread-safe. */
final class Browser implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int HEIGHT = 900;

  private final Path directory = Leftovers.directory("browser");
  private final Process driverProcess;
  private final RemoteWebDriver driver;

  private Browser(int width, boolean dark) throws IOException {
    int port = FreePort.next();
    ProcessBuilder builder =
        new ProcessBuilder("chromedriver", "--port=" + port, "--allowed-ips=127.0.0.1")
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log").toFile());
    builder.environment().put("HOME", directory.toString());
    builder.environment().put("TMPDIR", directory.toString());
    driverProcess = Leftovers.start(builder);
    URI address = URI.create("http://127.0.0.1:" + port);
    try {
      Await.until("chromedriver answers", PATIENCE, () -> answers(address));
      driver = new RemoteWebDriver(address.toURL(), options(width, dark));
    } catch (RuntimeException | AssertionError e) {
      end();
      throw e;
    }
  }

  /** Opens a window of this width in pixels, with a dark or a light scheme of colours. */
  static Browser open(int width, boolean dark) {
    try {
      return new Browser(width, dark);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean answers(URI address) throws InterruptedException {
    if (!driverProcess.isAlive()) {
      throw new AssertionError("chromedriver ended: see " + directory);
    }
    try {
      HttpRequest request = HttpRequest.newBuilder(address.resolve("/status")).build();
      return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).statusCode() == 200;
    } catch (IOException notYet) {
      return false;
    }
  }

  private ChromeOptions options(int width, boolean dark) {
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable("browser", Level.ALL);
    ChromeOptions options =
        new ChromeOptions()
            .addArguments(
                "--headless=new",
                "--no-sandbox", // the tests may run as root
                "--disable-gpu",
                "--force-prefers-reduced-motion", // no click meets an element that scrolls
                "--disable-dev-shm-usage",
                "--user-data-dir=" + directory.resolve("profile"),
                "--blink-settings=preferredColorScheme=" + (dark ? 0 : 1));
    options.setAcceptInsecureCerts(true);
    options.setCapability("goog:loggingPrefs", logs);
    options.setExperimentalOption(
        "mobileEmulation",
        Map.of(
            "deviceMetrics",
            Map.of("width", width, "height", HEIGHT, "pixelRatio", 1.0, "mobile", false)));
    return options;
  }

  void show(String url) {
    driver.get(url);
  }

  WebElement find(String css) {
    return driver.findElement(By.cssSelector(css));
  }

  List<WebElement> findAll(String css) {
    return driver.findElements(By.cssSelector(css));
  }

  /** The text of an element as its user sees it, with blanks between the cells of a table. */
  String text(String css) {
    String script = "return document.querySelector(arguments[0]).innerText.replaceAll('\\t', ' ')";
    return (String) Objects.requireNonNull(run(script, css));
  }

  /** The texts of all elements. */
  List<String> texts(String css) {
    String script = "return [...document.querySelectorAll(arguments[0])].map(one => one.innerText)";
    return ((List<?>) Objects.requireNonNull(run(script, css)))
        .stream().map(String::valueOf).toList();
  }

  /** Waits until the page itself says that this script's expression is true. */
  void await(String description, String expression) {
    try {
      Await.until(
          description,
          PATIENCE,
          () -> Boolean.TRUE.equals(run("return Boolean(" + expression + ")")));
    } catch (AssertionError e) {
      throw new AssertionError(
          e.getMessage() + "; complaints " + complaints() + "; the page is: " + text("body"), e);
    }
  }

  /** Waits until an element is visible and shows a text. */
  void awaitText(String css, String text) {
    await(
        css + " shows " + text,
        "(one => one?.checkVisibility() && one.innerText.includes('%s'))(document.querySelector('%s'))"
            .formatted(text, css));
  }

  Object run(String script, Object... arguments) {
    return driver.executeScript(script, arguments);
  }

  void press(Keys... keys) {
    new Actions(driver).sendKeys(keys).perform();
  }

  /** The element that has the focus. */
  WebElement focused() {
    return driver.switchTo().activeElement();
  }

  void reload() {
    driver.navigate().refresh();
  }

  /** Returns the warnings and errors of the browser since the last call. */
  List<String> complaints() {
    return driver.manage().logs().get("browser").getAll().stream()
        .filter(entry -> entry.getLevel().intValue() >= Level.WARNING.intValue())
        .map(LogEntry::getMessage)
        .toList();
  }

  /** The violations that axe-core finds on the page as it is, with the elements. */
  List<?> violations() {
    run(axe());
    return (List<?>)
        Objects.requireNonNull(
            driver.executeAsyncScript(
                """
                const done = arguments[arguments.length - 1];
                axe.run(document, {resultTypes: ['violations', 'incomplete']}).then(result => done(
                  result.violations.flatMap(one => one.nodes.map(node => one.id + ': ' + node.html + ' ' + node.failureSummary))),
                  problem => done(['axe failed: ' + problem]));
                """));
  }

  private static String axe() {
    try (InputStream script =
        Objects.requireNonNull(Browser.class.getResourceAsStream("/axe.min.js"))) {
      return new String(script.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Keeps a picture of the page in the build directory. */
  void takePicture(String name) {
    try {
      Path pictures = Repository.root().resolve("proxy-server/target/page");
      Files.createDirectories(pictures);
      Files.write(pictures.resolve(name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      driver.quit();
    } finally {
      end();
    }
  }

  private void end() {
    driverProcess.descendants().forEach(ProcessHandle::destroyForcibly);
    driverProcess.destroyForcibly();
    driverProcess.onExit().join();
    Leftovers.delete(directory);
  }
}
