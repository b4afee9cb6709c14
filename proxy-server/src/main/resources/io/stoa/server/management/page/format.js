// SPDX-License-Identifier: Apache-2.0
// Numbers as text. A value that is unknown (null, undefined or NaN) is a dash.

const UNKNOWN = "–";
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

function isUnknown(value) {
  return value === null || value === undefined || Number.isNaN(value);
}

/** 12345 is 12,345. */
export function count(value) {
  return isUnknown(value) ? UNKNOWN : whole.format(value);
}

/** Three digits below 1,000, whole numbers above. */
export function amount(value) {
  if (isUnknown(value)) {
    return UNKNOWN;
  }
  return Math.abs(value) >= 1000 ? whole.format(value) : short.format(value);
}

/** 0.987 is 98.7%. */
export function percent(share) {
  return isUnknown(share) ? UNKNOWN : `${(100 * share).toFixed(1)}%`;
}

/** Microseconds as µs, ms or s. */
export function micros(value) {
  if (isUnknown(value) || value === 0) {
    return isUnknown(value) ? UNKNOWN : "0";
  }
  if (value < 1000) {
    return `${amount(value)} µs`;
  }
  return value < 1e6 ? `${amount(value / 1e3)} ms` : `${amount(value / 1e6)} s`;
}

/** Largest finite bound of the histograms of latencies, in µs: 10 s. */
export const LARGEST_BOUND = 1e7;

/** An upper bound in microseconds; infinite above the largest bound. */
export function within(value) {
  if (isUnknown(value)) {
    return UNKNOWN;
  }
  return Number.isFinite(value) ? `≤ ${micros(value)}` : `> ${micros(LARGEST_BOUND)}`;
}

/** Milliseconds as ms or s, and from a minute on as the two largest units. */
export function millis(value) {
  if (isUnknown(value)) {
    return UNKNOWN;
  }
  return value < 60_000 ? micros(value * 1000) : duration(value / 1000);
}

/** Bytes as B, KiB, MiB or GiB. */
export function bytes(value) {
  if (isUnknown(value)) {
    return UNKNOWN;
  }
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let rest = value;
  let unit = 0;
  while (rest >= 1024 && unit < units.length - 1) {
    rest /= 1024;
    unit++;
  }
  return `${amount(rest)} ${units[unit]}`;
}

/** Seconds as the two largest units, such as 3 d 4 h. */
export function duration(seconds) {
  if (isUnknown(seconds)) {
    return UNKNOWN;
  }
  const parts = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];
  let rest = Math.floor(seconds);
  const shown = [];
  for (const [size, name] of parts) {
    if (rest >= size || (name === "s" && shown.length === 0)) {
      shown.push(`${Math.floor(rest / size)} ${name}`);
      rest %= size;
    } else if (shown.length > 0) {
      break;
    }
  }
  return shown.slice(0, 2).join(" ");
}

/** GeneralizedTime of cn=monitor (20240309050607Z) as a Date; null if there is none. */
export function generalizedTime(text) {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(text ?? "");
  return parts === null ? null : new Date(Date.UTC(parts[1], parts[2] - 1, ...parts.slice(3)));
}

/** A Date as local date and time; a dash for null. */
export function dateTime(date) {
  return date === null ? UNKNOWN : date.toLocaleString("en-GB", { hour12: false });
}

/** A time in ms as local hours and minutes. */
export function clock(time) {
  return new Date(time).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
}

/** A time in ms as local hours, minutes and seconds. */
export function timeOfDay(time) {
  return new Date(time).toLocaleTimeString("en-GB", { hour12: false });
}

/** A text; a dash if there is none. */
export function text(value) {
  return value === null || value === "" ? UNKNOWN : value;
}
