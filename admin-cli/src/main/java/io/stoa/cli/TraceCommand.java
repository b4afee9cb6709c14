// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.cli.client.EntryValues;
import io.stoa.cli.client.StoaClient;
import io.stoa.cli.client.StoaException;
import io.stoa.cli.client.StoactlExitCode;
import io.stoa.cli.output.Json;
import io.stoa.cli.output.Report;
import io.stoa.cli.output.Shapes;
import io.stoa.cli.output.TraceText;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code stoactl trace}. Threading: one instance for each run. */
@Command(
    name = "trace",
    description =
        "Prints each step of operations with its time, while they happen. An operation "
            + "must meet all given options. Stoa runs at most 4 traces at once.")
final class TraceCommand implements Callable<Integer> {
  private static final String BASE = "cn=Trace,cn=monitor";
  private static final String SUMMARY = "Summary";
  private static final Pattern DURATION = Pattern.compile("(\\d{1,4})(s|m)");
  private static final Duration MAX = Duration.ofMinutes(10);

  @ParentCommand
  @SuppressWarnings("NullAway.Init")
  private Stoactl stoactl;

  @Option(
      names = "--client",
      paramLabel = "CLIENT",
      description =
          "Address or network of clients, or the number of one in the list of clients. "
              + "Default: all.")
  private @Nullable String client;

  @Option(
      names = "--identity",
      paramLabel = "DN",
      description =
          "DN of the identity, also of one that tries to bind; or anonymous. Default: all.")
  private @Nullable String identity;

  @Option(
      names = "--filter",
      paramLabel = "FILTER",
      description = "Filter of searches, or a part of it, as the clients send it. Default: all.")
  private @Nullable String filter;

  @Option(
      names = "--for",
      paramLabel = "TIME",
      defaultValue = "30s",
      description = "Duration, such as 30s or 5m; at most 10m. Default: 30s.")
  private String time = "30s";

  private boolean closed;

  @Override
  public Integer call() throws StoaException {
    SearchRequest search = search(duration());
    stoactl.run(stoa -> trace(stoa, search));
    return StoactlExitCode.DONE.code();
  }

  private Duration duration() {
    Matcher parts = DURATION.matcher(time);
    Duration duration = Duration.ZERO;
    if (parts.matches()) {
      long number = Long.parseLong(parts.group(1));
      duration =
          parts.group(2).equals("m") ? Duration.ofMinutes(number) : Duration.ofSeconds(number);
    }
    if (duration.isZero() || duration.compareTo(MAX) > 0) {
      throw stoactl.usageError("--for must be a time such as 30s or 5m, between 1s and 10m");
    }
    return duration;
  }

  private SearchRequest search(Duration duration) {
    List<Filter> selection = new ArrayList<>();
    selection.add(Filter.createPresenceFilter("objectClass"));
    add(selection, "stoaTraceClient", client);
    add(selection, "stoaTraceIdentity", identity);
    if (filter != null) {
      requireFilter(filter);
      add(selection, "stoaTraceFilter", filter);
    }
    SearchRequest search =
        new SearchRequest(BASE, SearchScope.SUB, Filter.createANDFilter(selection));
    search.setTimeLimitSeconds((int) duration.toSeconds());
    search.setResponseTimeoutMillis(duration.plus(stoactl.timeout()).toMillis());
    return search;
  }

  private static void add(List<Filter> selection, String attribute, @Nullable String value) {
    if (value != null) {
      selection.add(Filter.createEqualityFilter(attribute, value));
    }
  }

  private void requireFilter(String text) {
    try {
      Filter.create(text);
    } catch (LDAPException e) {
      throw stoactl.usageError("'" + text + "' is not a valid filter (RFC 4515)");
    }
  }

  private Report trace(StoaClient stoa, SearchRequest search) throws StoaException {
    List<EntryValues> summary = new ArrayList<>();
    try {
      stoa.stream(
          search,
          entry -> {
            if (entry.name().equals(SUMMARY)) {
              summary.add(entry);
            } else {
              print(stoa, entry);
            }
          });
    } catch (StoaException e) {
      if (!closed) {
        throw e;
      }
    }
    if (summary.isEmpty()) {
      throw StoaException.refused("the trace ended early");
    }
    EntryValues end = summary.get(0);
    return new Report(Shapes.TRACE_SUMMARY.json(end), List.of(TraceText.summary(end)));
  }

  /** Prints an operation. Ends the trace when standard output is closed. */
  private void print(StoaClient stoa, EntryValues operation) {
    PrintWriter out = stoactl.out();
    if (stoactl.isJson()) {
      out.println(Json.of(Shapes.TRACE.json(operation)));
    } else {
      TraceText.lines(operation).forEach(out::println);
    }
    if (out.checkError()) {
      closed = true;
      stoa.close();
    }
  }
}
