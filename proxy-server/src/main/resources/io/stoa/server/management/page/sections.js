// SPDX-License-Identifier: Apache-2.0
// Shows the entries of cn=monitor in the sections of the page.

import { drawChart } from "./chart.js";
import { byId, element, setText, showPairs } from "./elements.js";
import * as format from "./format.js";
import { SPAN_MILLIS } from "./history.js";
import { Table } from "./table.js";

const ROOT = "cn=Monitor";
const GOOD_STATES = ["UP", "live", "open"];
const BAD_STATES = ["DOWN", "cold", "gap"];

/** A state as a word with a symbol, so that the colour is not needed. */
function state(word) {
  const kind = GOOD_STATES.includes(word) ? "good" : BAD_STATES.includes(word) ? "bad" : "doubt";
  const symbol = { good: "●", bad: "✖", doubt: "▲" }[kind];
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
  const started = format.generalizedTime(root.text("starttime"));
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
  const point = history.latest();
  const value = (name) => (point === null ? null : point[name]);
  showPairs(
    byId("figures"),
    [
      ["Searches per second", format.amount(value("searches"))],
      ["Hit ratio", format.percent(value("ratio"))],
      ["Hits, p50 and p99", `${format.within(value("hitP50"))}, ${format.within(value("hitP99"))}`],
      ["Misses, p50 and p99", `${format.within(value("missP50"))}, ${format.within(value("missP99"))}`],
      ["Binds, p50 and p99", `${format.within(value("bindP50"))}, ${format.within(value("bindP99"))}`],
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
  const series = (name, key, show) => ({ name, lines: history.lines(key), last: show(value(key)) });
  drawChart(
    byId("rates"),
    "Operations per second",
    [
      series("Searches", "searches", format.amount),
      series("Binds", "binds", format.amount),
      series("Writes", "writes", format.amount),
    ],
    { x, y: { format: format.amount } });
  drawChart(byId("ratio"), "Hit ratio of cacheable searches", [series("Hit ratio", "ratio", format.percent)], {
    x,
    y: { format: (share) => format.percent(share), largest: 1 },
  });
  drawChart(
    byId("latency"),
    "Latency of searches",
    [
      series("Hit p50", "hitP50", format.within),
      series("Hit p99", "hitP99", format.within),
      series("Miss p50", "missP50", format.within),
      series("Miss p99", "missP99", format.within),
    ],
    { x, y: { format: format.micros, log: true } });
  if (byId("minutes").open) {
    showMinutes(history);
  }
}

/** Shows the values of the charts as a table. */
export function showMinutes(history) {
  const cells = ({ time, mean }) => [
    format.clock(time),
    format.amount(mean("searches")),
    format.amount(mean("binds")),
    format.amount(mean("writes")),
    format.percent(mean("ratio")),
    ...["hitP50", "hitP99", "missP50", "missP99"].map((name) => format.within(mean(name))),
  ];
  byId("minutes")
    .querySelector("tbody")
    .replaceChildren(
      ...history.byMinute().map((minute) => {
        const [time, ...rest] = cells(minute);
        return element("tr", {}, element("th", { scope: "row" }, time), ...rest.map((text) => element("td", {}, text)));
      }));
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
          server.text("stoaServerRole"),
          format.count(server.number("olmPendingOps")),
          format.amount(rates.get(server.dn)),
          format.micros(server.number("stoaServerLatency")),
          format.millis(server.number("stoaServerLag")),
          format.count(server.number("stoaServerEjections")),
          format.count(server.number("olmActiveConnections")),
          server.text("health-check-message"),
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
          feed.text("stoaFeedServer"),
          format.millis(feed.number("stoaFeedLeaseAge")),
          format.millis(feed.number("stoaFeedBound")),
          format.count(feed.number("stoaFeedViews")),
          format.amount(rates.get(feed.dn)),
          feed.text("stoaFeedCoverage"),
          feed.text("stoaFeedReason"),
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

/** Shows the estimated hit ratio of a cache by its size, as a chart and a table. */
function showCurve(place, curve, unit) {
  const points = curve
    .values("stoaCurvePoint")
    .map((line) => line.split(" ").map(Number))
    .sort(([a], [b]) => a - b);
  if (points.length === 0 || curve.number("stoaCurveSampled") === 0) {
    place.replaceChildren(element("p", { class: "note" }, `Hit ratio by ${unit}: no search has been sampled yet.`));
    return;
  }
  const size = curve.number("stoaCurveSize");
  const knee = curve.number("stoaCurveKnee");
  const figure = element("figure");
  const rows = points.map(([bound, hits, results, entries, octets]) =>
    element(
      "tr",
      {},
      element("th", { scope: "row", class: "number" }, format.count(bound)),
      element("td", { class: "number" }, format.percent(hits)),
      element("td", { class: "number" }, format.count(results)),
      element("td", { class: "number" }, format.count(entries)),
      element("td", { class: "number" }, format.bytes(octets)),
      element("td", {}, [bound === size ? "present size" : "", bound === knee ? "knee" : ""].filter(Boolean).join(", "))));
  const heads = ["Size", "Hit ratio", "Results", "Entries", "Memory"].map((name) =>
    element("th", { scope: "col", class: "number" }, name));
  const table = element(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": `Hit ratio by ${unit}` },
    element(
      "table",
      {},
      element("thead", {}, element("tr", {}, ...heads, element("th", { scope: "col" }, "Note"))),
      element("tbody", {}, ...rows)));
  const reliable = curve.text("stoaCurveReliable") === "TRUE";
  const sampled = format.count(curve.number("stoaCurveSampled"));
  const note = reliable
    ? `Estimated from ${sampled} sampled lookups.`
    : `Estimated from ${sampled} sampled lookups: too few to rely on.`;
  place.replaceChildren(figure, table, element("p", { class: "note" }, note));
  const line = points.map(([, hits], index) => ({ x: index, y: hits }));
  const ticks = points.map(([bound], index) => [
    index,
    format.count(bound),
    index === 0 ? "start" : index === points.length - 1 ? "end" : "middle",
  ]);
  const present = points.find(([bound]) => bound === size);
  drawChart(
    figure,
    `Hit ratio by ${unit}`,
    [{ name: "At the present size", lines: [line], last: format.percent(present?.[1]) }],
    { x: { range: [0, points.length - 1], ticks }, y: { format: format.percent, largest: 1 }, marks: true });
}

/** Shows the advice, and the curves of the caches. */
export function showAdvice(snapshot) {
  const all = snapshot.ofClass("stoaAdvice");
  const card = (advice) =>
    element(
      "li",
      {},
      element("h3", {}, `${advice.text("stoaAdviceTopic")}: ${advice.text("stoaAdviceSubject")}`),
      element("p", {}, advice.text("stoaAdviceEvidence")),
      element("pre", {}, advice.ordered("stoaAdviceChange").join("\n")));
  const list = byId("advice-list");
  const cards = all.map(card);
  const same =
    list.children.length === cards.length && cards.every((one, index) => one.isEqualNode(list.children[index]));
  if (!same) {
    list.replaceChildren(...cards);
  }
  byId("advice").querySelector(".empty").hidden = all.length > 0;
  showCurve(byId("filter-curve"), snapshot.entry(`cn=Filter cache sizes,cn=Advice,${ROOT}`), "results stored");
  showCurve(byId("entry-curve"), snapshot.entry(`cn=Entry cache sizes,cn=Advice,${ROOT}`), "entries stored");
}

/** Searches by pattern, and one pattern in detail. */
export class Digests {
  constructor() {
    this.table = new Table(byId("digests"), "upstream");
    this.selected = null;
    this.digests = [];
    byId("filter").addEventListener("input", () => this.showRows());
  }

  show(snapshot) {
    this.digests = snapshot.ofClass("stoaSearchDigest").filter((digest) => digest.number("stoaDigestSearches") > 0);
    this.showRows();
    this.showDetail();
  }

  showRows() {
    const part = byId("filter").value.toLowerCase();
    const rows = this.digests.map((digest) => this.row(digest)).filter((row) => row.sort.pattern.toLowerCase().includes(part));
    this.table.show(rows);
    this.markSelected();
    setText(byId("digest-count"), `${rows.length} of ${this.digests.length} patterns`);
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
    byId("digest").hidden = digest === undefined;
    if (digest === undefined) {
      return;
    }
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

function pattern(digest) {
  const filter = digest.text("stoaDigestFilter");
  return filter === null
    ? "all other patterns"
    : `${filter} ${digest.text("stoaDigestScope")} ${digest.text("stoaDigestBase") || "(root DSE)"}`;
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
          identities: network.values("stoaNetworkIdentities").join(", "),
        };
        const results = network.values("stoaFailedBindsResults").join(", ");
        return {
          key: network.dn,
          sort,
          cells: [
            sort.network,
            format.count(sort.connections),
            format.count(sort.received),
            format.count(sort.executing),
            sort.failed === 0 ? "0" : `${format.count(sort.failed)} (${results})`,
            sort.identities,
          ],
        };
      }));
  }
}

/** Shows the last warnings and errors of the log, the newest first. */
export function showWarnings(snapshot) {
  const lines = snapshot.entry(`cn=Warnings,${ROOT}`).ordered("stoaWarning");
  const list = byId("warning-list");
  const shown = [...list.children].map((item) => item.textContent);
  if (shown.length !== lines.length || shown.some((text, index) => text !== lines[index])) {
    list.replaceChildren(...lines.map((line) => element("li", {}, line)));
  }
  byId("warnings").querySelector(".empty").hidden = lines.length > 0;
}
