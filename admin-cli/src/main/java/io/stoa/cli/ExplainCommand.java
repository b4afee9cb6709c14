// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.cli.client.EntryValues;
import io.stoa.cli.client.StoaException;
import io.stoa.cli.output.Amounts;
import io.stoa.cli.output.Printable;
import io.stoa.cli.output.Report;
import io.stoa.cli.output.Shapes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code stoactl cache explain}. Threading: one instance for each run. */
@Command(
    name = "explain",
    description =
        "Explains whether a search would be answered from memory. Sends nothing to "
            + "the directory.")
final class ExplainCommand implements Callable<Integer> {
  private static final String CONTROL = "2.25.303148281960718826483917064418722203871";
  private static final long MILLIS = 1000;

  @ParentCommand
  @SuppressWarnings("NullAway.Init")
  private CacheCommand cache;

  @Parameters(index = "0", paramLabel = "BASE", description = "Base DN of the search.")
  @SuppressWarnings("NullAway.Init")
  private String base;

  @Parameters(index = "1", paramLabel = "SCOPE", description = "One of: ${COMPLETION-CANDIDATES}.")
  @SuppressWarnings("NullAway.Init")
  private ScopeName scope;

  @Parameters(index = "2", paramLabel = "FILTER", description = "Filter, as in ldapsearch.")
  @SuppressWarnings("NullAway.Init")
  private String filter;

  @Parameters(
      index = "3..*",
      arity = "0..*",
      paramLabel = "ATTRIBUTE",
      description = "Requested attributes. Default: all user attributes.")
  private List<String> attributes = new ArrayList<>();

  @Option(
      names = "--as",
      paramLabel = "DN",
      description = "DN of the client's identity. Default: anonymous.")
  private @Nullable String identity;

  /** Scopes with the names of ldapsearch and the numbers of the protocol. */
  enum ScopeName {
    base(0),
    one(1),
    sub(2),
    children(3);

    private final int number;

    ScopeName(int number) {
      this.number = number;
    }
  }

  @Override
  public Integer call() throws StoaException {
    SearchRequest search = search();
    ASN1OctetString authzId = identity == null ? null : new ASN1OctetString("dn:" + identity);
    Control control = new Control(CONTROL, true, authzId);
    return cache.stoactl().run(client -> report(client.searchOne(search, control)));
  }

  private SearchRequest search() {
    try {
      return new SearchRequest(
          base,
          SearchScope.valueOf(scope.number),
          Filter.create(filter),
          attributes.toArray(String[]::new));
    } catch (LDAPException e) {
      throw cache.stoactl().usageError("'" + filter + "' is not a valid filter (RFC 4515)");
    }
  }

  private static Report report(EntryValues entry) {
    List<String> lines = new ArrayList<>();
    lines.add(Printable.of(String.valueOf(entry.text("stoaAnswer"))));
    entry.values("stoaReason").forEach(reason -> lines.add("  " + Printable.of(reason)));
    Long entries = entry.number("stoaEntries");
    Long age = entry.number("stoaAge");
    Long remaining = entry.number("stoaKept");
    if (entries != null) {
      lines.add("  entries: " + Amounts.count(entries));
    }
    if (age != null) {
      lines.add("  stored " + Amounts.seconds(age / MILLIS) + " ago");
    }
    if (entry.text("stoaHeldBy") != null) {
      lines.add("  " + held(entry.text("stoaHeldBy"), remaining));
    }
    return new Report(Shapes.EXPLANATION.json(entry), lines);
  }

  private static String held(@Nullable String holder, @Nullable Long remaining) {
    String limit =
        remaining == null ? "" : " for " + Amounts.seconds(remaining / MILLIS) + " at most";
    return "feed".equals(holder)
        ? "held by the change feed until it changes" + (limit.isEmpty() ? "" : ", and" + limit)
        : "held by its age (cache.maxAge)" + limit;
  }
}
