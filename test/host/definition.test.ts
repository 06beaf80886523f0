import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hookRecord } from '../../src/emit/fire-schema.js';
import {
  command,
  createHost,
  deny,
  type FireRecord,
  type Hooks,
  type HostOptions,
  rewrite,
  rule,
} from '../../src/index.js';

const CALL = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1', session_id: 's1' };

function watched(options: HostOptions = {}) {
  const fires: FireRecord[] = [];
  const host = createHost({ logger: () => {}, ...options });
  host.events$.subscribe((record) => record.type === 'hook_fire' && fires.push(record));
  return { host, fires };
}

/** The hash of the only hook, which is not asked. */
async function hashOf(hook: unknown, options: HostOptions = {}, group: object = {}): Promise<string | undefined> {
  const { host, fires } = watched(options);
  host.register({ PreToolUse: [{ ...group, matcher: 'Other', hooks: [hook as never] }] });
  await host.fire('PreToolUse', CALL);
  await host.close();
  return fires[0]?.handlers[0]?.definition;
}

describe('a hash of what a hook runs', () => {
  test('is in every row of a record, the same in every host, also of one that was not asked', async () => {
    const guard = () => deny('no');
    const [one, other] = [await hashOf(guard), await hashOf(guard)];
    expect(one).toMatch(/^[0-9a-f]{32}$/);
    expect(other).toBe(one);
    expect(await hashOf(() => deny('yes'))).not.toBe(one);
    expect(await hashOf({ handler: guard })).toBe(one);
  });

  test('is not changed by when a hook is asked or what its failure does, and is by what it says', async () => {
    const plain = await hashOf(command('./guard.sh'));
    const policy = command('./guard.sh', { timeout: 3, onFailure: 'block', name: 'guard', if: 'Bash(rm *)' });
    expect(await hashOf(policy, {}, { stage: 3, phase: 'rewrite' })).toBe(plain);
    expect(await hashOf(command('./guard.sh', { args: [] }))).not.toBe(plain);
    expect(await hashOf(rule('deny', 'a'))).not.toBe(await hashOf(rule('deny', 'b')));
    expect(await hashOf(rule('deny', 'a'))).toBe(await hashOf({ decision: 'deny', reason: 'a', type: 'rule' }));
  });

  test('has the bytes of the files that a command names, in whatever way', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'definition-'));
    const write = (text: string): void => {
      for (const name of ['guard.sh', 'my guard.sh']) writeFileSync(join(cwd, name), text);
    };
    const session = { session: { cwd } };
    const spellings = [
      command('./guard.sh'),
      command('bash guard.sh --strict'),
      command('bash', { args: ['guard.sh'] }),
      command('"$CLAUDE_PROJECT_DIR"/guard.sh'),
      command('bash "$CLAUDE_PROJECT_DIR/guard.sh"'),
      command('bash "my guard.sh"'),
      command(`X=1 ${join(cwd, 'guard.sh')};true`),
    ];
    for (const spelling of spellings) {
      write('exit 0');
      const before = await hashOf(spelling, session);
      write('exit 2');
      expect(await hashOf(spelling, session), spelling.command).not.toBe(before);
    }
  });

  test('has no bytes of a file that a command line only writes to, as to its log', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'definition-'));
    const session = { session: { cwd } };
    const isSame = async (line: string): Promise<boolean> => {
      writeFileSync(join(cwd, 'file'), 'a');
      const before = await hashOf(command(line), session);
      writeFileSync(join(cwd, 'file'), 'b');
      return (await hashOf(command(line), session)) === before;
    };
    const writes = [
      'jq . >> file',
      'jq . >file 2>&1',
      'jq . 2>>"file"',
      'jq . &>> file',
      `jq . >> ${join(cwd, 'file')}; exit 0`,
      `jq . >> "${cwd}"/file`,
      'jq . >> "$CLAUDE_PROJECT_DIR/file"',
      'jq . >> "$CLAUDE_PROJECT_DIR"/"file"',
      'jq . | tee -a file',
      'jq . | tee -a "file" other > /dev/null && exit 0',
      'jq . | sudo tee --append file',
      'jq . > >(tee file)',
      '{ jq .; date; } >> file',
      'LOG=file; jq . >> $LOG',
      'LOG="file"\njq . >> "$LOG"; date >> $LOG',
      'LOG=file; jq . | tee -a "$LOG"',
      "sh -c 'jq . >> file'",
      'bash -c "jq . | tee file"',
    ];
    for (const line of writes) expect(await isSame(line), line).toBe(true);
    const runs = [
      'jq . > file; sh file',
      'jq . <> file',
      'sh < file',
      'sh -c "echo >" file "x"',
      'f --x=>file',
      'tee < file',
      'jq . | tee other; ./file',
      'cat file | tee other',
      'LOG=file; jq . >> $LOG; sh $LOG',
      'LOG=file; jq .',
      'LOG=file prog >> $LOG',
      'export LOG=file; jq . >> $LOG',
      'LOG=file; export LOG; jq . >> $LOG',
      "sh -c 'jq . >> file; . file'",
      'echo "a > b" file',
      'node file > (',
    ];
    for (const line of runs) expect(await isSame(line), line).toBe(false);
    mkdirSync(join(cwd, 'a b'));
    const spaced = async (line: string): Promise<boolean> => {
      writeFileSync(join(cwd, 'a b', 'file'), 'a');
      const before = await hashOf(command(line), session);
      writeFileSync(join(cwd, 'a b', 'file'), 'b');
      return (await hashOf(command(line), session)) === before;
    };
    expect(await spaced('jq . >> "$CLAUDE_PROJECT_DIR/a b/file"')).toBe(true);
    expect(await spaced("jq . | tee 'a b/file'")).toBe(true);
    expect(await spaced('sh "a b/file"')).toBe(false);
  });

  test('tells nobody the values of an environment or of headers', async () => {
    const one = await hashOf(command('x', { env: { TOKEN: 'a' } }));
    expect(await hashOf(command('x', { env: { TOKEN: 'b' } }))).toBe(one);
    expect(await hashOf(command('x', { env: { OTHER: 'a' } }))).not.toBe(one);
  });
});

describe('the revision of a configuration', () => {
  const revision = async (hooks: Hooks, options: HostOptions = {}): Promise<string | undefined> => {
    const { host, fires } = watched(options);
    host.register(hooks);
    await host.fire('PreToolUse', CALL);
    return fires[0]?.revision;
  };
  const guard = () => undefined;

  test('is the same for the same hooks, and another for another matcher, policy, hook or rule of the host', async () => {
    const same = await revision({ PreToolUse: [{ hooks: [guard] }] });
    expect(await revision({ PreToolUse: [{ hooks: [guard] }] })).toBe(same);
    const others = [
      await revision({ PreToolUse: [{ matcher: 'Edit', hooks: [guard] }] }),
      await revision({ PreToolUse: [{ onFailure: 'block', hooks: [guard] }] }),
      await revision({ PostToolUse: [{ hooks: [guard] }] }),
      await revision({ PreToolUse: [{ hooks: [guard, rule('deny', 'no')] }] }),
      await revision({ PreToolUse: [{ hooks: [guard] }] }, { decisions: 'first' }),
    ];
    expect(new Set([same, ...others]).size).toBe(others.length + 1);
  });

  test('changes with hooks of an agent’s type, and not with those of one session or agent', async () => {
    const { host, fires } = watched();
    await host.fire('PreToolUse', CALL);
    host.registerScoped('a1', { PreToolUse: [{ hooks: [guard] }] });
    await host.fire('PreToolUse', CALL);
    const undo = host.spawnHooks('reviewer', { PreToolUse: [{ hooks: [guard] }] });
    await host.fire('PreToolUse', CALL);
    undo();
    await host.fire('PreToolUse', CALL);
    const [bare, scoped, spawned, undone] = fires.map(({ revision }) => revision);
    expect(scoped).toBe(bare);
    expect(spawned).not.toBe(bare);
    expect(undone).toBe(bare);
  });
});

describe('what a hook said each time', () => {
  test('is in the record with the form of the input it was about', async () => {
    const { host, fires } = watched();
    const name = (text: string) => (input: { tool_input: unknown }) =>
      JSON.stringify(input.tool_input).length < text.length + 20 ? rewrite({ command: text }) : undefined;
    host.register({ PreToolUse: [{ hooks: [name('first one'), name('the second one is long'), rule('ask', 'why')] }] });
    await host.fire('PreToolUse', CALL);
    const [fire] = fires as [FireRecord];
    expect(hookRecord.parse(JSON.parse(JSON.stringify(fire)))).toBeDefined();
    expect(fire.versions).toEqual([{ command: 'first one' }]);
    expect(fire.final_input?.['tool_input']).toEqual({ command: 'the second one is long' });
    expect(fire.handlers.map(({ judged }) => judged)).toEqual([2, 1, 2]);
    expect(fire.handlers.map(({ answers }) => answers?.map(({ judged }) => judged))).toEqual([
      [0, 2],
      undefined,
      undefined,
    ]);
  });

  test('adds nothing where nobody rewrites', async () => {
    const { host, fires } = watched();
    host.register({ PreToolUse: [{ hooks: [() => deny('no')] }] });
    await host.fire('PreToolUse', CALL);
    expect(fires[0]).not.toHaveProperty('versions');
    expect(fires[0]).not.toHaveProperty('fired');
    expect(fires[0]?.handlers[0]).not.toHaveProperty('answers');
    expect(fires[0]?.handlers[0]).not.toHaveProperty('judged');
  });
});
