// SPDX-License-Identifier: Apache-2.0
// Shows the entries of cn=monitor in the sections of the page.

import { drawChart } from "./chart.js";
import { byId, element, setText, showPairs } from "./elements.js";
import * as format from "./format.js";
import { SPAN_MILLIS } from "./history.js";
import { Table } from "./table.js";

const ROOT = "cn=Monitor";
const ROWS_AT_FIRST = 50;
const KINDS = {
  UP: "good", live: "good", open: "good", sending: "good", none: "plain", DRAINED: "plain", paused: "plain",
  DOWN: "bad", cold: "bad", gap: "bad",
};
const SYMBOLS = { good: "●", plain: "○", bad: "✖", doubt: "▲" };

/** A state as a word with a symbol, so that the colour is not needed. */
function state(word) {
  const kind = KINDS[word] ?? "doubt";
  const symbol = SYMBOLS[kind];
  return element("span", { class: `state ${kind}` }, element("span", { "aria-hidden": "true" }, `${symbol} `), word);
}

function ratio(hits, misses) {
  return hits + misses === 0 ? null : hits / (hits + misses);
}

/** Rates of counters between two answers, by a key. */
class Rates {
  constructor() {
    this.before = new Map();
    this.time = null;
  }

  /** Returns the rate of each counter; null before the second reading. */
  next(time, counts) {
    const seconds = this.time === null ? 0 : (time - this.time) / 1000;
    const rates = new Map();
    for (const [key, value] of counts) {
      const old = this.before.get(key);
      rates.set(key, seconds > 0 && old !== undefined && value >= old ? (value - old) / seconds : null);
    }
    this.time = time;
    this.before = new Map(counts);
    return rates;
  }
}

/** Shows the first lines: version, time since the start, readiness. */
export function showProcess(snapshot) {
  const root = snapshot.entry("cn=monitor");
  const started = format.generalizedTime(snapshot.entry(`cn=Start,cn=Time,${ROOT}`).text("monitorTimestamp"));
  const uptime = started === null ? "" : `, up ${format.duration((snapshot.time - started) / 1000)}`;
  setText(byId("process"), `${root.text("version")}${uptime}`);
  const ready = root.text("ready") === "TRUE";
  const symbol = ready ? "●" : "✖";
  const line = byId("readiness");
  line.className = `state ${ready ? "good" : "bad"}`;
  setText(line, `${symbol} ${ready ? "ready" : `not ready: ${root.text("ready_reason")}`}`);
}

/** Shows the present figures and the charts. */
export function showTraffic(snapshot, history) {
  const root = snapshot.entry("cn=monitor");
  const now = history.lastMinute();
  const times = (kind) => `${format.within(now[`${kind}P50`])}, ${format.within(now[`${kind}P99`])}`;
  showPairs(
    byId("figures"),
    [
      ["Searches per second", format.amount(now.searches)],
      ["Binds per second", format.amount(now.binds)],
      ["Hit ratio", format.percent(now.ratio)],
      ["Hits, p50 and p99", times("hit")],
      ["Misses, p50 and p99", times("miss")],
      ["Binds, p50 and p99", times("bind")],
      ["Client connections", format.count(root.number("currentconnections"))],
      ["Operations in flight upstream", format.count(root.number("upstream_outstanding"))],
      ["Operations that wait", format.count(root.number("currentworkqueue"))],
    ],
    true);
  const x = {
    range: [snapshot.time - SPAN_MILLIS, snapshot.time],
    ticks: [
      [snapshot.time - SPAN_MILLIS, "−15 min", "start"],
      [snapshot.time - (2 * SPAN_MILLIS) / 3, "−10 min"],
      [snapshot.time - SPAN_MILLIS / 3, "−5 min"],
      [snapshot.time, "now", "end"],
    ],
  };
  const lines = history.lines(Object.keys(now));
  const draw = (id, title, names, show, y) =>
    drawChart(
      byId(id),
      title,
      names.map(([name, key]) => ({ name, lines: lines[key] ?? [], last: show(now[key]) })),
      { x, y });
  const latency = { format: format.micros, log: true, cap: format.LARGEST_BOUND };
  draw(
    "rates",
    "Operations per second",
    [["Searches", "searches"], ["Binds", "binds"], ["Writes", "writes"]],
    format.amount,
    { format: format.amount });
  draw("ratio", "Hit ratio of cacheable searches", [["Hit ratio", "ratio"]], format.percent, {
    format: format.percent,
    largest: 1,
  });
  draw(
    "latency",
    "Latency of searches",
    [["Hit p50", "hitP50"], ["Hit p99", "hitP99"], ["Miss p50", "missP50"], ["Miss p99", "missP99"]],
    format.within,
    latency);
  draw("binds", "Latency of binds", [["Bind p50", "bindP50"], ["Bind p99", "bindP99"]], format.within, latency);
  if (byId("minutes").open) {
    showMinutes(history);
  }
}

let minutes = null;

/** Shows the values of the charts as a table. */
export function showMinutes(history) {
  minutes ??= new Table(byId("minutes"));
  minutes.show(
    history.byMinute().map(({ time, values }) => ({
      key: String(time),
      cells: [
        format.clock(time),
        format.amount(values.searches),
        format.amount(values.binds),
        format.amount(values.writes),
        format.percent(values.ratio),
        ...["hit", "miss", "bind"].flatMap((kind) => [
          format.within(values[`${kind}P50`]),
          format.within(values[`${kind}P99`]),
        ]),
      ],
    })));
}

/** Returns the name of the tier that contains a server, and of its directory if there are several. */
function tier(server) {
  return /,cn=tier ([^,]*),/i.exec(server.dn)?.[1] ?? "–";
}

/** Directory servers. */
export class Servers {
  constructor() {
    this.table = new Table(byId("servers"));
    this.rates = new Rates();
  }

  show(snapshot) {
    const servers = snapshot.ofClass("olmBalancerServer");
    const rates = this.rates.next(
      snapshot.time,
      servers.map((server) => [server.dn, server.number("olmReceivedOps")]));
    this.table.show(
      servers.map((server) => ({
        key: server.dn,
        cells: [
          server.text("olmServerURI"),
          state(server.text("health-check-state")),
          tier(server),
          server.text("stoaServerRole"),
          format.amount(server.number("stoaServerWeight")),
          format.count(server.number("olmPendingOps")),
          format.amount(rates.get(server.dn)),
          format.micros(server.number("stoaServerLatency")),
          format.millis(server.number("stoaServerLag")),
          format.count(server.number("stoaServerEjections")),
          format.count(server.number("olmActiveConnections")),
          format.text(server.text("health-check-message")),
        ],
      })));
  }
}

/** Change feeds. */
export class Feeds {
  constructor() {
    this.table = new Table(byId("feeds"));
    this.rates = new Rates();
  }

  show(snapshot) {
    const feeds = snapshot.ofClass("stoaFeed");
    const rates = this.rates.next(
      snapshot.time,
      feeds.map((feed) => [feed.dn, feed.number("stoaFeedChanges")]).filter(([, value]) => value !== null));
    this.table.show(
      feeds.map((feed) => ({
        key: feed.dn,
        cells: [
          feed.text("cn"),
          state(feed.text("stoaFeedState") ?? "none"),
          format.text(feed.text("stoaFeedServer")),
          format.millis(feed.number("stoaFeedLeaseAge")),
          format.millis(feed.number("stoaFeedBound")),
          format.count(feed.number("stoaFeedViews")),
          format.amount(rates.get(feed.dn)),
          format.text(feed.text("stoaFeedCoverage")),
          format.text(feed.text("stoaFeedReason")),
        ],
      })));
  }
}

/** Caches, and their hit ratios by size. */
export class Caches {
  constructor() {
    this.table = new Table(byId("caches"));
  }

  show(snapshot) {
    const caches = snapshot.entry(`cn=Caches,${ROOT}`);
    const number = (name) => caches.number(name);
    const row = (name, current, size, hits, misses) => ({
      key: name,
      cells: [
        name,
        format.count(number(current)),
        format.count(number(size)),
        format.percent(number(size) > 0 ? number(current) / number(size) : null),
        format.count(number(hits)),
        format.count(number(misses)),
        format.percent(ratio(number(hits), number(misses))),
      ],
    });
    this.table.show([
      row("Results of searches", "stoaFilterCacheCurrent", "stoaFilterCacheSize", "stoaFilterCacheHits", "stoaFilterCacheMisses"),
      row("Entries", "stoaEntryCacheCurrent", "stoaEntryCacheSize", "stoaEntryCacheHits", "stoaEntryCacheMisses"),
      row("Results of compares", null, null, "stoaCompareHits", "stoaCompareMisses"),
    ]);
    showPairs(
      byId("cache-figures"),
      [
        ["Caching", caches.text("stoaCacheEnabled") === "TRUE" ? "on" : "off"],
        ["Memory", `${format.bytes(number("stoaCacheBytes"))} of ${format.bytes(number("stoaCacheMaxBytes"))}`],
        ["Evictions", format.count(number("stoaCacheEvictions"))],
        ["Invalidations of all results", format.count(number("stoaCacheInvalidations"))],
        ["Searches bypassed", format.count(number("stoaFilterCacheBypassed"))],
        ["Searches joined", format.count(number("stoaCacheJoined"))],
        ["Stale answers", format.count(number("stoaCacheStale"))],
      ],
      true);
  }
}

/** The estimated hit ratio of a cache by its size, as a chart and a table. */
class Curve {
  constructor(place, unit) {
    this.place = place;
    this.unit = unit;
    place.append(byId("curve").content.cloneNode(true));
    place.querySelector(".scroll").setAttribute("aria-label", `Table of hit ratios by ${unit}`);
    this.table = new Table(place);
  }

  show(curve) {
    const points = curve
      .values("stoaCurvePoint")
      .map((line) => line.split(" ").map(Number))
      .sort(([a], [b]) => a - b);
    const sampled = curve.number("stoaCurveSampled") ?? 0;
    const isKnown = points.length > 0 && sampled > 0;
    this.place.querySelector("figure").hidden = !isKnown;
    this.place.querySelector(".scroll").hidden = !isKnown;
    setText(this.place.querySelector(".note"), this.note(curve, sampled));
    if (isKnown) {
      this.showPoints(points, curve.number("stoaCurveSize"), curve.number("stoaCurveKnee"));
    }
  }

  note(curve, sampled) {
    if (sampled === 0) {
      return `Hit ratio by ${this.unit}: no search has been sampled yet.`;
    }
    const doubt = curve.text("stoaCurveReliable") === "TRUE" ? "" : ": too few to rely on";
    return `Estimated from ${format.count(sampled)} sampled lookups${doubt}.`;
  }

  showPoints(points, size, knee) {
    this.table.show(
      points.map(([bound, hits, results, entries, octets], index) => ({
        key: String(index),
        cells: [
          format.count(bound),
          format.percent(hits),
          format.count(results),
          format.count(entries),
          format.bytes(octets),
          [bound === size ? "present size" : "", bound === knee ? "knee" : ""].filter(Boolean).join(", "),
        ],
      })));
    const anchor = (index) => (index === 0 ? "start" : index === points.length - 1 ? "end" : "middle");
    drawChart(
      this.place.querySelector("figure"),
      `Hit ratio by ${this.unit}`,
      [{
        name: "At the present size",
        lines: [points.map(([, hits], index) => ({ x: index, y: hits }))],
        last: format.percent(points.find(([bound]) => bound === size)?.[1]),
      }],
      {
        x: {
          range: [0, points.length - 1],
          ticks: points.map(([bound], index) => [index, format.count(bound), anchor(index)]),
        },
        y: { format: format.percent, largest: 1 },
        marks: true,
      });
  }
}

/** Advice, and the curves of the caches. */
export class Advice {
  constructor() {
    this.filterCurve = new Curve(byId("filter-curve"), "results stored");
    this.entryCurve = new Curve(byId("entry-curve"), "entries stored");
  }

  show(snapshot) {
    const cards = snapshot.ofClass("stoaAdvice").map((advice) => this.card(advice));
    const list = byId("advice-list");
    const isSame =
      list.children.length === cards.length && cards.every((one, index) => one.isEqualNode(list.children[index]));
    if (!isSame) {
      list.replaceChildren(...cards);
    }
    byId("advice").querySelector(".empty").hidden = cards.length > 0;
    this.filterCurve.show(snapshot.entry(`cn=Filter cache sizes,cn=Advice,${ROOT}`));
    this.entryCurve.show(snapshot.entry(`cn=Entry cache sizes,cn=Advice,${ROOT}`));
  }

  card(advice) {
    return element(
      "li",
      {},
      element("h3", {}, `${advice.text("stoaAdviceTopic")}: ${advice.text("stoaAdviceSubject")}`),
      element("p", {}, advice.text("stoaAdviceEvidence")),
      element("pre", {}, advice.ordered("stoaAdviceChange").join("\n")));
  }
}

/** Searches by pattern, and one pattern in detail. */
export class Digests {
  constructor() {
    this.table = new Table(byId("digests"), "upstream");
    this.selected = null;
    this.digests = [];
    this.table.limit = ROWS_AT_FIRST;
    byId("filter").addEventListener("input", () => this.showRows());
    byId("all-digests").addEventListener("click", () => this.toggleAll());
    byId("digest-back").addEventListener("click", () => this.back());
  }

  toggleAll() {
    const isAll = this.table.limit === ROWS_AT_FIRST;
    this.table.limit = isAll ? Infinity : ROWS_AT_FIRST;
    byId("all-digests").setAttribute("aria-pressed", String(isAll));
    this.showRows();
  }

  /** Moves the focus from the detail to the row of its pattern. */
  back() {
    const row = [...this.table.body.rows].find((one) => one.dataset.key === this.selected);
    (row?.querySelector("button") ?? byId("filter")).focus();
  }

  show(snapshot) {
    this.digests = snapshot.ofClass("stoaSearchDigest").filter((digest) => digest.number("stoaDigestSearches") > 0);
    this.showRows();
    this.showDetail();
  }

  showRows() {
    const part = byId("filter").value.toLowerCase();
    const rows = this.digests.filter((digest) => contains(digest, part)).map((digest) => this.row(digest));
    this.table.show(rows);
    this.markSelected();
    const shown = Math.min(rows.length, this.table.limit);
    setText(byId("digest-count"), `${shown} of ${this.digests.length} patterns`);
    byId("all-digests").hidden = rows.length <= ROWS_AT_FIRST;
  }

  row(digest) {
    const number = (name) => digest.number(`stoaDigest${name}`);
    const times = {
      hitP50: number("HitP50"), hitP99: number("HitP99"), missP50: number("MissP50"), missP99: number("MissP99"),
    };
    const sort = {
      pattern: pattern(digest),
      searches: number("Searches"),
      ratio: number("Searches") === 0 ? null : (number("Hits") + number("Joined")) / number("Searches"),
      upstream: number("Upstream"),
      recent: number("Recent"),
      ...times,
      entries: number("Entries"),
      octets: number("Octets"),
      values: number("Values"),
    };
    return {
      key: digest.dn,
      sort,
      cells: [
        this.button(digest.dn, sort.pattern),
        format.count(sort.searches),
        format.percent(sort.ratio),
        format.micros(sort.upstream),
        format.micros(sort.recent),
        ...Object.values(times).map((time) => (time === 0 ? "–" : format.micros(time))),
        format.count(sort.entries),
        format.bytes(sort.octets),
        format.count(sort.values),
      ],
    };
  }

  button(dn, text) {
    const button = element("button", { type: "button" }, text);
    button.addEventListener("click", () => {
      this.selected = dn;
      this.markSelected();
      this.showDetail();
      byId("digest-title").focus();
    });
    return button;
  }

  markSelected() {
    for (const row of this.table.body.rows) {
      if (row.dataset.key === this.selected) {
        row.setAttribute("aria-current", "true");
      } else {
        row.removeAttribute("aria-current");
      }
    }
  }

  showDetail() {
    const digest = this.digests.find((one) => one.dn === this.selected);
    if (digest === undefined) {
      if (byId("digest").contains(document.activeElement)) {
        byId("filter").focus();
      }
      byId("digest").hidden = true;
      return;
    }
    byId("digest").hidden = false;
    const text = (name) => digest.text(`stoaDigest${name}`) ?? "–";
    const time = (name) => format.dateTime(format.generalizedTime(digest.text(`stoaDigest${name}`)));
    const list = (name) => digest.values(`stoaDigest${name}`).join("\n") || "–";
    setText(byId("digest-title"), `Pattern ${digest.text("cn")}`);
    showPairs(byId("digest").querySelector("dl"), [
      ["Base", text("Base")],
      ["Scope", text("Scope")],
      ["Filter", text("Filter")],
      ["Attributes", text("Attributes")],
      ["Aliases", text("Deref")],
      ["Hits", text("Hits")],
      ["Joined", text("Joined")],
      ["Misses", text("Misses")],
      ["Bypassed", text("Bypassed")],
      ["Empty answers", text("Empty")],
      ["Failed", text("Failed")],
      ["First seen", time("First")],
      ["Last seen", time("Last")],
      ["Identities", list("Identities")],
      ["Networks", list("Networks")],
    ]);
  }
}

/** Returns filter, scope, base and attributes. An empty base is the root DSE, or the whole tree. */
function pattern(digest) {
  const part = (name) => digest.text(`stoaDigest${name}`) ?? "";
  if (digest.text("stoaDigestFilter") === null) {
    return "all other patterns";
  }
  const root = part("Scope") === "base" ? "(root DSE)" : "(the whole tree)";
  return `${part("Filter")} ${part("Scope")} ${part("Base") || root} ${part("Attributes")}`;
}

/** True if a part is in the pattern, the id, an identity or a network of a digest. */
function contains(digest, part) {
  return [
    pattern(digest),
    digest.text("cn"),
    ...digest.values("stoaDigestIdentities"),
    ...digest.values("stoaDigestNetworks"),
  ].some((text) => text.toLowerCase().includes(part));
}

/** Write windows. */
export class Windows {
  constructor() {
    this.table = new Table(byId("windows"));
  }

  show(snapshot) {
    const number = (window, name) => format.count(window.number(`stoaWindow${name}`));
    this.table.show(
      snapshot.ofClass("stoaWindow").map((window) => ({
        key: window.dn,
        cells: [
          window.text("cn"),
          state(window.text("stoaWindowState")),
          number(window, "Waiting"),
          format.millis(window.number("stoaWindowEvery")),
          number(window, "Closed"),
          number(window, "Operations"),
          number(window, "Transactional"),
          number(window, "Aborted"),
          number(window, "Dropped"),
        ],
      })));
  }
}

/** Clients by network. */
export class Networks {
  constructor() {
    this.table = new Table(byId("networks"), "connections");
  }

  show(snapshot) {
    this.table.show(
      snapshot.ofClass("stoaNetwork").map((network) => {
        const sort = {
          network: network.text("cn"),
          connections: network.number("stoaNetworkConnections"),
          received: network.number("stoaNetworkReceived"),
          executing: network.number("stoaNetworkExecuting"),
          failed: network.number("stoaFailedBindsCount") ?? 0,
        };
        return {
          key: network.dn,
          sort,
          cells: [
            sort.network,
            format.count(sort.connections),
            format.count(sort.received),
            format.count(sort.executing),
            failures(network),
            network.values("stoaNetworkIdentities").join("\n"),
          ],
        };
      }));
  }
}

/** Returns the number of failed binds of a network, their results and the time of the last. */
function failures(network) {
  const last = format.dateTime(format.generalizedTime(network.text("stoaFailedBindsLast")));
  const count = network.number("stoaFailedBindsCount") ?? 0;
  return count === 0
    ? "0"
    : `${format.count(count)} (${network.values("stoaFailedBindsResults").join(", ")}), last ${last}`;
}

/** Returns a line of the log with its time as the local one. */
function localTime(line) {
  const [time, ...rest] = line.split(" ");
  return [format.dateTime(new Date(time)), ...rest].join(" ");
}

/** Shows the last warnings and errors of the log, the newest first. */
export function showWarnings(snapshot) {
  const lines = snapshot.entry(`cn=Warnings,${ROOT}`).ordered("stoaWarning").map(localTime);
  const list = byId("warning-list");
  const shown = [...list.children].map((item) => item.textContent);
  if (shown.length !== lines.length || shown.some((text, index) => text !== lines[index])) {
    list.replaceChildren(...lines.map((line) => element("li", {}, line)));
  }
  byId("warnings").querySelector(".empty").hidden = lines.length > 0;
}
