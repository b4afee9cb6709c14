// SPDX-License-Identifier: Apache-2.0
// Reads cn=monitor from the management listener.

const DEADLINE_MILLIS = 10_000;

/** The token is missing or wrong. */
export class Unauthorized extends Error {}

/** One entry of cn=monitor. Values are text. */
export class Entry {
  constructor(dn, attributes) {
    this.dn = dn;
    this.attributes = attributes;
  }

  /** Returns the values of an attribute; none if it is absent. */
  values(name) {
    return this.attributes[name] ?? [];
  }

  /** Returns the first value; null if the attribute is absent. */
  text(name) {
    return this.values(name)[0] ?? null;
  }

  /** Returns the first value as a number; null if the attribute is absent. */
  number(name) {
    const text = this.text(name);
    return text === null ? null : Number(text);
  }

  /** Returns values such as {0}first in their order, without the number. */
  ordered(name) {
    const place = (value) => Number(/^\{(\d+)\}/.exec(value)?.[1] ?? 0);
    return this.values(name)
      .toSorted((a, b) => place(a) - place(b))
      .map((value) => value.replace(/^\{\d+\}/, ""));
  }
}

/** The entries of one answer. */
export class Snapshot {
  constructor(document) {
    this.time = Date.parse(document.time);
    this.entries = document.entries.map((one) => new Entry(one.dn, one.attributes));
    this.byDn = new Map(this.entries.map((entry) => [entry.dn.toLowerCase(), entry]));
  }

  /** Returns the entry of a DN; an entry without attributes if it is absent. */
  entry(dn) {
    return this.byDn.get(dn.toLowerCase()) ?? new Entry(dn, {});
  }

  /** Returns the entries of an object class, in the order of the tree. */
  ofClass(objectClass) {
    return this.entries.filter((entry) => entry.values("objectClass").includes(objectClass));
  }
}

/**
 * Reads some subtrees.
 *
 * @param bases names of the subtrees, such as cn=Caches
 * @param token token of the management listener; null if none is needed
 */
export async function read(bases, token) {
  const query = new URLSearchParams(bases.map((base) => ["base", base]));
  const answer = await fetch(`/monitor?${query}`, {
    cache: "no-store",
    credentials: "omit",
    headers: token === null ? {} : { Authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(DEADLINE_MILLIS),
  });
  if (answer.status === 401) {
    throw new Unauthorized();
  }
  if (!answer.ok) {
    throw new Error(`${answer.status}: ${(await answer.text()).trim()}`);
  }
  return new Snapshot(await answer.json());
}
