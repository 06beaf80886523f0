// The Unicode tables of refa, which scslre reads regular expressions with. As JSON they would be 0.8 MB of the package, and parsed whenever one expression is looked at.
import { isDeepStrictEqual } from 'node:util';
import { parseAst } from 'rolldown/parseAst';

/** @typedef {{ type: string, start: number, end: number, [key: string]: any }} Node of a syntax tree */
/** @typedef {'ranges' | 'lists' | 'foldings'} Kind of a table, and the name of what unpacks it */

/** A number of 26 digits: capital letters, and a small one as the last. @param {number} value @returns {string} */
function digits(value) {
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`No number of a known table: ${value}`);
  const before = Math.floor(value / 26);
  return before === 0 ? 'abcdefghijklmnopqrstuvwxyz'.charAt(value) : digits(before).toUpperCase() + digits(value % 26);
}

/** What can be below zero. @param {number} value */
const signed = (value) => digits(value < 0 ? -2 * value - 1 : 2 * value);

/** @param {readonly number[][]} rows */
function packLists(rows) {
  let last = 0;
  const packed = rows.map((row) => [
    digits(row.length),
    ...row.map((value) => {
      const difference = value - last;
      last = value;
      return signed(difference);
    }),
  ]);
  return packed.flat().join('');
}

const PACK = {
  /** @param {readonly { min: number, max: number }[]} ranges */
  ranges: (ranges) =>
    ranges.map(({ min, max }, i) => digits(min - (ranges[i - 1]?.max ?? 0)) + digits(max - min)).join(''),
  lists: packLists,
  /** @param {Record<string, number[]>} foldings */
  foldings: (foldings) =>
    packLists(Object.entries(foldings).flatMap(([key, row]) => (Number(key) === row[0] ? [row] : []))),
};

/* What unpacks a table: it stands in the built file as it stands here. */

/** @param {string} text @returns {any} numbers */
function numbers(text) {
  const found = [];
  let value = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code < 97) {
      value = (value + code - 65) * 26;
    } else {
      found.push(value + code - 97);
      value = 0;
    }
  }
  return found;
}

/** @param {string} text */
function ranges(text) {
  const found = [];
  const steps = numbers(text);
  let max = 0;
  for (let i = 0; i < steps.length; i += 2) {
    const min = max + steps[i];
    max = min + steps[i + 1];
    found.push({ min, max });
  }
  return found;
}

/** @param {string} text */
function lists(text) {
  const found = [];
  const steps = numbers(text);
  let value = 0;
  for (let i = 0; i < steps.length; ) {
    const row = [];
    for (let left = steps[i++]; left > 0; left -= 1) {
      const step = steps[i++];
      value += step % 2 === 0 ? step / 2 : -(step + 1) / 2;
      row.push(value);
    }
    found.push(row);
  }
  return found;
}

/** All characters of a row are the same without case. @param {string} text */
function foldings(text) {
  /** @type {Record<number, number[]>} */
  const found = {};
  for (const row of lists(text)) for (const value of row) found[value] = row;
  return found;
}

/** Tables by their names, each unpacked when it is first read. @param {(text: string) => unknown} unpack @param {any} packed */
function tables(unpack, packed) {
  return new Proxy(packed, {
    get(all, name) {
      if (typeof all[name] === 'string') all[name] = unpack(all[name]);
      return all[name];
    },
  });
}

const UNPACK = { ranges, lists, foldings };

/** Throws where a table is of a shape that is not known here. @param {string} json @returns {{ kind: Kind, packed: string }} */
function pack(json) {
  const table = JSON.parse(json);
  const kind = !Array.isArray(table) ? 'foldings' : Array.isArray(table[0]) ? 'lists' : 'ranges';
  const packed = PACK[kind](table);
  if (!isDeepStrictEqual(UNPACK[kind](packed), table)) throw new Error(`No known table: ${json.slice(0, 60)}`);
  return { kind, packed };
}

/** @param {Node} node @param {(node: Node, parent: Node | undefined) => void} see @param {Node} [parent] */
function visit(node, see, parent) {
  see(node, parent);
  for (const part of Object.values(node).flat()) if (typeof part?.type === 'string') visit(part, see, node);
}

/** @param {Node} node @param {string} object @param {string} method */
const isCall = ({ type, callee }, object, method) =>
  type === 'CallExpression' && callee.object?.name === object && callee.property?.name === method;

/** Is it only the name of what is declared, or of a member? @param {Node} node @param {Node | undefined} parent */
const isName = (node, parent) =>
  parent?.id === node || ((parent?.property === node || parent?.key === node) && !parent.computed);

/**
 * The same code with packed tables. Most are constants that only frozen objects hold, each by its name: they are unpacked when they are first read there. The few others,
 * such as what is the same without case, are unpacked at once. Throws if a constant is used in any other way.
 * @param {string} code @returns {string}
 */
export function packTables(code) {
  const tree = /** @type {Node} */ (/** @type {unknown} */ (parseAst(code)));
  /** @type {{ start: number, end: number, text: string }[]} */
  const edits = [];
  /** @type {Map<string, Kind>} */
  const constants = new Map();
  visit(tree, (node, parent) => {
    if (!isCall(node, 'JSON', 'parse')) return;
    const { kind, packed } = pack(node.arguments[0].value);
    const isConstant = parent?.type === 'VariableDeclarator' && kind !== 'foldings';
    if (isConstant) constants.set(parent.id.name, kind);
    edits.push({ start: node.start, end: node.end, text: isConstant ? `"${packed}"` : `${kind}("${packed}")` });
  });
  /** @type {Set<Node>} */
  const held = new Set();
  visit(tree, (node) => {
    if (!isCall(node, 'Object', 'freeze')) return;
    const [object] = node.arguments;
    /** @type {Node[]} */
    const values = (object.properties ?? [])
      .map((/** @type {Node} */ { value }) => value)
      .filter((/** @type {Node | undefined} */ value) => value?.type !== 'Literal');
    const kinds = new Set(values.map(({ name }) => constants.get(name)));
    const [kind] = kinds;
    if (kind === undefined || kinds.size > 1) return;
    for (const value of values) held.add(value);
    edits.push({ start: node.start, end: object.start, text: `tables(${kind}, ` });
  });
  visit(tree, (node, parent) => {
    if (node.type !== 'Identifier' || !constants.has(node.name) || held.has(node) || isName(node, parent)) return;
    throw new Error(`The table ${node.name} is used in a way that is not known here, at ${node.start}`);
  });
  const made = edits
    .sort((a, b) => b.start - a.start)
    .reduce((text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end), code);
  return [made, ...[numbers, ranges, lists, foldings, tables].map(String)].join('\n');
}
