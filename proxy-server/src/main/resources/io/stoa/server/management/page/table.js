// SPDX-License-Identifier: Apache-2.0
// Tables whose rows change in place, and whose columns can be sorted if they have a data-key.

import { element, setText } from "./elements.js";

export class Table {
  /**
   * @param section the section that contains the table
   * @param order key of the first order, such as "searches"; null for the order of the rows
   */
  constructor(section, order = null) {
    this.table = section.querySelector("table");
    this.body = this.table.tBodies[0];
    this.headers = [...this.table.tHead.rows[0].cells];
    this.empty = section.querySelector(".empty");
    this.order = order;
    this.descending = true;
    this.rows = [];
    this.limit = Infinity;
    this.headers.filter((header) => header.dataset.key).forEach((header) => this.makeSortable(header));
    this.showOrder();
  }

  makeSortable(header) {
    const button = element("button", { type: "button" }, header.textContent);
    button.append(element("span", { "aria-hidden": "true", class: "direction" }));
    header.replaceChildren(button);
    button.addEventListener("click", () => {
      const key = header.dataset.key;
      this.descending = this.order === key ? !this.descending : typeof this.rows[0]?.sort[key] !== "string";
      this.order = key;
      this.showOrder();
      this.show(this.rows, true);
    });
  }

  showOrder() {
    for (const header of this.headers.filter((one) => one.dataset.key)) {
      const isOrder = header.dataset.key === this.order;
      if (isOrder) {
        header.setAttribute("aria-sort", this.descending ? "descending" : "ascending");
      } else {
        header.removeAttribute("aria-sort");
      }
      header.querySelector(".direction").textContent = isOrder ? (this.descending ? " ▼" : " ▲") : "";
    }
  }

  /**
   * Shows rows. Each has a key, its cells (text or a node by column), and sort values by data-key.
   *
   * @param now true to sort even if the focus is in the table, whose rows else keep their places
   */
  show(rows, now = false) {
    this.rows = rows;
    const present = new Map([...this.body.rows].map((row) => [row.dataset.key, row]));
    const keepsPlaces = !now && this.body.contains(document.activeElement);
    const wanted = this.sorted(rows).map((row) => this.fill(present.get(row.key) ?? this.create(row.key), row));
    const shown = [...this.body.rows];
    if (keepsPlaces) {
      wanted.filter((row) => !row.isConnected).forEach((row) => this.body.append(row));
      shown.filter((row) => !wanted.includes(row) && !row.contains(document.activeElement)).forEach((row) => row.remove());
    } else if (shown.length !== wanted.length || shown.some((row, index) => row !== wanted[index])) {
      this.body.replaceChildren(...wanted);
    }
    if (this.empty !== null) {
      this.empty.hidden = rows.length > 0;
      this.table.parentElement.hidden = rows.length === 0;
    }
  }

  /** Returns the rows in their order, as many as the limit allows. */
  sorted(rows) {
    return this.ordered(rows).slice(0, this.limit);
  }

  ordered(rows) {
    if (this.order === null) {
      return rows;
    }
    const sign = this.descending ? -1 : 1;
    const compare = (a, b) => (typeof a === "string" ? a.localeCompare(b) : a - b);
    return rows.toSorted((a, b) => {
      const [first, second] = [a.sort[this.order], b.sort[this.order]];
      if (first === null || second === null) {
        return (first === null) - (second === null);
      }
      return sign * compare(first, second);
    });
  }

  create(key) {
    const row = element("tr");
    row.dataset.key = key;
    this.headers.forEach((header, index) => {
      const cell = index === 0 ? element("th", { scope: "row" }) : element("td");
      cell.className = header.className;
      row.append(cell);
    });
    return row;
  }

  fill(row, { cells }) {
    cells.forEach((content, index) => {
      const cell = row.cells[index];
      if (!(content instanceof Node)) {
        setText(cell, content ?? "");
      } else if (cell.firstChild === null || !cell.firstChild.isEqualNode(content)) {
        cell.replaceChildren(content);
      }
    });
    return row;
  }
}
