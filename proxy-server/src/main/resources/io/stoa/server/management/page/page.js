// SPDX-License-Identifier: Apache-2.0
// Reads cn=monitor again and again, and shows it. Nothing here changes Stoa.

import { byId, setText } from "./elements.js";
import { timeOfDay } from "./format.js";
import { History } from "./history.js";
import { read, Unauthorized } from "./monitor.js";
import * as sections from "./sections.js";

const TOKEN = "stoa.token";

const history = new History();
const servers = new sections.Servers();
const feeds = new sections.Feeds();
const caches = new sections.Caches();
const advice = new sections.Advice();
const digests = new sections.Digests();
const windows = new sections.Windows();
const networks = new sections.Networks();

/** Parts of cn=monitor, each with its period in ms: costly parts are read less often. */
const parts = [
  {
    name: "counters",
    period: 2_000,
    bases: [
      "cn=Time",
      "cn=Operations",
      "cn=Caches",
      "cn=Backend Tiers,cn=Load Balancer,cn=Backends",
      "cn=Feeds",
      "cn=Windows",
      "cn=Warnings",
    ],
    show(snapshot) {
      history.add(snapshot);
      sections.showProcess(snapshot);
      sections.showTraffic(snapshot, history);
      servers.show(snapshot);
      feeds.show(snapshot);
      caches.show(snapshot);
      windows.show(snapshot);
      sections.showWarnings(snapshot);
    },
  },
  { name: "searches", period: 10_000, bases: ["cn=Digests"], show: (snapshot) => digests.show(snapshot) },
  { name: "clients", period: 10_000, bases: ["cn=Networks"], show: (snapshot) => networks.show(snapshot) },
  { name: "advice", period: 30_000, bases: ["cn=Advice"], show: (snapshot) => advice.show(snapshot) },
].map((part) => ({ ...part, problem: null, shown: null }));

let paused = false;

/** Number of the present round of readings. An answer to an earlier round shows nothing. */
let round = 0;

function token() {
  return sessionStorage.getItem(TOKEN);
}

/** Shows which parts could not be read, and how old they are. Screen readers announce a change. */
function showState() {
  const failed = parts.filter((part) => part.problem !== null);
  const line = byId("connection");
  line.className = failed.length > 0 ? "state bad" : "";
  if (failed.length > 0) {
    const names = failed.length === parts.length ? "Stoa" : failed.map((part) => part.name).join(", ");
    const [{ problem, shown }] = failed;
    const age = shown === null ? "Nothing was read yet." : `The last reading was at ${timeOfDay(shown)}.`;
    setText(line, `✖ ${names}: ${problem}. ${age}`);
  } else {
    setText(line, paused ? "Updates are paused." : "");
  }
}

function show(part, snapshot) {
  byId("content").hidden = false;
  if (byId("login").contains(document.activeElement)) {
    byId("main").focus();
  }
  byId("login").hidden = true;
  byId("forget").hidden = token() === null;
  part.shown = Date.now();
  part.problem = null;
  try {
    part.show(snapshot);
  } catch (defect) {
    console.error(defect);
    part.problem = `this page has a defect (${defect.message})`;
  }
}

async function repeat(part, ownRound) {
  if (ownRound !== round) {
    return;
  }
  const isWanted = () => ownRound === round && !paused;
  if (!paused) {
    try {
      const snapshot = await read(part.bases, token());
      if (isWanted()) {
        show(part, snapshot);
      }
    } catch (problem) {
      if (isWanted() && problem instanceof Unauthorized) {
        askForToken();
      } else if (isWanted()) {
        part.problem = `no answer (${problem.message})`;
      }
    }
  }
  if (ownRound === round) {
    showState();
    setTimeout(() => repeat(part, ownRound), part.period);
  }
}

function start() {
  round++;
  parts.forEach((part) => repeat(part, round));
}

function pause(isPaused) {
  paused = isPaused;
  byId("pause").setAttribute("aria-pressed", String(isPaused));
  showState();
}

function askForToken() {
  round++;
  const wasRefused = token() !== null;
  sessionStorage.removeItem(TOKEN);
  byId("content").hidden = true;
  byId("forget").hidden = true;
  byId("login").hidden = false;
  parts.forEach((part) => (part.problem = null));
  showState();
  setText(byId("refusal"), wasRefused ? "This token is not valid." : "");
  byId("token").focus();
}

byId("login").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(TOKEN, byId("token").value.trim());
  byId("token").value = "";
  setText(byId("refusal"), "");
  pause(false);
  start();
});

byId("pause").addEventListener("click", () => {
  pause(!paused);
  if (!paused) {
    start();
  }
});

byId("forget").addEventListener("click", () => {
  sessionStorage.removeItem(TOKEN);
  askForToken();
});

byId("minutes").addEventListener("toggle", () => sections.showMinutes(history));
addEventListener("pagehide", () => history.store());

history.restore();
start();
