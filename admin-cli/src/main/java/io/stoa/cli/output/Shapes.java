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
              "number", "url", "state", "role", "weight", "pending", "latencyMicros", "lagMillis"),
          List.of(
              Field.number("number", Backends.NUMBER, "its place in the list"),
              Field.text("url", "olmServerURI", "its URL"),
              Field.text("state", "health-check-state", "UP, DRAINED, DOWN and others"),
              Field.text("reason", "health-check-message", "why it is in that state"),
              Field.text("role", "stoaServerRole", "primary or replica"),
              Field.number("weight", "stoaServerWeight", "its share of the reads"),
              Field.number("connections", "olmActiveConnections", "connections that are up"),
              Field.number("connecting", "olmPendingConnections", "connections in the making"),
              Field.number("pending", "olmPendingOps", "operations that await its answer"),
              Field.number("received", "olmReceivedOps", "operations that it was sent"),
              Field.number("completed", "olmCompletedOps", "of them answered"),
              Field.number("failed", "olmFailedOps", "of them lost with their connection"),
              Field.number("latencyMicros", "stoaServerLatency", "how long it takes lately"),
              Field.number("lagMillis", "stoaServerLag", "how far it is behind, if known"),
              Field.number(
                  "ejections", "stoaServerEjections", "times it was left out for slowness"),
              Field.number(
                  "connectionCap",
                  "stoaServerConnectionCap",
                  "unanswered operations that it takes on one connection, if it ended some"),
              Field.list("actions", "stoaActions", "what can be done with it")));

  /** Connected clients. */
  public static final Shape CLIENTS =
      new Shape(
          "clients",
          "A client",
          List.of("number", "identity", "peer", "received", "executing", "active"),
          List.of(
              Field.number("number", "monitorConnectionNumber", "of the connection"),
              Field.text(
                  "identity", "monitorConnectionAuthzDN", "as whom it has bound; null if not"),
              Field.text("peer", "monitorConnectionPeerAddress", "where it comes from"),
              Field.text("listener", "monitorConnectionListener", "where it came in"),
              new Field("tls", "true or false", "whether it speaks TLS", Shapes::tls),
              Field.text("since", "monitorConnectionStartTime", "when it connected"),
              Field.text("active", "monitorConnectionActivityTime", "when it last asked something"),
              Field.number("received", "monitorConnectionOpsReceived", "its requests"),
              Field.number("completed", "monitorConnectionOpsCompleted", "of them done"),
              Field.number("executing", "monitorConnectionOpsExecuting", "of them under way"),
              Field.number("pending", "monitorConnectionOpsPending", "of them not looked at yet")));

  /** The caches, which are one entry. */
  public static final Shape CACHE =
      new Shape(
          "cache",
          "`cache stats`",
          List.of(),
          List.of(
              Field.truth("enabled", "stoaCacheEnabled", "whether caching is on"),
              Field.number("searches", "stoaFilterCacheCurrent", "results stored"),
              Field.number("searchesMost", "stoaFilterCacheSize", "most of them"),
              Field.number("searchHits", "stoaFilterCacheHits", "searches answered from memory"),
              Field.number("searchMisses", "stoaFilterCacheMisses", "cacheable ones that were not"),
              Field.ratio(
                  "searchHitRatio", "stoaFilterCacheHits", "stoaFilterCacheMisses", "hits in both"),
              Field.number(
                  "searchesBypassed",
                  "stoaFilterCacheBypassed",
                  "searches that could not use the caches"),
              Field.number("entries", "stoaEntryCacheCurrent", "entries stored"),
              Field.number("entriesMost", "stoaEntryCacheSize", "most of them"),
              Field.number(
                  "entryHits", "stoaEntryCacheHits", "stored entries that went into answers"),
              Field.number("entryMisses", "stoaEntryCacheMisses", "entries that were missing"),
              Field.ratio(
                  "entryHitRatio", "stoaEntryCacheHits", "stoaEntryCacheMisses", "hits in both"),
              Field.number("compareHits", "stoaCompareHits", "compares answered from memory"),
              Field.number("compareMisses", "stoaCompareMisses", "compares that were not"),
              Field.truth(
                  "aclCache",
                  "stoaAclCache",
                  "whether anything is kept for clients that have bound"),
              Field.number(
                  "identities", "stoaAclCacheCurrent", "identities for which something is kept"),
              Field.number("identitiesMost", "stoaAclCacheSize", "most of them"),
              Field.number("octets", "stoaCacheBytes", "memory that the caches take"),
              Field.number("octetsMost", "stoaCacheMaxBytes", "most of it"),
              Field.number("evictions", "stoaCacheEvictions", "dropped for want of room"),
              Field.number(
                  "invalidations",
                  "stoaCacheInvalidations",
                  "times at which a change made all of it void"),
              Field.number(
                  "stale", "stoaCacheStale", "answers that were too old, for want of a server"),
              Field.number("joined", "stoaCacheJoined", "searches that waited for an equal one"),
              Field.number("fills", "stoaCacheFills", "searches under way that will be stored")));

  /** Sharing classes. */
  public static final Shape CLASSES =
      new Shape(
          "classes",
          "An access class",
          List.of(
              "name", "state", "members", "held", "hits", "samples", "differences", "demotions"),
          List.of(
              new Field("name", "text", "its name", EntryValues::name),
              new Field(
                  "state",
                  "text",
                  "verified (its members share, and are compared), uniform (they are declared to be"
                      + " given all that the feed's account is, too) or demoted (they share nothing)",
                  Shapes::classState),
              Field.truth("uniform", "stoaAccessClassUniform", "whether it was declared uniform"),
              Field.number(
                  "members",
                  "stoaAccessClassMembers",
                  "identities that were taken for its members, since the start"),
              Field.number(
                  "held",
                  "stoaAccessClassHeld",
                  "members that share nothing until a difference is explained"),
              Field.number(
                  "groupsUnknown",
                  "stoaAccessClassGroupsUnknown",
                  "groups of which nobody knows now who belongs to them"),
              Field.number(
                  "hits",
                  "stoaAccessClassHits",
                  "answers from memory that may have been read for another member"),
              Field.number(
                  "samples", "stoaAccessClassSamples", "of them compared with the directory"),
              Field.number("differences", "stoaAccessClassDifferences", "of them not the same"),
              Field.number("demotions", "stoaAccessClassDemotions", "how often it was demoted")));

  /** Change feeds. */
  public static final Shape FEEDS =
      new Shape(
          "feeds",
          "A feed of changes",
          List.of(
              "name", "mode", "server", "state", "leaseMillis", "changes", "views", "incoherent"),
          List.of(
              new Field("name", "text", "the naming context that it tells of", EntryValues::name),
              Field.text(
                  "mode",
                  "stoaFeedMode",
                  "how the directory tells of changes; none if nobody does"),
              Field.text("server", "stoaFeedServer", "where it comes from; null if nowhere"),
              Field.text(
                  "phase", "stoaFeedPhase", "live, refreshing, connecting or stopped: the feed"),
              Field.text(
                  "state",
                  "stoaFeedState",
                  "live, lapsed, suspended, flushed or cold: what rests on it"),
              Field.text(
                  "coverage",
                  "stoaFeedCoverage",
                  "what proves that its account sees everything, or what is missing"),
              Field.text("reason", "stoaFeedReason", "why it is not live, or there is none"),
              Field.number(
                  "leaseMillis",
                  "stoaFeedLeaseAge",
                  "how long ago nothing was missing; null if that was never known"),
              Field.number(
                  "boundMillis",
                  "stoaFeedBound",
                  "how long ago that may be; without a feed, how old answers may be"),
              Field.number(
                  "marginMillis",
                  "stoaFeedMargin",
                  "how much of that is taken off, since writes through Stoa take long: at least 20"),
              Field.list("position", "stoaFeedPosition", "up to where changes have been applied"),
              Field.number("connects", "stoaFeedConnects", "how often a connection was tried"),
              Field.number("changes", "stoaFeedChanges", "changes that were applied"),
              Field.number("duplicates", "stoaFeedDuplicates", "those that had been before"),
              Field.number("gaps", "stoaFeedGaps", "how often all was dropped"),
              Field.number(
                  "misses", "stoaFeedMisses", "changes that a server has counted and it not told"),
              Field.number("fills", "stoaFeedFills", "results that were to rest on it"),
              Field.number("views", "stoaFeedViews", "those that are there now"),
              Field.number(
                  "unproved",
                  "stoaFeedUnproved",
                  "those of which it is not proved that it tells of what they show"),
              Field.number("amended", "stoaFeedAmended", "how often a result was changed in place"),
              Field.number(
                  "phantoms",
                  "stoaFeedPhantoms",
                  "changes that it has told and that never took effect"),
              Field.number(
                  "confirms",
                  "stoaFeedConfirms",
                  "entries of which it was asked whether it sees them as they are shown"),
              Field.number(
                  "evaluations",
                  "stoaFeedEvaluations",
                  "how often it was looked whether a changed entry matches a result"),
              Field.number("unknown", "stoaFeedUnknown", "how often that could not be told"),
              Field.number(
                  "incoherent",
                  "stoaFeedIncoherent",
                  "results that were compared with the directory and wrong, and were dropped"),
              Field.number("ring", "stoaFeedRing", "changes that are kept to compare with"),
              Field.number("ringSeconds", "stoaFeedRingSpan", "how long ago the oldest was told"),
              Field.list("refused", "stoaFeedRefused", "results that may not rest on it, by cause"),
              Field.list("kills", "stoaFeedKills", "results that became void, by cause"),
              Field.number(
                  "revocations",
                  "stoaFeedRevocations",
                  "how often all was void since rights may have changed; these are no kills"),
              Field.number(
                  "derivations",
                  "stoaFeedDerivations",
                  "how often what is derived or repaired may have changed; these are no kills")));

  /** Result of a comparison of everything. */
  public static final Shape VERIFICATION =
      new Shape(
          "verification",
          "`verify`",
          List.of(),
          List.of(
              Field.text("state", "stoaVerifyState", "done"),
              Field.number("results", "stoaVerifyResults", "results that were to be compared"),
              new Field("compared", "number", "those that were", Shapes::compared),
              Field.number("verified", "stoaVerifyVerified", "of them what the directory answers"),
              Field.number(
                  "differing", "stoaVerifyDiffering", "of them what is not, and was dropped"),
              Field.number(
                  "unverifiable",
                  "stoaVerifyUnverifiable",
                  "those that could not be compared: their client is not connected, or they"
                      + " changed meanwhile"),
              Field.number("alone", "stoaVerifyAlone", "of them those of clients not connected")));

  /** Write windows. */
  public static final Shape WINDOWS =
      new Shape(
          "windows",
          "A window",
          List.of("name", "state", "everyMillis", "waiting", "closed", "operations"),
          List.of(
              new Field("name", "text", "its name", EntryValues::name),
              Field.text("subtree", "stoaWindowSubtree", "for writes of what; null if of all"),
              Field.text("identity", "stoaWindowIdentity", "for writes of whom; null if of all"),
              Field.text("state", "stoaWindowState", "open, sending or passing (paused)"),
              Field.number("everyMillis", "stoaWindowEvery", "how long writes wait at most"),
              Field.number("mostOperations", "stoaWindowMaxOperations", "how many wait at most"),
              Field.text("batch", "stoaWindowBatch", "how they are sent"),
              Field.number("waiting", "stoaWindowWaiting", "writes that wait"),
              Field.number("closed", "stoaWindowClosed", "times it has closed"),
              Field.number("operations", "stoaWindowOperations", "writes that it has sent"),
              Field.number("together", "stoaWindowTogether", "of them in transactions"),
              Field.number("aborted", "stoaWindowAborted", "transactions that were aborted"),
              Field.number("dropped", "stoaWindowDropped", "writes that their clients took back")));

  /** Explanation of a search. */
  public static final Shape EXPLANATION =
      new Shape(
          "explanation",
          "`cache explain`",
          List.of(),
          List.of(
              Field.text("answer", "stoaAnswer", "hit, miss (can be stored) or bypass (never is)"),
              Field.list("reasons", "stoaReason", "why; the first word of each never changes"),
              Field.number("ageMillis", "stoaAge", "how old the stored answer is"),
              Field.number("entries", "stoaEntries", "how many entries it has"),
              Field.text(
                  "heldBy",
                  "stoaHeldBy",
                  "feed (a feed says that it has not changed) or age (cache.maxAge bounds it)"),
              Field.number(
                  "keptMillis",
                  "stoaKept",
                  "for how long it can be served unless it changes; null if until it changes")));

  /** All shapes, in the order of the documentation. */
  public static final List<Shape> ALL =
      List.of(BACKENDS, CLIENTS, CACHE, CLASSES, FEEDS, VERIFICATION, WINDOWS, EXPLANATION);

  private Shapes() {}

  private static @Nullable Object classState(EntryValues facts) {
    if (Boolean.TRUE.equals(facts.bool("stoaAccessClassDemoted"))) {
      return "demoted";
    }
    Boolean uniform = facts.bool("stoaAccessClassUniform");
    return uniform == null ? null : uniform ? "uniform" : "verified";
  }

  /** Returns the number of results compared so far. */
  public static long compared(EntryValues verification) {
    return verification.count("stoaVerifyVerified") + verification.count("stoaVerifyDiffering");
  }

  private static Object tls(EntryValues facts) {
    String mask = facts.text("monitorConnectionMask");
    return mask != null && mask.indexOf('T') >= 0;
  }
}
