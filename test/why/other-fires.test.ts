import { expect, test } from 'vitest';
import { createHost, type FireRecord, type HookRecord, type Host } from '../../src/index.js';
import type { RecordQuery } from '../../src/store/store.js';
import { findForEach, findInOtherFires } from '../../src/why/other-fires.js';
import { fire } from '../emit/samples.js';

const [handler] = fire().handlers as [FireRecord['handlers'][number]];
const of = (id: string, scope: string, more: Partial<FireRecord> = {}): FireRecord => ({
  ...fire(1, { fire_id: id, handlers: [{ ...handler, id: `${scope}#1`, name: scope, scope }], scope, ...more }),
});
const plain = (text: string): string => text;

/** A store that counts how often, and how many of, its records were read. */
function counted(records: readonly FireRecord[]) {
  const read = { times: 0, records: 0 };
  async function* all({ event }: RecordQuery = {}): AsyncGenerator<HookRecord> {
    read.times++;
    for (const record of records.toReversed()) {
      read.records++;
      if (event === undefined || record.event === event) yield record as unknown as HookRecord;
    }
  }
  return { read, records: all };
}

test('hooks of other scopes are looked for once, for all fires of a call together', async () => {
  const own = Array.from({ length: 100 }, (_, i) => of(`own ${i}`, 'mine', { out_of_scope: i % 3 }));
  const store = counted([of('a', 'first'), of('b', 'second'), of('c', 'third'), ...own]);
  const found = await findForEach(store, own, undefined, plain);
  expect(store.read).toEqual({ times: 1, records: 102 });
  for (const [i, record] of own.entries()) {
    const alone = await findInOtherFires(
      counted([of('b', 'second'), of('c', 'third'), record]),
      record,
      undefined,
      plain,
    );
    expect(found.get(record)).toEqual(alone);
    const names = [[], ['third'], ['third', 'second']][i % 3] as string[];
    for (const name of ['first', 'second', 'third'])
      expect(found.get(record)?.sentences.join().includes(name)).toBe(names.includes(name));
  }
});

test('a hook that no fire of a call lists is looked for once for each event', async () => {
  const own = Array.from({ length: 40 }, (_, i) =>
    of(`own ${i}`, 'mine', { event: i % 2 ? 'PreToolUse' : 'PostToolUse' }),
  );
  const store = counted([of('a', 'first'), ...own]);
  const found = await findForEach(store, own, 'nobody', plain);
  expect(store.read.times).toBe(2);
  expect([...found.values()].every(({ sentences }) => sentences.join().includes('No record lists a hook'))).toBe(true);
});

/** A fire in a folder, by a host. */
const at = (cwd: string | undefined, host: string, more: Partial<FireRecord> = {}): FireRecord =>
  ({
    ...fire(1, { fire_id: `${host} ${cwd}`, scope: 'session', handlers: [] }),
    input: { tool_name: 'Bash', ...(cwd === undefined ? {} : { cwd }) },
    host_id: host,
    ...more,
  }) as FireRecord;

/** Every kind of source that a hook of the whole session can have, and every relation of the two calls' folders to its file. */
function* ofOtherHosts() {
  const files = [
    ['config', '/w/pa/hookscope.config.json', '/w/pa'],
    ['config', '/w/pa/hookscope.config.ts', '/w/pa'],
    ['project', '/w/pa/.claude/settings.json', '/w/pa'],
    ['local', '/w/pa/.claude/settings.local.json', '/w/pa'],
    // What was named, or is the user's, counts elsewhere too, so its place tells nothing.
    ['config', '/w/pa/named.json', undefined],
    ['hooks-file', '/w/pa/hooks.json', undefined],
    ['user', '/w/pa/.claude/settings.json', undefined],
    ['managed', '/w/pa/managed-settings.json', undefined],
    ['code', undefined, undefined],
  ] as const;
  const folders = ['/w/pa', '/w/pa/sub', '/w/pb', '/w/pabc', '/w', '/', undefined];
  const within = (path: string | undefined, folder: string | undefined): boolean =>
    path !== undefined && folder !== undefined && `${path}/`.startsWith(`${folder}/`);
  for (const [kind, file, project] of files)
    for (const there of folders)
      for (const here of folders) {
        const told = within(there, project) && here !== undefined && !within(here, project);
        yield { kind, file, there, here, project: told ? project : undefined };
      }
}

test('of a hook that another host lists, the project is said if its file and the calls tell it, and else no reason', async () => {
  const seen = { told: 0, not: 0 };
  for (const scope of ['managed', 'host', 'session'])
    for (const { kind, file, there, here, project } of ofOtherHosts()) {
      const source = { kind, ...(file === undefined ? {} : { file }) };
      const listing = at(there, 'theirs', { handlers: [{ ...handler, name: 'guard', scope, source }] });
      const { sentences, changes } = await findInOtherFires(counted([listing]), at(here, 'ours'), 'guard', plain);
      const text = [...sentences, ...changes].join('\n');
      const about = JSON.stringify({ kind, file, there, here, text });
      expect(text, about).not.toMatch(/before the agent begins|not registered for this call when|hooks of one agent/);
      expect(text.includes(`it is of the project ${project ?? ''}`), about).toBe(project !== undefined);
      expect(/was not among the hooks that were registered for this call/.test(text), about).toBe(
        project === undefined,
      );
      if (project !== undefined) expect(text, about).toContain(`this call was in ${here}`);
      if (there !== undefined) expect(text, about).toContain(`, in ${there}, lists it`);
      seen[project === undefined ? 'not' : 'told'] += 1;
    }
  expect(Math.min(seen.told, seen.not)).toBeGreaterThan(50);
});

/** The text for a hook of a file that a fire of another host in /w/pa lists, and a call in `here` whose record lists hooks of `files`. */
async function elsewhere(
  source: { kind: string; file?: string },
  here: string,
  files: readonly (string | undefined)[],
) {
  const listing = at('/w/pa', 'theirs', { handlers: [{ ...handler, name: 'guard', scope: 'session', source }] });
  const statuses = ['ran', 'skipped'] as const;
  const handlers = files.flatMap((file) =>
    statuses.map((status) => ({
      ...handler,
      name: 'other',
      status,
      source: { kind: 'project', ...(file === undefined ? {} : { file }) },
    })),
  );
  const texts: string[] = [];
  for (const one of [handlers.filter((_, i) => i % 2 === 0), handlers.filter((_, i) => i % 2 === 1)]) {
    const record = at(here, 'ours', { handlers: one as FireRecord['handlers'] });
    const { sentences, changes } = await findInOtherFires(counted([listing]), record, 'guard', plain);
    texts.push([...sentences, ...changes].join('\n'));
  }
  return texts;
}

test('no other project is said where the record itself lists a hook of the file or of the project, wherever the call was', async () => {
  const own = [
    ['config', '/w/pa/hookscope.config.json', true],
    ['project', '/w/pa/.claude/settings.json', true],
    ['local', '/w/pa/.claude/settings.local.json', true],
    ['config', '/w/pa/named.json', false],
    ['hooks-file', '/w/pa/hooks.json', false],
    ['user', '/home/.claude/settings.json', false],
    ['code', undefined, false],
  ] as const;
  const listed = [...own.map(([, file]) => file), '/w/pa/.claude/agents/a.md', '/w/pabc/.claude/settings.json', '/w/x'];
  for (const [kind, file, ofProject] of own)
    for (const other of listed)
      for (const here of ['/w/pb', '/w', '/']) {
        const source = { kind, ...(file === undefined ? {} : { file }) };
        const loaded = other !== undefined && (other === file || (ofProject && other.startsWith('/w/pa/')));
        for (const text of await elsewhere(source, here, ['/w/pc/.claude/settings.json', other])) {
          const about = JSON.stringify({ kind, file, other, here, text });
          expect(/guard \(.*\) was not registered for this call when it was made; the fire at /.test(text), about).toBe(
            loaded,
          );
          expect(text.includes('it is of the project /w/pa ('), about).toBe(ofProject && !loaded);
        }
      }
});

test('a file that counts everywhere and lies in the project does not prove that the project was loaded', async () => {
  const source = { kind: 'config', file: '/w/pa/hookscope.config.json' };
  const listing = at('/w/pa', 'theirs', { handlers: [{ ...handler, name: 'guard', scope: 'session', source }] });
  for (const [kind, file, proves] of [
    ['hooks-file', '/w/pa/hooks.json', false],
    ['config', '/w/pa/named.json', false],
    ['user', '/w/pa/.claude/settings.json', false],
    ['managed', '/w/pa/managed-settings.json', false],
    ['plugin', '/w/pa/plugin/hooks/hooks.json', false],
    ['project', '/w/pa/.claude/settings.json', true],
    ['local', '/w/pa/.claude/settings.local.json', true],
    ['skill', '/w/pa/.claude/skills/s/SKILL.md', true],
    ['agent', '/w/pa/.claude/agents/a.md', true],
    ['config', '/w/pa/hookscope.config.ts', true],
  ] as const) {
    const other = { ...handler, name: 'other', scope: 'session', source: { kind, file } };
    const record = at('/w/pb', 'ours', { handlers: [other] });
    const { sentences } = await findInOtherFires(counted([listing]), record, 'guard', plain);
    expect(sentences.join(' ').includes('it is of the project /w/pa ('), `${kind} ${file}`).toBe(!proves);
  }
});

test('a folder in advice is whole, however long it is', async () => {
  for (const length of [50, 99, 100, 101, 3000])
    for (const [kind, file] of [
      ['config', 'hookscope.config.json'],
      ['project', '.claude/settings.json'],
    ] as const) {
      const here = `/${'d'.repeat(length)}/end`;
      for (const text of await elsewhere({ kind, file: `/w/pa/${file}` }, here, []))
        expect(text.split('\n').at(-1)).toContain(` ${here} `);
    }
});

test('of a hook that its own host lists in another fire, that it was not registered yet is said', async () => {
  for (const scope of ['managed', 'host', 'session']) {
    const source = { kind: 'project', file: '/w/pa/.claude/settings.json' };
    const listing = at('/w/pa', 'ours', { handlers: [{ ...handler, name: 'guard', scope, source }] });
    const { sentences } = await findInOtherFires(counted([listing]), at('/w/pb', 'ours'), 'guard', plain);
    expect(sentences.join()).toContain('was not registered for this call when it was made');
  }
});

test('no more hooks of other scopes are said than there are: a type of agents and each of its agents have one of their own', async () => {
  for (const types of [1, 2, 3])
    for (const agents of [0, 1, 2]) {
      const host = createHost({ logger: () => undefined }) as Host;
      const seen: FireRecord[] = [];
      host.events$.subscribe((record) => void (record.type === 'hook_fire' && seen.push(record)));
      const call = { session_id: 's', transcript_path: '', cwd: '/' };
      for (let type = 0; type < types; type++) {
        host.spawnHooks(`t${type}`, { PreToolUse: [{ hooks: [{ name: `h${type}`, handler: () => undefined }] }] });
        for (let agent = 0; agent < agents; agent++)
          await host.fire('SubagentStart', { ...call, agent_id: `a${type}${agent}`, agent_type: `t${type}` } as never);
      }
      await host.fire('PreToolUse', { ...call, tool_name: 'Bash', tool_input: {}, tool_use_id: 'm' } as never);
      await host.close();
      const record = seen.at(-1) as FireRecord;
      const { sentences } = await findInOtherFires(counted(seen), record, undefined, plain);
      const [, upTo, count] = /^(Up to )?(\d+) more hooks? /.exec(sentences.join()) ?? [];
      if (upTo === undefined) expect(Number(count), sentences.join()).toBe(types);
      else expect(Number(count), sentences.join()).toBeGreaterThanOrEqual(types);
    }
});
