// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.management;

import com.sun.management.UnixOperatingSystemMXBean;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Binds the metrics of the process and its processors. The names that begin with {@code process_}
 * are those of Prometheus' client libraries.
 *
 * <p>Threading: immutable.
 */
final class ProcessMeters implements MeterBinder {
  /** Metrics of Micrometer whose names break the rules of Prometheus. */
  private static final Set<String> MISNAMED = Set.of("process.cpu.time", "system.cpu.count");

  private static final Path STATUS = Path.of("/proc/self/status");
  private static final String RESIDENT = "VmRSS:";
  private static final double MILLIS = 1e3;
  private static final double NANOS = 1e9;
  private static final int KIB = 1024;

  @Override
  public void bindTo(MeterRegistry registry) {
    registry.config().meterFilter(MeterFilter.deny(id -> MISNAMED.contains(id.getName())));
    new ProcessorMetrics().bindTo(registry);
    OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
    Gauge.builder("system.processors", system, OperatingSystemMXBean::getAvailableProcessors)
        .description("processors that the JVM may use")
        .register(registry);
    Gauge.builder("process.start.time", ProcessMeters::startSeconds)
        .baseUnit("seconds")
        .description("start of the process, in seconds since 1970")
        .register(registry);
    if (system instanceof UnixOperatingSystemMXBean unix) {
      bindUnix(registry, unix);
    }
    if (Files.isReadable(STATUS)) {
      Gauge.builder("process.resident.memory", ProcessMeters::residentBytes)
          .baseUnit("bytes")
          .description("resident memory of the process")
          .register(registry);
    }
  }

  private static void bindUnix(MeterRegistry registry, UnixOperatingSystemMXBean unix) {
    FunctionCounter.builder("process.cpu", unix, system -> system.getProcessCpuTime() / NANOS)
        .baseUnit("seconds")
        .description("processor time of the process, of user and system")
        .register(registry);
    Gauge.builder("process.open.fds", unix, UnixOperatingSystemMXBean::getOpenFileDescriptorCount)
        .description("open file descriptors")
        .register(registry);
    Gauge.builder("process.max.fds", unix, UnixOperatingSystemMXBean::getMaxFileDescriptorCount)
        .description("maximum number of open file descriptors")
        .register(registry);
  }

  private static double startSeconds() {
    return ManagementFactory.getRuntimeMXBean().getStartTime() / MILLIS;
  }

  /** Returns the resident memory in bytes; NaN if the kernel does not report it. */
  private static double residentBytes() {
    try (Stream<String> lines = Files.lines(STATUS)) {
      return lines
          .filter(line -> line.startsWith(RESIDENT))
          .mapToDouble(line -> Double.parseDouble(line.replaceAll("\\D", "")) * KIB)
          .findFirst()
          .orElse(Double.NaN);
    } catch (IOException | UncheckedIOException e) {
      return Double.NaN;
    }
  }
}
