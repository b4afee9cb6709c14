// SPDX-License-Identifier: Apache-2.0
// Creates elements. Text is always set as text and never parsed, so no value can become markup.

const SVG = "http://www.w3.org/2000/svg";

/** Creates an HTML element. Attributes that are null are left out; children are nodes or text. */
export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** Creates an SVG element. */
export function graphic(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) {
      node.setAttribute(name, value);
    }
  }
  node.append(...children);
  return node;
}

/** Returns the element of an id. */
export function byId(id) {
  return document.getElementById(id);
}

/** Sets the text of an element unless it is the same, so that screen readers repeat nothing. */
export function setText(node, text) {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

/** Shows pairs of a name and a value in a description list. Existing values change in place. */
export function showPairs(list, pairs, wrap) {
  const names = pairs.map(([name]) => name).join("\n");
  if (list.dataset.names !== names) {
    list.dataset.names = names;
    list.replaceChildren(
      ...pairs.flatMap(([name]) => {
        const pair = [element("dt", {}, name), element("dd")];
        return wrap ? [element("div", {}, ...pair)] : pair;
      }));
  }
  const values = list.querySelectorAll("dd");
  pairs.forEach(([, value], index) => setText(values[index], value));
}
