// SPDX-License-Identifier: Apache-2.0
// The course of counters over the last 15 minutes. Counters of cn=monitor only grow until a restart.

/** Time that the charts show, in ms. */
export const SPAN_MILLIS = 15 * 60 * 1000;

const MINUTE_MILLIS = 60_000;
const STORED = "stoa.history";
const WRITES = ["Add", "Modify", "Modrdn", "Delete"];

/** Cache outcomes of hits and of misses. Histograms of binds count all outcomes. */
const OUTCOMES = { hit: ["hit", "stale"], miss: ["miss", "joined", "bypass"] };

/** Returns the counters of a snapshot, and its histograms: counts by upper bound in µs, or "more". */
function reading(snapshot) {
  const operation = (kind) => snapshot.entry(`cn=${kind},cn=Operations,cn=Monitor`);
  const completed = (kind) => operation(kind).number("monitorOpCompleted") ?? 0;
  const caches = snapshot.entry("cn=Caches,cn=Monitor");
  const searches = operation("Search").values("stoaLatency");
  return {
    time: snapshot.time,
    counts: {
      searches: completed("Search"),
      binds: completed("Bind"),
      writes: WRITES.reduce((sum, kind) => sum + completed(kind), 0),
      hits: caches.number("stoaFilterCacheHits") ?? 0,
      misses: caches.number("stoaFilterCacheMisses") ?? 0,
    },
    buckets: {
      hit: histogram(searches, OUTCOMES.hit),
      miss: histogram(searches, OUTCOMES.miss),
      bind: histogram(operation("Bind").values("stoaLatency"), null),
    },
  };
}

/** Returns counts by upper bound. Each line is an outcome, an upper bound and a count. */
function histogram(lines, outcomes) {
  const counts = {};
  for (const line of lines) {
    const [outcome, bound, count] = line.split(" ");
    if (outcomes === null || outcomes.includes(outcome)) {
      counts[bound] = (counts[bound] ?? 0) + Number(count);
    }
  }
  return counts;
}

/** Combines the values of two objects, where an absent value is 0. */
function combine(one, other, operation) {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...keys].map((key) => [key, operation(one[key] ?? 0, other[key] ?? 0)]));
}

function combineBuckets(one, other, operation) {
  return Object.fromEntries(
    Object.keys(one).map((name) => [name, combine(one[name], other[name], operation)]));
}

/** Returns the upper bound in µs of a percentile; Infinity above all bounds, null without a count. */
function percentile(counts, share) {
  const bounds = Object.entries(counts)
    .map(([bound, count]) => [bound === "more" ? Infinity : Number(bound), count])
    .sort(([a], [b]) => a - b);
  let rest = share * bounds.reduce((sum, [, count]) => sum + count, 0);
  for (const [bound, count] of bounds) {
    rest -= count;
    if (count > 0 && rest <= 0) {
      return bound;
    }
  }
  return null;
}

/** Returns the rates, the hit ratio and the latencies of some points together. */
function summary(points) {
  if (points.length === 0) {
    return {};
  }
  const seconds = points.reduce((sum, point) => sum + point.time - point.from, 0) / 1000;
  const plus = (a, b) => a + b;
  const counts = points.map((point) => point.counts).reduce((a, b) => combine(a, b, plus));
  const buckets = points.map((point) => point.buckets).reduce((a, b) => combineBuckets(a, b, plus));
  const lookups = counts.hits + counts.misses;
  return {
    searches: counts.searches / seconds,
    binds: counts.binds / seconds,
    writes: counts.writes / seconds,
    ratio: lookups === 0 ? null : counts.hits / lookups,
    hitP50: percentile(buckets.hit, 0.5),
    hitP99: percentile(buckets.hit, 0.99),
    missP50: percentile(buckets.miss, 0.5),
    missP99: percentile(buckets.miss, 0.99),
    bindP50: percentile(buckets.bind, 0.5),
    bindP99: percentile(buckets.bind, 0.99),
  };
}

/**
 * Keeps points of at most 15 minutes. Each point has the counts between two readings. Points outlive
 * a reload of the page.
 */
export class History {
  constructor() {
    this.last = null;
    this.started = null;
    this.points = [];
  }

  /** Reads the points that an earlier page of this tab has left. */
  restore() {
    try {
      const stored = JSON.parse(sessionStorage.getItem(STORED) ?? "{}");
      this.points = stored.points ?? [];
      this.started = stored.started ?? null;
    } catch {
      this.points = [];
    }
  }

  store() {
    sessionStorage.setItem(STORED, JSON.stringify({ points: this.points, started: this.started }));
  }

  /** Adds a reading. A restart of Stoa begins a new history. */
  add(snapshot) {
    const now = reading(snapshot);
    const started = snapshot.entry("cn=Start,cn=Time,cn=Monitor").text("monitorTimestamp");
    if (started !== this.started) {
      this.started = started;
      this.points = [];
      this.last = null;
    }
    const before = this.last;
    this.last = now;
    if (before !== null && now.time > before.time) {
      const minus = (a, b) => a - b;
      this.points.push({
        from: before.time,
        time: now.time,
        counts: combine(now.counts, before.counts, minus),
        buckets: combineBuckets(now.buckets, before.buckets, minus),
      });
    }
    this.points = this.points.filter((point) => point.time > now.time - SPAN_MILLIS);
  }

  /** Returns the values of the last minute; none before the second reading. */
  lastMinute() {
    const end = this.points.at(-1)?.time ?? 0;
    return summary(this.points.filter((point) => point.time > end - MINUTE_MILLIS));
  }

  /** Returns lines of x and y for each value. A line ends where a value is unknown. */
  lines(names) {
    const lines = Object.fromEntries(names.map((name) => [name, []]));
    const open = {};
    for (const point of this.points) {
      const values = summary([point]);
      for (const name of names) {
        if (values[name] === null) {
          open[name] = null;
        } else {
          if (!open[name] || open[name].at(-1).x !== point.from) {
            open[name] = [{ x: point.from, y: values[name] }];
            lines[name].push(open[name]);
          }
          open[name].push({ x: point.time, y: values[name] });
        }
      }
    }
    return lines;
  }

  /** Returns the values of each minute, the newest first. */
  byMinute() {
    const minutes = Map.groupBy(this.points, (point) => Math.floor(point.time / MINUTE_MILLIS));
    return [...minutes].reverse().map(([minute, points]) => ({ time: minute * MINUTE_MILLIS, values: summary(points) }));
  }
}
