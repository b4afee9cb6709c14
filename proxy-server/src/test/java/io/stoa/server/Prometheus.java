// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.util.json.JSONException;
import com.unboundid.util.json.JSONObject;
import com.unboundid.util.json.JSONString;
import com.unboundid.util.json.JSONValue;
import io.stoa.testing.Await;
import io.stoa.testing.FreePort;
import io.stoa.testing.Leftovers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A real Prometheus with the alert rules of contrib, which scrapes one Stoa each half second. Its
 * data is removed at close. Not thread-safe.
 */
final class Prometheus implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final String CONFIG =
      """
      global: {scrape_interval: 500ms, evaluation_interval: 500ms}
      rule_files: ['%s']
      scrape_configs:
        - job_name: stoa
          static_configs:
            - targets: ['127.0.0.1:%d']
      """;

  private final Path directory = Leftovers.directory("prometheus");
  private final int port = FreePort.next();
  private final HttpClient http = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
  private final Process process;

  private Prometheus(int target) throws IOException {
    Path rules = PrometheusFiles.directory().resolve(PrometheusFiles.RULES);
    Path config =
        Files.writeString(directory.resolve("prometheus.yml"), CONFIG.formatted(rules, target));
    process =
        Leftovers.start(
            new ProcessBuilder(
                    "prometheus",
                    "--config.file=" + config,
                    "--storage.tsdb.path=" + directory.resolve("data"),
                    "--web.listen-address=127.0.0.1:" + port)
                .redirectErrorStream(true)
                .redirectOutput(log().toFile()));
  }

  /** Starts one that scrapes this port, and waits until it has done so some times. */
  static Prometheus scraping(int target) {
    try {
      Prometheus prometheus = new Prometheus(target);
      Await.until(
          "Prometheus has scraped Stoa: " + prometheus.log(),
          Duration.ofMinutes(2),
          prometheus::hasScraped);
      return prometheus;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path log() {
    return directory.resolve("log");
  }

  private boolean hasScraped() {
    if (!process.isAlive()) {
      throw new AssertionError("Prometheus ended: " + text(log()));
    }
    return answers() && !query("count_over_time(up[1m]) > 5 and up == 1").isEmpty();
  }

  private boolean answers() {
    try {
      return get("/-/ready").statusCode() == 200;
    } catch (UncheckedIOException e) {
      if (e.getCause() instanceof ConnectException) {
        return false;
      }
      throw e;
    }
  }

  /** Runs a query for this moment, and returns its series. */
  List<JSONValue> query(String expression) {
    String parameter = URLEncoder.encode(expression, UTF_8);
    JSONObject data = data("/api/v1/query?query=" + parameter, expression);
    return data.getFieldAsArray("result");
  }

  /** Names of all metrics that it has scraped. */
  List<String> metrics() {
    JSONObject answer = call("/api/v1/label/__name__/values", "names of metrics");
    return answer.getFieldAsArray("data").stream().map(Prometheus::string).toList();
  }

  /** The rules with their state, in the order of the file. */
  List<JSONObject> rules() {
    return data("/api/v1/rules", "rules").getFieldAsArray("groups").stream()
        .flatMap(group -> ((JSONObject) group).getFieldAsArray("rules").stream())
        .map(rule -> (JSONObject) rule)
        .toList();
  }

  private JSONObject data(String path, String subject) {
    return call(path, subject).getFieldAsObject("data");
  }

  /** Fails if the answer is an error, or has a warning. */
  private JSONObject call(String path, String subject) {
    HttpResponse<String> response = get(path);
    assertThat(response.statusCode()).as(subject + ": " + response.body()).isEqualTo(200);
    try {
      JSONObject answer = new JSONObject(response.body());
      assertThat(answer.getFieldAsString("status")).as(subject).isEqualTo("success");
      assertThat(answer.getField("warnings")).as(subject).isNull();
      return answer;
    } catch (JSONException e) {
      throw new AssertionError(response.body(), e);
    }
  }

  private HttpResponse<String> get(String path) {
    URI uri = URI.create("http://127.0.0.1:" + port + path);
    try {
      return http.send(
          HttpRequest.newBuilder(uri).timeout(PATIENCE).build(),
          HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  private static String string(JSONValue value) {
    return ((JSONString) value).stringValue();
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      process.destroyForcibly().waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
    Leftovers.delete(directory);
  }
}
