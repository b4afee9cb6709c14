// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.stoa.ldap.protocol.LdapResultCode;
import io.stoa.ldap.protocol.OpType;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Binds the results by operation and result code. A result code gets a metric when it first occurs,
 * since most codes never do. Successes and failed binds have one from the beginning.
 *
 * <p>Threading: thread-safe.
 */
public final class ResultMeters implements MeterBinder {
  /** Operations with a result. */
  private static final Set<OperationKind> KINDS =
      EnumSet.complementOf(EnumSet.of(OperationKind.UNBIND, OperationKind.ABANDON));

  private final ProxyNumbers numbers;
  private final Set<List<Enum<?>>> bound = new HashSet<>();

  public ResultMeters(ProxyNumbers numbers) {
    this.numbers = numbers;
  }

  /** Binds the result codes that have occurred. Called before each scrape, too. */
  @Override
  public synchronized void bindTo(MeterRegistry registry) {
    for (OperationKind kind : KINDS) {
      for (LdapResultCode code : LdapResultCode.values()) {
        if (isShown(kind, code) && bound.add(List.of(kind, code))) {
          bind(registry, kind, code);
        }
      }
    }
  }

  private boolean isShown(OperationKind kind, LdapResultCode code) {
    return code == LdapResultCode.SUCCESS
        || (kind == OperationKind.BIND && code == LdapResultCode.INVALID_CREDENTIALS)
        || numbers.counters().results().failures(kind.request(), code) > 0;
  }

  private void bind(MeterRegistry registry, OperationKind kind, LdapResultCode code) {
    OpType request = kind.request();
    ProxyMeters.RESULTS_SENT.bind(
        registry,
        List.of(kind.name().toLowerCase(Locale.ROOT), code.label()),
        numbers.counters(),
        counters -> counters.resultsSent(request, code));
  }
}
