// SPDX-License-Identifier: Apache-2.0
// Rates, hit ratios and latencies of the last 15 minutes, from counters that only grow.

/** Time that the charts show, in ms. */
export const SPAN_MILLIS = 15 * 60 * 1000;

/** A pause between readings that breaks the lines of a chart, in ms. */
const GAP_MILLIS = 15_000;

const STORED = "stoa.history";
const WRITES = ["Add", "Modify", "Modrdn", "Delete"];
const MISSES = ["miss", "joined", "bypass"];
const ANY = null;

/** Returns the counters of a snapshot. */
function counters(snapshot) {
  const completed = (kind) =>
    snapshot.entry(`cn=${kind},cn=Operations,cn=Monitor`).number("monitorOpCompleted") ?? 0;
  const latency = (kind) => snapshot.entry(`cn=${kind},cn=Operations,cn=Monitor`).values("stoaLatency");
  const caches = snapshot.entry("cn=Caches,cn=Monitor");
  return {
    time: snapshot.time,
    searches: completed("Search"),
    binds: completed("Bind"),
    writes: WRITES.reduce((sum, kind) => sum + completed(kind), 0),
    hits: caches.number("stoaFilterCacheHits") ?? 0,
    misses: caches.number("stoaFilterCacheMisses") ?? 0,
    searchLatency: latency("Search"),
    bindLatency: latency("Bind"),
  };
}

/** Returns the number of operations by upper bound in µs, for some cache outcomes. */
function buckets(lines, outcomes) {
  const result = new Map();
  for (const line of lines) {
    const [outcome, bound, number] = line.split(" ");
    if (outcomes === ANY || outcomes.includes(outcome)) {
      const key = bound === "more" ? Infinity : Number(bound);
      result.set(key, (result.get(key) ?? 0) + Number(number));
    }
  }
  return result;
}

/** Returns a percentile in µs of the operations between two readings; null without one. */
function percentile(before, now, outcomes, share) {
  const old = buckets(before, outcomes);
  const added = [...buckets(now, outcomes)]
    .map(([bound, number]) => [bound, number - (old.get(bound) ?? 0)])
    .filter(([, number]) => number > 0)
    .sort(([a], [b]) => a - b);
  const total = added.reduce((sum, [, number]) => sum + number, 0);
  let rest = share * total;
  for (const [bound, number] of added) {
    rest -= number;
    if (rest <= 0) {
      return Number.isFinite(bound) ? bound : 1e7;
    }
  }
  return null;
}

/** Keeps points of at most 15 minutes. They outlive a reload of the page, and end with its tab. */
export class History {
  constructor() {
    this.last = null;
    this.points = [];
    this.started = null;
  }

  /** Reads the points that an earlier page of this tab has left. */
  restore() {
    try {
      const stored = JSON.parse(sessionStorage.getItem(STORED) ?? "null");
      this.points = stored?.points ?? [];
      this.started = stored?.started ?? null;
    } catch {
      this.points = [];
    }
  }

  store() {
    sessionStorage.setItem(STORED, JSON.stringify({ points: this.points, started: this.started }));
  }

  /** Adds a reading. A restart of Stoa begins a new history. */
  add(snapshot) {
    const now = counters(snapshot);
    const started = snapshot.entry("cn=monitor").text("starttime");
    if (started !== this.started) {
      this.started = started;
      this.points = [];
      this.last = null;
    }
    const before = this.last;
    this.last = now;
    if (before !== null && now.time > before.time) {
      this.points.push(this.point(before, now));
    }
    this.points = this.points.filter((point) => point.time > now.time - SPAN_MILLIS);
  }

  point(before, now) {
    const seconds = (now.time - before.time) / 1000;
    const rate = (name) => (now[name] - before[name]) / seconds;
    const hits = now.hits - before.hits;
    const lookups = hits + now.misses - before.misses;
    const of = (outcomes, share) => percentile(before.searchLatency, now.searchLatency, outcomes, share);
    const ofBinds = (share) => percentile(before.bindLatency, now.bindLatency, ANY, share);
    return {
      time: now.time,
      searches: rate("searches"),
      binds: rate("binds"),
      writes: rate("writes"),
      ratio: lookups === 0 ? null : hits / lookups,
      hitP50: of(["hit"], 0.5),
      hitP99: of(["hit"], 0.99),
      missP50: of(MISSES, 0.5),
      missP99: of(MISSES, 0.99),
      bindP50: ofBinds(0.5),
      bindP99: ofBinds(0.99),
    };
  }

  /** Returns the last point; null before the second reading. */
  latest() {
    return this.points.at(-1) ?? null;
  }

  /** Returns the lines of a value: each is an array of points without a gap. */
  lines(name) {
    const lines = [];
    let line = [];
    let previous = null;
    for (const point of this.points) {
      const isGap = previous !== null && point.time - previous > GAP_MILLIS;
      if (line.length > 0 && (isGap || point[name] === null)) {
        lines.push(line);
        line = [];
      }
      if (point[name] !== null) {
        line.push({ x: point.time, y: point[name] });
      }
      previous = point.time;
    }
    return line.length > 0 ? [...lines, line] : lines;
  }

  /** Returns the mean of each value by minute, the newest minute first. */
  byMinute() {
    const minutes = new Map();
    for (const point of this.points) {
      const minute = Math.floor(point.time / 60_000) * 60_000;
      minutes.set(minute, [...(minutes.get(minute) ?? []), point]);
    }
    const mean = (points, name) => {
      const known = points.map((point) => point[name]).filter((value) => value !== null);
      return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
    };
    return [...minutes].reverse().map(([time, points]) => ({ time, mean: (name) => mean(points, name) }));
  }
}
