// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import static io.stoa.net.transport.InvalidConfigException.refuse;
import static io.stoa.net.transport.InvalidConfigException.requireAtLeast;
import static io.stoa.net.transport.InvalidConfigException.requireNotNegative;

import io.stoa.cache.result.CacheConfig;
import io.stoa.net.peer.Network;
import io.stoa.server.accesslog.LogTarget.LogFile;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Configuration of the access log and the audit log.
 *
 * <p>Threading: immutable.
 *
 * @param format form of the lines; {@link LogFormat#NONE} for no access log
 * @param target destination of the access log
 * @param values form of names and assertion values
 * @param secrets attribute types whose values no log shows
 * @param filter the operations that the access log contains
 * @param audit destination of the audit log; empty for none
 * @param rotation rotation of the files of both logs
 */
public record AccessLogConfig(
    LogFormat format,
    LogTarget target,
    ValueMode values,
    List<String> secrets,
    Filter filter,
    Optional<LogTarget> audit,
    Rotation rotation) {
  /** Defaults: no log. */
  public static final AccessLogConfig DEFAULTS =
      new AccessLogConfig(
          LogFormat.NONE,
          LogTarget.STDOUT,
          ValueMode.FULL,
          CacheConfig.DEFAULTS.secrets(),
          Filter.ALL,
          Optional.empty(),
          Rotation.DEFAULTS);

  public AccessLogConfig {
    secrets = List.copyOf(secrets);
    refuse(
        format != LogFormat.NONE && target instanceof LogFile && audit.equals(Optional.of(target)),
        "log.audit.destination",
        " must be another file than ",
        "log.access.destination");
  }

  /**
   * The operations that the access log contains. Connections pass all but the filters of listeners
   * and networks.
   *
   * <p>Threading: immutable.
   *
   * @param listeners listeners as in {@code listen}; empty for all
   * @param networks networks of clients; empty for all, and for local sockets too
   * @param results result codes; empty for all
   * @param sampleEvery one operation of so many is logged
   * @param slowerThan minimum time from receipt to end; zero for all
   */
  public record Filter(
      List<String> listeners,
      List<Network> networks,
      List<Integer> results,
      int sampleEvery,
      Duration slowerThan) {
    /** Contains everything. */
    public static final Filter ALL = new Filter(List.of(), List.of(), List.of(), 1, Duration.ZERO);

    public Filter {
      listeners = List.copyOf(listeners);
      networks = List.copyOf(networks);
      results = List.copyOf(results);
      requireAtLeast("log.access.sampleEvery", sampleEvery, 1);
      requireNotNegative("log.access.slowerThan", slowerThan);
    }
  }
}
