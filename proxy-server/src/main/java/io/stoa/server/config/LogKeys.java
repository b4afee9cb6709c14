// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import static io.stoa.server.config.value.ValueTypes.BOOLEAN;
import static io.stoa.server.config.value.ValueTypes.DURATION;
import static io.stoa.server.config.value.ValueTypes.LISTENER;
import static io.stoa.server.config.value.ValueTypes.NETWORK;
import static io.stoa.server.config.value.ValueTypes.NUMBER;
import static io.stoa.server.config.value.ValueTypes.SIZE;

import io.stoa.client.listener.ListenerConfig;
import io.stoa.net.peer.Network;
import io.stoa.server.accesslog.AccessLogConfig;
import io.stoa.server.accesslog.AccessLogConfig.Filter;
import io.stoa.server.accesslog.LogFormat;
import io.stoa.server.accesslog.LogLevel;
import io.stoa.server.accesslog.LogTarget;
import io.stoa.server.accesslog.Rotation;
import io.stoa.server.accesslog.ValueMode;
import io.stoa.server.config.value.JsonSchema;
import io.stoa.server.config.value.ValueType.Scalar;
import io.stoa.server.config.value.ValueType.Sequence;
import io.stoa.server.config.value.ValueTypes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The keys of the section {@code log}, in the order of the documentation. Threading: immutable. */
final class LogKeys {
  static final KeySection KEYS = new KeySection("log.");

  private static final AccessLogConfig DEFAULTS = AccessLogConfig.DEFAULTS;
  private static final String TARGET_FORM = "stdout, file or syslog URL";

  /** Any path, or a syslog URL with a port. */
  private static final Map<String, Object> TARGET_SCHEMA =
      JsonSchema.plain(
          "(?!syslog\\+(?:udp|tcp)://)[\\s\\S]*|syslog\\+(?:udp|tcp)://[\\s\\S]+:[0-9+]+");

  private static final Scalar<LogTarget> TARGET =
      new Scalar<>(
          TARGET_FORM, TARGET_SCHEMA, LogTarget::parse, target -> ValueTypes.quote(target.text()));

  static final ConfigKey<LogFormat> FORMAT =
      KEYS.live(
          "access.format",
          ValueTypes.choice(LogFormat.class, LogFormat::word),
          DEFAULTS.format(),
          "Form of the access log: the lines of OpenLDAP or 389-ds, or a JSON object a line. none:"
              + " no access log.");

  static final ConfigKey<LogTarget> DESTINATION =
      KEYS.live(
          "access.destination",
          TARGET,
          DEFAULTS.target(),
          "Destination of the access log: stdout, a file, syslog+udp://HOST:PORT,"
              + " syslog+tcp://HOST:PORT or syslog+local:/dev/log.");

  static final ConfigKey<ValueMode> VALUES =
      KEYS.live(
          "access.values",
          ValueTypes.choice(ValueMode.class),
          DEFAULTS.values(),
          "Names of entries and assertion values in the access log. hashed: equal values have equal"
              + " hashes until Stoa is restarted. none: a question mark.");

  static final ConfigKey<List<ListenerConfig>> LISTENERS =
      KEYS.live(
          "access.listeners",
          new Sequence<>(LISTENER, true, "'127.0.0.1:1389'"),
          List.of(),
          "Listeners whose clients the access log contains. Empty: all.");

  static final ConfigKey<List<String>> NETWORKS =
      KEYS.live(
          "access.networks",
          new Sequence<>(NETWORK, true, "10.0.0.0/8"),
          List.of(),
          "Networks whose clients the access log contains. Empty: all, local sockets included.");

  static final ConfigKey<List<Integer>> RESULTS =
      KEYS.live(
          "access.results",
          new Sequence<>(NUMBER, true, "49"),
          List.of(),
          "Result codes of the operations that the access log contains. Empty: all.");

  static final ConfigKey<Integer> SAMPLE_EVERY =
      KEYS.live(
          "access.sampleEvery",
          NUMBER,
          Filter.ALL.sampleEvery(),
          "The access log contains one operation of so many, chosen at random. 1: all.");

  static final ConfigKey<Duration> SLOWER_THAN =
      KEYS.live(
          "access.slowerThan",
          DURATION,
          Filter.ALL.slowerThan(),
          "The access log contains operations that took at least so long. 0: all.");

  static final ConfigKey<Optional<LogTarget>> AUDIT =
      KEYS.live(
          "audit.destination",
          new Scalar<>(
              TARGET_FORM,
              TARGET_SCHEMA,
              text -> text.isEmpty() ? Optional.empty() : Optional.of(LogTarget.parse(text)),
              target -> ValueTypes.quote(target.map(LogTarget::text).orElse(""))),
          DEFAULTS.audit(),
          "Destination of the audit log, which contains all writes as LDIF change records; in the"
              + " form of log.access.destination. Empty: no audit log.");

  static final ConfigKey<Long> MAX_SIZE =
      KEYS.live(
          "rotation.maxSize",
          SIZE,
          Rotation.DEFAULTS.maxSize(),
          "Size at which a log file is rotated; it is also rotated at midnight. 0: another program,"
              + " such as logrotate, rotates it.");

  static final ConfigKey<Integer> KEEP =
      KEYS.live(
          "rotation.keepDays",
          NUMBER,
          Rotation.DEFAULTS.keep(),
          "Days for which rotated log files are kept. 0: no limit.");

  static final ConfigKey<Long> MAX_TOTAL_SIZE =
      KEYS.live(
          "rotation.maxTotalSize",
          SIZE,
          Rotation.DEFAULTS.maxTotalSize(),
          "Size of all rotated files of a log, beyond which the oldest are deleted. 0: no limit.");

  static final ConfigKey<Boolean> COMPRESS =
      KEYS.live(
          "rotation.compress",
          BOOLEAN,
          Rotation.DEFAULTS.compress(),
          "Compression of rotated log files by gzip.");

  static final ConfigKey<List<LogLevel>> LEVELS =
      KEYS.live(
          "levels",
          new Sequence<>(
              new Scalar<>(
                  "PART=LEVEL",
                  JsonSchema.string(levelPattern()),
                  LogLevel::parse,
                  level -> ValueTypes.quote(level.text())),
              true,
              "feed=debug"),
          List.of(),
          "Levels of the log on standard error by part of Stoa, such as feed=debug. Parts: "
              + String.join(", ", LogLevel.PARTS)
              + ", and loggers below io.stoa. Levels: error, warn, info, debug, trace.");

  private LogKeys() {}

  private static String levelPattern() {
    String parts = String.join("|", LogLevel.PARTS);
    String levels =
        Stream.of(LogLevel.Level.values())
            .map(level -> JsonSchema.anyCase(level.word()))
            .collect(Collectors.joining("|"));
    return "\\s*(?:" + parts + "|io\\.stoa(?:\\.\\w+)*)\\s*=\\s*(?:" + levels + ")\\s*";
  }

  /** Builds the section's configuration. */
  static AccessLogConfig assemble(Settings settings) {
    return new AccessLogConfig(
        settings.get(FORMAT),
        settings.get(DESTINATION),
        settings.get(VALUES),
        CacheKeys.assemble(settings).secrets(),
        new Filter(
            settings.get(LISTENERS).stream().map(ListenerConfig::toString).toList(),
            settings.get(NETWORKS).stream().map(Network::parse).toList(),
            settings.get(RESULTS),
            settings.get(SAMPLE_EVERY),
            settings.get(SLOWER_THAN)),
        settings.get(AUDIT),
        new Rotation(
            settings.get(MAX_SIZE),
            settings.get(KEEP),
            settings.get(MAX_TOTAL_SIZE),
            settings.get(COMPRESS)));
  }
}
