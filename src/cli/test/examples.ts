import { entryOf, plainData, type TreeNode } from '../../check/files/tree.js';
import { parseYamlTree } from '../../check/files/yaml-tree.js';
import { HookscopeError } from '../../errors.js';
import { CATALOGUE, HOOK_EVENTS, type HookEvent } from '../../events/catalogue.js';
import { positionsIn, readNamedText } from '../../files/json-file.js';
import { nearest } from '../../values/nearest.js';
import { isObject, isText, type Json } from '../../values/shape.js';
import { parseCall } from './call.js';
import { type Expectation, parseExpectation } from './expectation.js';

/** One example: what is fired, and what is expected of it. */
export interface Example {
  /** `guards.hooktest.yaml:3`. */
  readonly place: string;
  readonly title: string;
  readonly event: HookEvent;
  readonly input: Json;
  /** The type of the agent that makes the call; absent: the main agent. */
  readonly agent?: string;
  readonly expect: Expectation;
}

/** The limits of a file of examples. */
const LIMITS = { longest: 1024 * 1024, nodes: 200_000 };

const KEYS = ['name', 'call', 'event', 'input', 'agent', 'expect'];

/** Makes the error about a place in the file. */
type NodeErrorFactory = (node: TreeNode | undefined, problem: string, near?: string) => HookscopeError;

/** Reads a file of examples: a list, or `examples:` with a list. Throws FILE with the line and the key. */
export async function readExamples(file: string, shown: string): Promise<readonly Example[]> {
  const text = (await readNamedText(file)).replace(/^\uFEFF/, '');
  const { root, errors } = parseYamlTree(text, 0, LIMITS);
  const lines = positionsIn(text);
  const at = (offset: number): string => `${shown}:${lines(offset).line}`;
  const wrong: NodeErrorFactory = (node, problem, near) => {
    const hint = near === undefined ? '' : `. Did you mean "${near}"?`;
    return new HookscopeError('FILE', { file: node ? at(node.start) : shown, problem: `${problem}${hint}` });
  };
  const [error] = errors;
  if (error) throw new HookscopeError('FILE', { file: at(error.start), problem: error.message });
  const list = listOf(root, wrong);
  if (list.length === 0) throw wrong(root, 'holds no example');
  return list.map((node) => readExample(node, at(node.start), wrong));
}

function listOf(root: TreeNode | undefined, wrong: NodeErrorFactory): readonly TreeNode[] {
  if (root?.kind === 'array') return root.items;
  const list = entryOf(root, 'examples')?.value;
  if (root?.kind === 'object') {
    const other = root.entries.find(({ key }) => key !== 'examples');
    if (other)
      throw wrong(
        other.value,
        `"${other.key}" is not a known key; there is examples`,
        nearest(other.key, ['examples']),
      );
  }
  if (list?.kind === 'array') return list.items;
  throw wrong(list ?? root, 'expected a list of examples, or "examples:" with a list');
}

function readExample(node: TreeNode, place: string, wrong: NodeErrorFactory): Example {
  if (node.kind !== 'object') throw wrong(node, "expected an example, as { call: Bash 'ls', expect: silent }");
  const unknown = node.entries.find(({ key }) => !KEYS.includes(key));
  if (unknown?.key === '<<')
    throw wrong(unknown.value, 'merges (<<) are not read; write the keys, or the whole example as *NAME');
  if (unknown)
    throw wrong(
      unknown.value,
      `"${unknown.key}" is not a known key of an example; there are ${KEYS.join(', ')}`,
      nearest(unknown.key, KEYS),
    );
  const data = plainData(node) as Json;
  const nodeOf = (key: string): TreeNode => entryOf(node, key)?.value ?? node;
  const text = (key: string): string | undefined => {
    const value = data[key];
    if (value === undefined || isText(value)) return value;
    throw wrong(nodeOf(key), `${key}: expected a text`);
  };
  const [name, agent, expect] = [text('name'), text('agent'), text('expect')];
  if (expect === undefined) throw wrong(node, 'expect: is missing, as "expect: deny by no-force /Push by hand/"');
  const tell = (key: string) => (problem: string, near?: string) => wrong(nodeOf(key), `${key}: ${problem}`, near);
  return {
    place,
    title: name ?? titleOf(data, agent),
    ...inputOf(data, tell),
    ...(agent === undefined ? {} : { agent }),
    expect: parseExpectation(expect, tell('expect')),
  };
}

function titleOf({ call, event }: Json, agent: string | undefined): string {
  const what = isText(call) ? call : isText(event) ? event : JSON.stringify(call);
  return agent === undefined ? what : `${what} (${agent})`;
}

type KeyErrorFactory = (key: string) => (problem: string, near?: string) => HookscopeError;

/** The event to fire: a call of a tool, on PreToolUse or the given event, or an event with its input. */
function inputOf(
  { call, event = 'PreToolUse', input = {} }: Json,
  tell: KeyErrorFactory,
): Pick<Example, 'event' | 'input'> {
  if (call === undefined && event === 'PreToolUse' && !isObject(input)) throw tell('input')('expected an object');
  if (!isText(event) || !HOOK_EVENTS.includes(event as HookEvent))
    throw tell('event')(
      `${JSON.stringify(event)} is not a known event`,
      isText(event) ? nearest(event, HOOK_EVENTS) : undefined,
    );
  if (!isObject(input)) throw tell('input')('expected an object');
  if (call === undefined && Object.keys(input).length === 0 && event === 'PreToolUse')
    throw tell('call')('is missing, as "call: Bash \'git push\'"; or give event and input');
  if (call !== undefined && !CATALOGUE[event as HookEvent].tool)
    throw tell('call')(
      `is a call of a tool, and ${event} is not about one; leave out call, and give the event its input`,
    );
  return {
    event: event as HookEvent,
    input: { ...(call === undefined ? {} : parseCall(call, tell('call'))), ...input },
  };
}
