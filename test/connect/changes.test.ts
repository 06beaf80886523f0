import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TABLES } from '../../src/agents/agents.js';
import type { AgentTable } from '../../src/agents/table.js';
import { agentEntries, layoutOf, tableOf } from '../../src/connect/agent-hooks.js';
import type { WrittenHook } from '../../src/connect/changes.js';
import { httpEntries } from '../../src/connect/claude-http.js';
import { handlersOf, planConnect } from '../../src/connect/connect.js';
import { fileAilments, hooksNamed } from '../../src/connect/health.js';
import { Journal } from '../../src/connect/journal.js';
import type { SettingsEntry } from '../../src/connect/settings-text.js';
import { HOOK_EVENTS, specOf } from '../../src/events/catalogue.js';
import { thinCommand } from '../../src/server/client/thin.js';
import { isObject } from '../../src/values/shape.js';
import { generated } from '../seed.js';

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'connect-changes-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Entries = Readonly<Record<string, SettingsEntry>>;
const entriesOf = (table: AgentTable): Entries =>
  agentEntries(table, (event, timeout) =>
    thinCommand(event, { as: table.name, timeout, set: { hooks: ['/some/hooks.json'] } }),
  );
const WAYS = [
  ...TABLES.map((table): [string, AgentTable, Entries] => [table.name, table, entriesOf(table)]),
  [
    'claude-code by HTTP',
    tableOf('claude-code'),
    httpEntries({ port: 7007, token: 'tokentokentokentokentokentokentokentokentok' }),
  ] as [string, AgentTable, Entries],
];

interface Connected {
  readonly file: string;
  readonly hooks: readonly WrittenHook[];
}

async function connect(table: AgentTable, entries: Entries): Promise<Connected> {
  const file = join(folder, 'settings.json');
  const journal = new Journal(join(folder, 'connections.json'));
  (await planConnect({ agent: table.name, file, entries, layout: layoutOf(table) }, journal)).write();
  return { file, hooks: await hooksNamed(handlersOf(entries), readFileSync(file, 'utf8'), file) };
}

/** What is told of the file when an edit was made to what stands in it. */
async function told(
  table: AgentTable,
  { file, hooks }: Connected,
  edit: (settings: Edited) => void,
): Promise<string[]> {
  const settings = JSON.parse(readFileSync(file, 'utf8')) as Edited;
  edit(settings);
  writeFileSync(file, JSON.stringify(settings));
  return (await fileAilments(table, file, hooks)).map(({ what }) => what);
}

type Handler = Record<string, unknown>;
type Entry = Handler & { hooks?: Handler[] };
interface Edited {
  [key: string]: unknown;
  hooks: Record<string, Entry[]>;
}
interface At {
  readonly settings: Edited;
  readonly event: string;
  readonly other: string;
  readonly entry: Entry;
  readonly handler: Handler;
  readonly key: string;
}

/** Edits after which an agent asks hookscope about less, or obeys it less. */
const HARMFUL: Readonly<Record<string, (at: At) => void>> = {
  'its list is removed': ({ settings, event }) => Reflect.deleteProperty(settings.hooks, event),
  'its list is emptied': ({ settings, event }) => put(settings.hooks, event, []),
  'its list is renamed': ({ settings, event }) => rename(settings.hooks, event, `${event}Off`),
  'its list is written in other letters': ({ settings, event }) => rename(settings.hooks, event, event.toUpperCase()),
  'it is moved to another event': ({ settings, event, other, entry }) => {
    Reflect.deleteProperty(settings.hooks, event);
    settings.hooks[other]?.push(entry);
  },
  'it takes the place of another event': ({ settings, event, other, entry }) => {
    Reflect.deleteProperty(settings.hooks, event);
    settings.hooks[other] = [entry];
  },
  'it is wrapped into another group': ({ settings, event, entry }) =>
    put(settings.hooks, event, [{ hooks: [{ hooks: [entry] }] }]),
  'it is wrapped into another list': ({ settings, event, entry }) => {
    settings.hooks[event] = [[entry] as unknown as Entry];
  },
  'its list is no list': ({ settings, event, entry }) => put(settings.hooks, event, { entry } as unknown as Entry[]),
  'a matcher narrows it': ({ entry }) => put(entry, 'matcher', 'WebFetch'),
  'its group gets a key': ({ entry }) => put(entry, 'enabled', false),
  'it gets a condition': ({ handler }) => put(handler, 'if', 'Bash(ls *)'),
  'it runs in the background': ({ handler }) => put(handler, 'async', true),
  'it gets a key that nobody knows': ({ handler }) => put(handler, 'new', 1),
  'a key of it is removed': ({ handler, key }) => Reflect.deleteProperty(handler, key),
  'a key of it is renamed': ({ handler, key }) => rename(handler, key, `${key}Off`),
  'a key of it is changed': ({ handler, key }) => {
    const value = handler[key];
    handler[key] = typeof value === 'number' ? value / 2 : typeof value === 'boolean' ? !value : `x${String(value)}`;
  },
  'a failure of it is swallowed': ({ handler }) => append(handler, ' || true'),
  'a failure of it lets the call run': ({ handler }) => append(handler, ' --on-failure allow'),
  'something is done before it': ({ handler }) => {
    const name = 'command' in handler ? 'command' : 'url';
    handler[name] = `true; ${String(handler[name])}`;
  },
  'its output is thrown away': ({ handler }) => append(handler, ' >/dev/null'),
  'its hooks are others': ({ handler }) => {
    const name = 'command' in handler ? 'command' : 'url';
    handler[name] = String(handler[name]).replace('/some/hooks.json', '/other.json').replace(':7007', ':7008');
  },
};

/** Edits that change nothing of what the agent asks. */
const HARMLESS: Readonly<Record<string, (at: At, table: AgentTable) => void>> = {
  nothing: () => undefined,
  'the order of all keys': ({ settings }) => Object.assign(settings, { hooks: reversed(settings.hooks) }),
  'own hooks before it': ({ settings, event }) => settings.hooks[event]?.unshift({ hooks: [own()] }),
  'own hooks behind it': ({ settings, event }) => settings.hooks[event]?.push({ matcher: 'Bash', hooks: [own()] }),
  'own hooks on an event of its own': ({ settings }) => put(settings.hooks, 'Other', [{ hooks: [own()] }]),
  'own hooks in its group': ({ entry }) => void entry.hooks?.push(own()),
  'more time': ({ handler }, { files }) => {
    handler[files.timeout.key] = Number(handler[files.timeout.key]) * 2;
  },
  'what is shown while it runs': ({ handler }) => put(handler, 'statusMessage', 'asking'),
  ...Object.fromEntries(
    ['', '*', '.*', '^.*$', '.+', '(.*)', '(?:.+)', '^', '\\S+', 'Bash|Edit|.*', '.*|Bash'].map((matcher) => [
      `the matcher ${matcher}, which is for everything`,
      ({ entry }: At) => put(entry, 'matcher', matcher),
    ]),
  ),
  'a matcher where nothing is compared with one': ({ entry, event }, table) => {
    if (hasNoSubject(table, event)) put(entry, 'matcher', 'x');
  },
};

const hasNoSubject = (table: AgentTable, event: string): boolean =>
  table.runs === undefined
    ? HOOK_EVENTS.includes(event as never) && specOf(event)?.subject === undefined
    : table.runs.matching.subjects[event] === undefined;
function put(object: Record<string, unknown>, key: string, value: unknown): void {
  object[key] = value;
}
const own = (): Handler => ({ type: 'command', command: './own.sh' });
function rename(object: Record<string, unknown>, from: string, to: string): void {
  object[to] = object[from];
  delete object[from];
}
function append(handler: Handler, text: string): void {
  const name = 'command' in handler ? 'command' : 'url';
  handler[name] = `${String(handler[name])}${text}`;
}
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

/** A place in the settings: an event, another one, and a key of its handler. */
const places = (hooks: readonly WrittenHook[]) =>
  fc
    .tuple(fc.nat(hooks.length - 1), fc.integer({ min: 1, max: hooks.length - 1 }), fc.nat(20))
    .map(([first, step, key]) => ({
      hook: hooks[first] as Required<WrittenHook>,
      other: hooks[(first + step) % hooks.length]?.event as string,
      key,
    }));

const at = (
  settings: Edited,
  { hook, other, key }: { hook: Required<WrittenHook>; other: string; key: number },
): At => {
  const { event } = hook;
  const entry = settings.hooks[event]?.[0] as Entry;
  const handler = entry.hooks?.[0] ?? entry;
  const keys = Object.keys(handler);
  return { settings, event, other, entry, handler, key: keys[key % keys.length] as string };
};

describe.each(WAYS)('of the hooks of %s', (_, table, entries) => {
  test('every edit by which less is asked or obeyed is told with its event, and no other edit', async () => {
    const connected = await connect(table, entries);
    const text = readFileSync(connected.file, 'utf8');
    const look = (place: Parameters<typeof at>[1], edit: (at: At, table: AgentTable) => void) => {
      writeFileSync(connected.file, text);
      return told(table, connected, (settings) => edit(at(settings, place), table));
    };
    await fc.assert(
      fc.asyncProperty(places(connected.hooks), async (place) => {
        for (const [name, edit] of Object.entries(HARMFUL)) {
          const found = await look(place, edit);
          // A time limit that is gone may be no shorter than the agent's usual one.
          if (/key of it/.test(name) && found.length === 0) {
            const { key, usual, unit } = table.files.timeout;
            const given = Number(place.hook.handler[key]);
            const keys = Object.keys(place.hook.handler);
            expect([name, keys[place.key % keys.length], given <= usual]).toEqual([
              expect.stringMatching(/removed/),
              key,
              true,
            ]);
            expect(unit).toBeDefined();
            continue;
          }
          // An event that has no subject is not narrowed.
          if (/matcher/.test(name) && hasNoSubject(table, place.hook.event)) expect([name, found]).toEqual([name, []]);
          else expect([name, found.join()]).toEqual([name, expect.stringContaining(place.hook.event)]);
        }
        for (const [name, edit] of Object.entries(HARMLESS))
          expect([name, await look(place, edit)]).toEqual([name, []]);
      }),
      { numRuns: generated(8) },
    );
  });

  test('that stand under a key where the agent reads none are told, all at once', async () => {
    const connected = await connect(table, entries);
    const text = readFileSync(connected.file, 'utf8');
    const { title } = table;
    const [[first = '', second = '']] = [connected.hooks.map(({ event }) => event)];
    const all = `no longer has hookscope's hooks on ${first}, ${second}, `;
    for (const [where, edit] of [
      ['hooksOff', (settings: Edited) => rename(settings, 'hooks', 'hooksOff')],
      [
        'env.hooks',
        (settings: Edited) => {
          settings['env'] = { hooks: settings.hooks };
          Reflect.deleteProperty(settings, 'hooks');
        },
      ],
    ] as const) {
      writeFileSync(connected.file, text);
      const found = await told(table, connected, edit);
      // A file that may have no other keys is void.
      if (layoutOf(table).keys !== undefined)
        expect(found).toEqual([expect.stringContaining(`is not read by ${title}`)]);
      else
        expect(found).toEqual([
          expect.stringMatching(
            new RegExp(`^${all}.* and \\d+ more events: they stand under ${where}, where ${title} reads no hooks$`),
          ),
        ]);
    }
    // What an agent skips when it reads the file changes nothing.
    if (layoutOf(table).reads?.includes('comments') !== false) {
      writeFileSync(connected.file, text.replaceAll('{', '{ // mine\n\n'));
      expect(await fileAilments(table, connected.file, connected.hooks)).toEqual([]);
    }
    writeFileSync(connected.file, '{}');
    const found = layoutOf(table).version === undefined ? await told(table, connected, () => undefined) : [];
    for (const what of found) expect(what).toMatch(/: they were taken out$/);
  });
});
