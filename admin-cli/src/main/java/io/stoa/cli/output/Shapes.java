// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.output;

import io.stoa.cli.client.Backends;
import io.stoa.cli.client.EntryValues;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The output of each kind of entry. Threading: stateless. */
public final class Shapes {
  /** Directory servers, numbered by their order in cn=monitor. */
  public static final Shape BACKENDS =
      new Shape(
          "backends",
          "A directory server",
          List.of(
              "number", "url", "state", "role", "weight", "inFlight", "latencyMicros", "lagMillis"),
          List.of(
              Field.number("number", Backends.NUMBER, "number in the list"),
              Field.text("url", "olmServerURI", "URL of the server"),
              Field.text("state", "health-check-state", "UP, DRAINED, DOWN and others"),
              Field.text("reason", "health-check-message", "reason of the state"),
              Field.text("role", "stoaServerRole", "primary or replica"),
              Field.number("weight", "stoaServerWeight", "share of the load within its tier"),
              Field.number("connections", "olmActiveConnections", "open connections"),
              Field.number("connecting", "olmPendingConnections", "connections being opened"),
              Field.number("inFlight", "olmPendingOps", "operations in flight"),
              Field.number("received", "olmReceivedOps", "operations sent to the server"),
              Field.number("completed", "olmCompletedOps", "operations that the server answered"),
              Field.number("failed", "olmFailedOps", "operations lost with their connection"),
              Field.number("latencyMicros", "stoaServerLatency", "recent latency in microseconds"),
              Field.number(
                  "lagMillis", "stoaServerLag", "replication lag in milliseconds, if known"),
              Field.number("ejections", "stoaServerEjections", "number of ejections"),
              Field.number(
                  "connectionCap",
                  "stoaServerConnectionCap",
                  "operations in flight that it accepts on one connection, if it closed "
                      + "connections at more"),
              Field.list("actions", "stoaActions", "actions of the server")));

  /** Connected clients. */
  public static final Shape CLIENTS =
      new Shape(
          "clients",
          "A client",
          List.of("number", "identity", "peer", "received", "refused", "inFlight", "active"),
          List.of(
              Field.number("number", "monitorConnectionNumber", "number of the connection"),
              Field.text("identity", "monitorConnectionAuthzDN", "bind DN; null if anonymous"),
              Field.text("peer", "monitorConnectionPeerAddress", "address of the client"),
              Field.text("listener", "monitorConnectionListener", "listener"),
              new Field("tls", "true or false", "true if TLS is in use", Shapes::tls),
              Field.text("since", "monitorConnectionStartTime", "when it connected"),
              Field.text("active", "monitorConnectionActivityTime", "time of its last request"),
              Field.number("received", "monitorConnectionOpsReceived", "requests received"),
              Field.number("completed", "monitorConnectionOpsCompleted", "requests completed"),
              Field.number("refused", "stoaConnectionOpsRefused", "requests that Stoa refused"),
              Field.number("inFlight", "monitorConnectionOpsExecuting", "requests in flight"),
              Field.number("queued", "monitorConnectionOpsPending", "requests queued")));

  /** Client networks. */
  public static final Shape NETWORKS =
      new Shape(
          "networks",
          "A network of `clients networks`",
          List.of(
              "network", "connections", "received", "inFlight", "failedBinds", "results", "last"),
          List.of(
              Field.text("network", "cn", "IPv4 address, IPv6 /64 or `local sockets`"),
              Field.number("connections", "stoaNetworkConnections", "open connections"),
              Field.number("received", "stoaNetworkReceived", "requests received on them"),
              Field.number("inFlight", "stoaNetworkExecuting", "requests in flight"),
              Field.list(
                  "identities", "stoaNetworkIdentities", "connections by identity, at most 8"),
              Field.number("failedBinds", "stoaFailedBindsCount", "failed binds"),
              Field.list("results", "stoaFailedBindsResults", "failed binds by result"),
              Field.text("since", "stoaFailedBindsSince", "time of the first of them"),
              Field.text("last", "stoaFailedBindsLast", "time of the last of them")));

  /** The caches, which are one entry. */
  public static final Shape CACHE =
      new Shape(
          "cache",
          "`cache stats`",
          List.of(),
          List.of(
              Field.truth("enabled", "stoaCacheEnabled", "true if caching is on"),
              Field.number("results", "stoaFilterCacheCurrent", "results stored"),
              Field.number("resultsMax", "stoaFilterCacheSize", "maximum number of stored results"),
              Field.number("searchHits", "stoaFilterCacheHits", "searches answered from memory"),
              Field.number(
                  "searchMisses",
                  "stoaFilterCacheMisses",
                  "cacheable searches sent to the directory"),
              Field.ratio(
                  "searchHitRatio",
                  "stoaFilterCacheHits",
                  "stoaFilterCacheMisses",
                  "`searchHits` ÷ (`searchHits` + `searchMisses`)"),
              Field.number(
                  "searchesBypassed",
                  "stoaFilterCacheBypassed",
                  "searches that bypassed the caches"),
              Field.number("entries", "stoaEntryCacheCurrent", "entries stored"),
              Field.number("entriesMax", "stoaEntryCacheSize", "maximum number of stored entries"),
              Field.number("entryHits", "stoaEntryCacheHits", "stored entries returned in answers"),
              Field.number("entryMisses", "stoaEntryCacheMisses", "entries that were not stored"),
              Field.ratio(
                  "entryHitRatio",
                  "stoaEntryCacheHits",
                  "stoaEntryCacheMisses",
                  "`entryHits` ÷ (`entryHits` + `entryMisses`)"),
              Field.number("compareHits", "stoaCompareHits", "compares answered from memory"),
              Field.number("compareMisses", "stoaCompareMisses", "compares sent to the directory"),
              Field.truth(
                  "aclCache", "stoaAclCache", "true if results are cached for bound clients"),
              Field.number("identities", "stoaAclCacheCurrent", "identities with cached results"),
              Field.number(
                  "identitiesMax",
                  "stoaAclCacheSize",
                  "maximum number of identities with cached results"),
              Field.number("bytes", "stoaCacheBytes", "memory of the caches in bytes"),
              Field.number(
                  "bytesMax", "stoaCacheMaxBytes", "maximum memory of the caches in bytes"),
              Field.number("evictions", "stoaCacheEvictions", "results evicted"),
              Field.number(
                  "invalidations",
                  "stoaCacheInvalidations",
                  "times all results that no feed holds were invalidated"),
              Field.number(
                  "stale", "stoaCacheStale", "stale answers served while no server was available"),
              Field.number(
                  "joined", "stoaCacheJoined", "searches that joined an equal one in flight"),
              Field.number("fillsInFlight", "stoaCacheFillsInFlight", "fills in flight upstream")));

  /** Sharing classes. */
  public static final Shape CLASSES =
      new Shape(
          "classes",
          "A sharing class",
          List.of(
              "name",
              "state",
              "members",
              "suspended",
              "hits",
              "samples",
              "differences",
              "demotions"),
          List.of(
              new Field("name", "text", "name of the class", EntryValues::name),
              new Field(
                  "state",
                  "text",
                  "sharing (members share results, which are verified), uniform (members are "
                      + "declared to see what the feed's account sees) or demoted (members share "
                      + "nothing)",
                  Shapes::classState),
              Field.truth("uniform", "stoaSharingClassUniform", "true if it is declared uniform"),
              Field.number(
                  "members",
                  "stoaSharingClassMembers",
                  "identities recognized as members since the start"),
              Field.number(
                  "suspended",
                  "stoaSharingClassSuspended",
                  "members that share nothing until a mismatch is explained"),
              Field.number(
                  "groupsUnknown",
                  "stoaSharingClassGroupsUnknown",
                  "groups whose members are not known at present"),
              Field.number(
                  "hits",
                  "stoaSharingClassHits",
                  "hits on results that may have been read for another member"),
              Field.number(
                  "samples", "stoaSharingClassSamples", "hits verified with the directory"),
              Field.number(
                  "differences", "stoaSharingClassDifferences", "verified hits that differed"),
              Field.number("demotions", "stoaSharingClassDemotions", "number of demotions")));

  /** Change feeds. */
  public static final Shape FEEDS =
      new Shape(
          "feeds",
          "A change feed",
          List.of(
              "name",
              "mode",
              "server",
              "state",
              "leaseMillis",
              "changes",
              "views",
              "incoherent",
              "reason"),
          List.of(
              new Field("name", "text", "naming context of the feed", EntryValues::name),
              Field.text("mode", "stoaFeedMode", "type of the feed; none without a feed"),
              Field.text("server", "stoaFeedServer", "server of the feed; null if there is none"),
              Field.text(
                  "phase",
                  "stoaFeedPhase",
                  "phase of the feed: live, refreshing, connecting or stopped"),
              Field.text(
                  "state",
                  "stoaFeedState",
                  "state of the results held by the feed: live, lapsed, suspended, gap or "
                      + "cold"),
              Field.text(
                  "coverage",
                  "stoaFeedCoverage",
                  "proof that its account sees everything, or the reason why it is missing"),
              Field.text(
                  "rights",
                  "stoaFeedRights",
                  "watched if changes of access rules are noticed, or the reason why they may "
                      + "not be"),
              Field.number(
                  "leaseMillis",
                  "stoaFeedLeaseAge",
                  "age of the lease: time since the feed was last known to be complete; null "
                      + "if never"),
              Field.number(
                  "boundMillis",
                  "stoaFeedBound",
                  "maximum age of the lease (cache.maxStaleness); without a feed, maximum age "
                      + "of answers"),
              Field.number(
                  "marginMillis",
                  "stoaFeedMargin",
                  "part of the bound reserved for slow writes through Stoa; at least 20"),
              Field.list(
                  "position",
                  "stoaFeedPosition",
                  "position of the applied changes (CSNs or change number)"),
              Field.number("connects", "stoaFeedConnects", "connection attempts"),
              Field.number("changes", "stoaFeedChanges", "changes applied"),
              Field.number(
                  "duplicates", "stoaFeedDuplicates", "changes received again and ignored"),
              Field.number("gaps", "stoaFeedGaps", "gaps, at which all results were invalidated"),
              Field.number(
                  "misses",
                  "stoaFeedMisses",
                  "changes that a server counted but the feed did not report"),
              Field.number(
                  "fillsAdmitted",
                  "stoaFeedFillsAdmitted",
                  "results admitted to be held by the feed"),
              Field.number("views", "stoaFeedViews", "results held by the feed now"),
              Field.number(
                  "unproved",
                  "stoaFeedUnproved",
                  "held results not yet proved to be visible to the feed's account"),
              Field.number("updates", "stoaFeedUpdates", "results updated in place"),
              Field.number(
                  "abortedChanges",
                  "stoaFeedChangesAborted",
                  "reported changes that never took effect"),
              Field.number(
                  "visibilityChecks",
                  "stoaFeedVisibilityChecks",
                  "entries whose visibility to the feed's account was checked"),
              Field.number(
                  "evaluations",
                  "stoaFeedEvaluations",
                  "evaluations of a changed entry against a result's filter"),
              Field.number("unknown", "stoaFeedUnknown", "evaluations without a definite result"),
              Field.number(
                  "incoherent",
                  "stoaFeedIncoherent",
                  "results that differed from the directory in an audit, and were dropped"),
              Field.number("ring", "stoaFeedRing", "changes in the change ring"),
              Field.number(
                  "ringSeconds", "stoaFeedRingSpan", "age of the oldest change in the ring"),
              Field.list("refused", "stoaFeedRefused", "results refused by the feed, by reason"),
              Field.list("invalidations", "stoaFeedInvalidations", "results invalidated, by cause"),
              Field.number(
                  "rightsAdvances",
                  "stoaFeedRightsAdvances",
                  "times all results were invalidated because access rights may have changed; "
                      + "not counted as invalidations"),
              Field.number(
                  "derivedAdvances",
                  "stoaFeedDerivedAdvances",
                  "times derived or repaired attributes may have changed; not counted as"
                      + " invalidations"),
              Field.text(
                  "reason", "stoaFeedReason", "reason why it is not live or does not exist")));

  /** Result of a full audit. */
  public static final Shape AUDIT =
      new Shape(
          "audit",
          "`audit`",
          List.of(),
          List.of(
              Field.text("state", "stoaFullAuditState", "done"),
              Field.number("results", "stoaFullAuditResults", "results to compare"),
              new Field("compared", "number", "results compared", Shapes::compared),
              Field.number(
                  "equal", "stoaFullAuditEqual", "results equal to the directory's answer"),
              Field.number(
                  "differing", "stoaFullAuditDiffering", "results that differed, and were dropped"),
              Field.number(
                  "uncompared",
                  "stoaFullAuditUncompared",
                  "results that could not be compared: no client with their identity was "
                      + "connected, or they changed in the meantime"),
              Field.number(
                  "withoutClient",
                  "stoaFullAuditWithoutClient",
                  "results without a connected client of their identity")));

  /** Write windows. */
  public static final Shape WINDOWS =
      new Shape(
          "windows",
          "A window",
          List.of("name", "state", "everyMillis", "waiting", "closed", "operations"),
          List.of(
              new Field("name", "text", "name of the window", EntryValues::name),
              Field.text("subtree", "stoaWindowSubtree", "subtree of its writes; null for all"),
              Field.text("identity", "stoaWindowIdentity", "identity of its writes; null for all"),
              Field.text("state", "stoaWindowState", "open, sending or paused"),
              Field.number("everyMillis", "stoaWindowEvery", "maximum time that writes wait"),
              Field.number(
                  "maxOperations", "stoaWindowMaxOperations", "maximum number of waiting writes"),
              Field.text("batch", "stoaWindowBatch", "single or transactions"),
              Field.number("waiting", "stoaWindowWaiting", "waiting writes"),
              Field.number("closed", "stoaWindowClosed", "number of times it closed"),
              Field.number("operations", "stoaWindowOperations", "writes sent"),
              Field.number(
                  "transactional", "stoaWindowTransactional", "writes sent in transactions"),
              Field.number("aborted", "stoaWindowAborted", "aborted transactions"),
              Field.number("dropped", "stoaWindowDropped", "writes abandoned by their clients")));

  /** Searches by pattern. */
  public static final Shape DIGESTS =
      new Shape(
          "digests",
          "A pattern of searches",
          List.of(
              "id",
              "searches",
              "hitRatio",
              "values",
              "missP50Micros",
              "missP99Micros",
              "upstreamMicros",
              "search"),
          List.of(
              new Field(
                  "id", "text", "id of the pattern; `others` for the rest", EntryValues::name),
              Field.number("searches", "stoaDigestSearches", "searches"),
              Field.number("hits", "stoaDigestHits", "searches answered from memory"),
              Field.number(
                  "joined", "stoaDigestJoined", "searches that joined an equal one in flight"),
              Field.number(
                  "misses", "stoaDigestMisses", "cacheable searches that a directory answered"),
              Field.number("bypassed", "stoaDigestBypassed", "searches that bypassed the caches"),
              new Field(
                  "hitRatio",
                  "number or null",
                  "(`hits` + `joined`) ÷ `searches`",
                  Shapes::digestHitRatio),
              Field.number(
                  "values", "stoaDigestValues", "distinct combinations of values, estimated"),
              Field.number("entries", "stoaDigestEntries", "entries returned"),
              Field.number("octets", "stoaDigestOctets", "octets of the answers"),
              Field.number("empty", "stoaDigestEmpty", "answers without entries"),
              Field.number("failed", "stoaDigestFailed", "searches abandoned, or without success"),
              Field.number(
                  "mistaken",
                  "stoaDigestMistaken",
                  "failures that repeat until the request or its rights are corrected"),
              Field.number("hitP50Micros", "stoaDigestHitP50", "median time of hits"),
              Field.number("hitP99Micros", "stoaDigestHitP99", "99th percentile of hits"),
              Field.number("missP50Micros", "stoaDigestMissP50", "median time of other searches"),
              Field.number(
                  "missP99Micros", "stoaDigestMissP99", "99th percentile of other searches"),
              Field.number(
                  "upstreamMicros",
                  "stoaDigestUpstream",
                  "total duration of searches that were sent to a directory"),
              Field.number(
                  "recentMicros",
                  "stoaDigestRecent",
                  "median duration of the last hundred of these, roughly"),
              Field.list(
                  "identities",
                  "stoaDigestIdentities",
                  "identities with most searches, each after their number"),
              Field.list(
                  "networks",
                  "stoaDigestNetworks",
                  "networks with most searches, each after their number"),
              Field.text("first", "stoaDigestFirst", "time of the first search"),
              Field.text("last", "stoaDigestLast", "time of the last search"),
              Field.text("base", "stoaDigestBase", "base"),
              Field.text("scope", "stoaDigestScope", "scope: base, one or sub"),
              Field.text("filter", "stoaDigestFilter", "filter, with ? for each value"),
              Field.text("attributes", "stoaDigestAttributes", "attributes"),
              Field.text(
                  "deref",
                  "stoaDigestDeref",
                  "dereferencing of aliases: never, searching, finding or always"),
              new Field(
                  "search", "text", "base, scope, filter and attributes", Shapes::digestSearch)));

  /** Advice from live traffic. */
  public static final Shape ADVICE =
      new Shape(
          "advice",
          "`advise`: a change",
          List.of(),
          List.of(
              Field.text("topic", "stoaAdviceTopic", "cause of load"),
              Field.text(
                  "subject",
                  "stoaAdviceSubject",
                  "attribute, setting, naming context, parent of identities, network or pattern"),
              Field.text("evidence", "stoaAdviceEvidence", "numbers that speak for the change"),
              new Field(
                  "change", "list of text", "lines of the change to make", Shapes::adviceChange)));

  /** Hit ratios by the size of a cache. */
  public static final Shape CURVES =
      new Shape(
          "curves",
          "`advise`: hit ratios by size",
          List.of(),
          List.of(
              new Field("name", "text", "name of the curve", EntryValues::name),
              Field.number("sampled", "stoaCurveSampled", "lookups in the sample"),
              Field.truth("reliable", "stoaCurveReliable", "true from 2,000 lookups on"),
              Field.number("size", "stoaCurveSize", "present size"),
              Field.number(
                  "knee",
                  "stoaCurveKnee",
                  "size from which on twice as much gains < 1%; null if none"),
              new Field(
                  "expired",
                  "number or null",
                  "share of searches whose result was too old or older than a write",
                  curve -> decimal(curve.text("stoaCurveExpired"))),
              Field.number("meanAgeMillis", "stoaCurveMeanAge", "mean age of answers from memory"),
              new Field(
                  "points",
                  "list of objects",
                  "`size`, `hitRatio`, and `results`, `entries` and `octets` then held",
                  curve -> CurvePoint.of(curve).stream().map(CurvePoint::json).toList())));

  /** Explanation of a search. */
  public static final Shape EXPLANATION =
      new Shape(
          "explanation",
          "`cache explain`",
          List.of(),
          List.of(
              Field.text("answer", "stoaAnswer", "hit, miss (can be stored) or bypass (never is)"),
              Field.list("reasons", "stoaReason", "why; the first word of each never changes"),
              Field.number("ageMillis", "stoaAge", "age of the stored result"),
              Field.number("entries", "stoaEntries", "number of entries of the result"),
              Field.text(
                  "heldBy",
                  "stoaHeldBy",
                  "feed (held by a change feed) or age (expires after cache.maxAge)"),
              Field.number(
                  "keptMillis",
                  "stoaKept",
                  "time for which it can still be served if it does not change; null if "
                      + "unlimited")));

  /** An operation of a trace. */
  public static final Shape TRACE =
      new Shape(
          "trace",
          "`trace`: an operation",
          List.of(),
          List.of(
              Field.text("time", "stoaTraceTime", "time of receipt"),
              Field.number("client", "stoaTraceClient", "number of the client"),
              Field.text("from", "stoaTraceFrom", "address of the client"),
              Field.text("listener", "stoaTraceListener", "listener"),
              Field.text("identity", "stoaTraceIdentity", "bind DN; null if anonymous"),
              Field.number("op", "stoaTraceOperation", "number of the operation on its connection"),
              Field.number("msgid", "stoaTraceMessageID", "messageID of the request"),
              Field.text("request", "stoaTraceRequest", "request, as slapd logs it"),
              Field.text("cache", "stoaTraceCache", "outcome at the caches, as in the access log"),
              new Field(
                  "steps",
                  "list of text",
                  "steps in order: microseconds since receipt, and text",
                  TraceText::steps),
              Field.number("result", "stoaTraceResult", "result code; null if abandoned"),
              Field.number("entries", "stoaTraceEntries", "entries sent"),
              Field.number("octets", "stoaTraceOctets", "octets of the responses"),
              Field.number("micros", "stoaTraceMicros", "time from receipt to end, in µs")));

  /** The end of a trace. */
  public static final Shape TRACE_SUMMARY =
      new Shape(
          "traceSummary",
          "`trace`: the last line",
          List.of(),
          List.of(
              Field.number("shown", "stoaTraceShown", "operations shown"),
              Field.number(
                  "dropped",
                  "stoaTraceDropped",
                  "operations not examined, since they came faster than the trace was read")));

  /** All shapes, in the order of the documentation. */
  public static final List<Shape> ALL =
      List.of(
          BACKENDS,
          CLIENTS,
          NETWORKS,
          CACHE,
          CLASSES,
          FEEDS,
          AUDIT,
          WINDOWS,
          DIGESTS,
          ADVICE,
          CURVES,
          EXPLANATION,
          TRACE,
          TRACE_SUMMARY);

  private Shapes() {}

  /** Returns the lines of a change in their order. */
  public static List<String> adviceChange(EntryValues advice) {
    return advice.ordered("stoaAdviceChange");
  }

  private static @Nullable Double decimal(@Nullable String text) {
    return text == null ? null : Double.valueOf(text);
  }

  private static @Nullable Object classState(EntryValues entry) {
    if (Boolean.TRUE.equals(entry.bool("stoaSharingClassDemoted"))) {
      return "demoted";
    }
    Boolean uniform = entry.bool("stoaSharingClassUniform");
    return uniform == null ? null : uniform ? "uniform" : "sharing";
  }

  private static @Nullable Object digestHitRatio(EntryValues digest) {
    return Amounts.share(
        digest.count("stoaDigestHits") + digest.count("stoaDigestJoined"),
        digest.count("stoaDigestSearches"));
  }

  private static Object digestSearch(EntryValues digest) {
    String base = digest.text("stoaDigestBase");
    return base == null
        ? "(patterns too rare to be kept)"
        : String.join(
            " ",
            '"' + base + '"',
            digest.text("stoaDigestScope"),
            digest.text("stoaDigestFilter"),
            digest.text("stoaDigestAttributes"));
  }

  /** Returns the number of results compared so far. */
  public static long compared(EntryValues audit) {
    return audit.count("stoaFullAuditEqual") + audit.count("stoaFullAuditDiffering");
  }

  private static Object tls(EntryValues entry) {
    String mask = entry.text("monitorConnectionMask");
    return mask != null && mask.indexOf('T') >= 0;
  }
}
