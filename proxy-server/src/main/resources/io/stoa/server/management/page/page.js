// SPDX-License-Identifier: Apache-2.0
// Reads cn=monitor again and again, and shows it. Nothing here changes Stoa.

import { byId, setText } from "./elements.js";
import { History } from "./history.js";
import { read, Unauthorized } from "./monitor.js";
import * as sections from "./sections.js";

const TOKEN = "stoa.token";

const history = new History();
const servers = new sections.Servers();
const feeds = new sections.Feeds();
const caches = new sections.Caches();
const digests = new sections.Digests();
const windows = new sections.Windows();
const networks = new sections.Networks();

/** Parts of cn=monitor, each with its period in ms: costly parts are read less often. */
const parts = [
  {
    period: 2_000,
    bases: ["cn=Operations", "cn=Caches", "cn=Backend Tiers,cn=Load Balancer,cn=Backends", "cn=Feeds", "cn=Windows", "cn=Warnings"],
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
  { period: 10_000, bases: ["cn=Digests"], show: (snapshot) => digests.show(snapshot) },
  { period: 10_000, bases: ["cn=Networks"], show: (snapshot) => networks.show(snapshot) },
  { period: 30_000, bases: ["cn=Advice"], show: sections.showAdvice },
];

let paused = false;

/** Number of the present round of readings. An answer to an earlier round shows nothing. */
let round = 0;

function token() {
  return sessionStorage.getItem(TOKEN);
}

/** Shows a message only if it changes, since screen readers announce it. */
function tell(message, isBad) {
  const line = byId("connection");
  line.className = isBad ? "state bad" : "";
  setText(line, message);
}

function show(part, snapshot, ownRound) {
  if (ownRound !== round || paused) {
    return;
  }
  byId("login").hidden = true;
  byId("content").hidden = false;
  tell("", false);
  try {
    part.show(snapshot);
  } catch (defect) {
    console.error(defect);
    tell(`✖ This page has a defect (${defect.message}). stoactl shows the same numbers.`, true);
  }
}

async function repeat(part, ownRound) {
  try {
    if (!paused) {
      show(part, await read(part.bases, token()), ownRound);
    }
  } catch (problem) {
    if (ownRound === round && problem instanceof Unauthorized) {
      askForToken();
    } else if (ownRound === round) {
      tell(`✖ Stoa does not answer (${problem.message}). The numbers below are old.`, true);
    }
  }
  if (ownRound === round) {
    setTimeout(() => repeat(part, ownRound), part.period);
  }
}

function start() {
  round++;
  parts.forEach((part) => repeat(part, round));
}

function askForToken() {
  round++;
  const wasRefused = token() !== null;
  sessionStorage.removeItem(TOKEN);
  byId("content").hidden = true;
  byId("login").hidden = false;
  setText(byId("refusal"), wasRefused ? "This token is not valid." : "");
  byId("token").focus();
}

byId("login").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem(TOKEN, byId("token").value.trim());
  byId("token").value = "";
  start();
});

byId("pause").addEventListener("click", () => {
  paused = !paused;
  byId("pause").setAttribute("aria-pressed", String(paused));
  tell(paused ? "Updates are paused." : "", false);
  if (!paused) {
    start();
  }
});

byId("minutes").addEventListener("toggle", () => sections.showMinutes(history));
addEventListener("pagehide", () => history.store());

history.restore();
start();
