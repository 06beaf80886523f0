// biome-ignore-all lint/suspicious/noTemplateCurlyInString: hooks are written like this
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAgentFile } from '../../src/claude-code/files/agent-file.js';
import { HANDLER_KEYS } from '../../src/claude-code/files/schema.js';
import { loadClaudeCode } from '../../src/claude-code/load.js';
import { createHost } from '../../src/create-host.js';
import type { FireRecord } from '../../src/emit/record.js';
import { HookscopeError } from '../../src/errors.js';
import { CATALOGUE, HOOK_EVENTS, type HookEvent } from '../../src/events/catalogue.js';
import { readShellOutput } from '../../src/handlers/output.js';
import { namedFiles } from '../../src/trust/named/named-files.js';
import { fireAny } from '../host/kit.js';
import { generated } from '../seed.js';

/** How many of each: some here and in the gate, HOOKSCOPE_GENERATED=10000 for the whole. */
const RUNS = generated(100);
const TIMEOUT = Math.max(60_000, RUNS * 100);

let folder: string;
const unhandled: unknown[] = [];
const keep = (error: unknown): void => void unhandled.push(error);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-generated-'));
  process.on('unhandledRejection', keep);
});
afterAll(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', keep);
  rmSync(folder, { recursive: true, force: true });
  expect(unhandled).toEqual([]);
});

/** A good value in most places, anything at all in some. */
const mostly = <T>(good: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 9, arbitrary: good }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) });
const key = fc.constantFrom(
  ...new Set(Object.values(HANDLER_KEYS).flatMap((keys) => Object.keys(keys))),
  'description',
  'timout',
  '__proto__',
  'constructor',
);
const matcher = fc.oneof(
  fc.constantFrom('Bash', 'Edit|Write', '', '*', 'mcp__.*', '(', 'Bash(git *)', '[', '(a+)+$'),
  fc.string({ maxLength: 8 }),
);
const rule = fc.oneof(
  fc.constantFrom('Bash(git *)', 'Edit(/src/**)', 'garbage((', '', 'Read(~/x)', 'mcp__a__*'),
  fc.string({ maxLength: 12 }),
);
const handler = fc
  .tuple(
    fc.record({
      type: fc.constantFrom(...Object.keys(HANDLER_KEYS), 'weird'),
      command: mostly(fc.constantFrom('true', './x.sh', 'echo "', '${CLAUDE_PROJECT_DIR}/x')),
      url: mostly(fc.constantFrom('http://127.0.0.1:1/', 'https://[', 'ftp://x')),
      ...{ prompt: mostly(fc.string()), server: mostly(fc.string()), tool: mostly(fc.string()) },
    }),
    fc.dictionary(key, fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constantFrom(1, 'block', true)), { maxKeys: 2 }),
    fc.option(rule, { nil: undefined }),
  )
  .map(([base, extra, condition]) => ({ ...base, ...extra, ...(condition === undefined ? {} : { if: condition }) }));
const group = fc.record(
  { matcher, hooks: mostly(fc.array(mostly(handler), { maxLength: 3 })) },
  { requiredKeys: ['hooks'] },
);
const event = fc.constantFrom<string>(...HOOK_EVENTS, 'PreTolUse', 'toString', '__proto__');
const settings = mostly(
  fc.record(
    {
      hooks: mostly(fc.dictionary(event, mostly(fc.array(mostly(group), { maxLength: 3 })), { maxKeys: 3 })),
      disableAllHooks: mostly(fc.boolean()),
      allowedHttpHookUrls: mostly(fc.array(fc.constantFrom('*', 'http://127.0.0.1:*', ':', 'https://*'))),
      enabledPlugins: mostly(fc.dictionary(fc.string(), fc.boolean())),
    },
    { requiredKeys: ['hooks'] },
  ),
);
/** Whole texts, and some that were cut short or scribbled on. */
const text = fc
  .tuple(settings, fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, fc.nat(60)), fc.string({ maxLength: 3 }))
  .map(([value, cut, scribble]) => {
    const whole = JSON.stringify(value) ?? 'null';
    return cut === undefined ? whole : whole.slice(0, cut) + scribble + whole.slice(cut + 1);
  });

test('any settings file is loaded or told why not, at its place; what is listed can be explained', {
  timeout: TIMEOUT,
}, async () => {
  const file = join(folder, 'settings.json');
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.constantFrom('drop' as const, 'skip' as const),
      event,
      fc.jsonValue({ maxDepth: 2 }),
      async (content, onInvalid, fired, tool) => {
        writeFileSync(file, content);
        const reports: string[] = [];
        await using host = createHost({ logger: (message) => void reports.push(message) });
        const loaded = await loadClaudeCode({
          host,
          projectDir: folder,
          home: folder,
          places: [],
          settings: [file],
          trust: 'all',
          onInvalid,
        });
        const errors = loaded.problems.filter(({ level }) => level === 'error');
        for (const problem of loaded.problems) {
          expect(problem.file).toBe(file);
          expect(problem.message).not.toBe('');
          if (problem.where !== '') expect(problem.line).toBeGreaterThan(0);
        }
        if (loaded.sources[0]?.status === 'dropped') expect(errors).not.toEqual([]);
        else if (onInvalid === 'drop') expect(errors).toEqual([]);
        const known = Object.hasOwn(CATALOGUE, fired);
        const explain = () => host.explain(fired as HookEvent, { tool_name: 'Bash', tool_input: tool });
        if (!known) expect(explain).toThrow(HookscopeError);
        else
          for (const hook of explain().hooks)
            expect(hook.runs || (hook.reason !== undefined && hook.why !== '')).toBe(true);
        expect(String(host.describe())).toContain('managed');
        loaded.undo();
        expect(host.describe().children[0]?.hooks).toEqual([]);
      },
    ),
    { numRuns: RUNS },
  );
});

test('any markdown file gives hooks, nothing, or an error at its line', { timeout: TIMEOUT }, async () => {
  const line = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom('hooks:', '  Stop:', '    - hooks: []', 'name: a', '- &a [*a]', '{', '"', '---'),
  );
  const markdown = fc.oneof(
    fc.array(line, { maxLength: 8 }).map((lines) => `---\nhooks:\n${lines.join('\n')}\n---\n`),
    settings.map((value) => `---\n${JSON.stringify(value)}\n---\n`),
  );
  await fc.assert(
    fc.asyncProperty(markdown, async (content) => {
      const read = await readAgentFile(content, 'a.md', { events: HOOK_EVENTS, onInvalid: 'drop' });
      for (const problem of read?.problems ?? [])
        expect(problem).toMatchObject({ file: 'a.md', message: expect.stringMatching(/./) });
    }),
    { numRuns: RUNS },
  );
});

test('any command names files or none', { timeout: TIMEOUT }, () => {
  const word = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.constantFrom(
      '"',
      "'",
      '$(',
      ')',
      '`',
      '\\',
      'cd ',
      './a.sh',
      '${CLAUDE_PROJECT_DIR}',
      '$X/',
      ' ',
      'bash ',
      '\0',
    ),
  );
  const command = fc.array(word, { maxLength: 12 }).map((words) => words.join(''));
  fc.assert(
    fc.property(command, fc.option(fc.array(command, { maxLength: 3 }), { nil: undefined }), (line, args) => {
      const { files } = namedFiles({ type: 'command', command: line, ...(args && { args }) }, { projectDir: '/p' });
      for (const path of files) {
        expect(path).not.toMatch(/[\0\n]/);
        expect(path).not.toBe('');
      }
    }),
    { numRuns: RUNS },
  );
});

/** What hooks may say: the right keys with any values, wrong keys, no object at all. */
const output = fc.oneof(
  fc.record(
    {
      continue: mostly(fc.boolean()),
      decision: mostly(fc.constantFrom('block', 'approve', 'deny')),
      ...{ reason: mostly(fc.string()), systemMessage: mostly(fc.string()), stopReason: mostly(fc.string()) },
      hookSpecificOutput: mostly(
        fc.record(
          {
            hookEventName: mostly(event),
            permissionDecision: mostly(fc.constantFrom('allow', 'deny', 'ask', 'defer')),
            decision: mostly(fc.record({ behavior: fc.constantFrom('allow', 'deny') })),
            ...{ updatedInput: fc.jsonValue({ maxDepth: 2 }), updatedToolOutput: fc.jsonValue({ maxDepth: 1 }) },
            ...{
              additionalContext: mostly(fc.string()),
              action: mostly(fc.constant('accept')),
              worktreePath: mostly(fc.string()),
            },
          },
          { requiredKeys: [] },
        ),
      ),
      async: mostly(fc.boolean()),
    },
    { requiredKeys: [] },
  ),
  fc.jsonValue(),
);
const printed = fc
  .tuple(output, fc.constantFrom('', 'noise\n', '\uFEFF'), fc.constantFrom('', '}', '\n{}', '…'), fc.nat(3))
  .map(([said, before, after, form]) => {
    const json = JSON.stringify(said) ?? '';
    return form === 0 ? json.slice(0, -1) : before + json + after;
  });

test('anything a shell hook prints is an output, a failure, or nothing', { timeout: TIMEOUT }, () => {
  const code = fc.option(fc.constantFrom(0, 1, 2, 126, 127, 255), { nil: undefined });
  const entry = fc.constantFrom(...Object.values(CATALOGUE));
  fc.assert(
    fc.property(
      entry,
      printed,
      fc.string(),
      code,
      fc.constantFrom('continue', 'block', 'ask'),
      (of, stdout, stderr, exitCode, onFailure) => {
        const reply = readShellOutput(
          { spec: of, eventName: of.name, onFailure } as never,
          { stdout, stderr, exitCode },
          { commandText: 'x', shell: true, outputLimit: 1000 },
        );
        if (reply.failure) expect(reply.failure.message).not.toBe('');
        if (reply.output) expect(Object.getPrototypeOf(reply.output)).toBe(Object.prototype);
        // A program that broke off is a failure, or has said something that can be read.
        if (exitCode !== 0 && exitCode !== 2) expect(reply.output ?? reply.failure).toBeDefined();
      },
    ),
    { numRuns: RUNS },
  );
});

describe('through a whole fire', () => {
  let server: Server;
  let body = '';
  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume();
      response.end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const value = fc.jsonValue({ maxDepth: 2 });
  const input = fc.record(
    {
      tool_name: mostly(fc.constantFrom('Bash', 'Edit', 'mcp__a__b')),
      tool_use_id: mostly(fc.string()),
      tool_input: mostly(fc.record({ command: fc.string(), file_path: fc.string() })),
      agent_id: mostly(fc.string()),
      agent_type: mostly(fc.string()),
      source: value,
      prompt: mostly(fc.string()),
      cwd: mostly(fc.constant('/')),
      tool_response: value,
    },
    { requiredKeys: [] },
  );
  const whole: Readonly<Record<string, unknown>> = {
    ...{
      tool_name: 'Bash',
      tool_input: { command: 'git push' },
      tool_use_id: 't',
      tool_response: 'x',
      error: 'e',
      prompt: 'p',
      source: 'startup',
      reason: 'other',
      trigger: 'manual',
    },
    ...{
      stop_hook_active: false,
      agent_id: 'a',
      agent_type: 'b',
      agent_transcript_path: '',
      custom_instructions: null,
      message: 'm',
      notification_type: 'n',
      name: 'n',
    },
    ...{
      expansion_type: 'slash_command',
      command_name: 'c',
      command_args: '',
      turn_id: 't',
      message_id: 'm',
      index: 0,
      final: true,
      delta: 'd',
      mcp_server_name: 's',
      action: 'accept',
    },
    ...{
      teammate_name: 't',
      team_name: 't',
      task_id: '1',
      task_subject: 's',
      file_path: '/x',
      memory_type: 'Project',
      load_reason: 'session_start',
      old_cwd: '/',
      new_cwd: '/',
      event: 'add',
    },
    ...{
      directory: '/',
      worktree_path: '/',
      tool_calls: [],
      compact_summary: 's',
      from_model: 'a',
      to_model: 'b',
      requested_model: 'b',
      context_tokens: 1,
      prompt_cache_warm: true,
      cache_ttl: '5m',
    },
    ...{ estimated_cache_write_usd: 0, pricing: 'catalog' },
  };

  test('any input and any answer end in a decision, or in an error that names the field', {
    timeout: TIMEOUT,
  }, async () => {
    const { port } = server.address() as AddressInfo;
    const file = join(folder, 'fire.json');
    const hooks = [
      { type: 'http', url: `http://127.0.0.1:${port}/`, timeout: 5 },
      { type: 'http', url: `http://127.0.0.1:${port}/if`, if: 'Bash(git *)' },
    ];
    writeFileSync(file, JSON.stringify({ hooks: Object.fromEntries(HOOK_EVENTS.map((name) => [name, [{ hooks }]])) }));
    await using host = createHost({ logger: () => undefined });
    await loadClaudeCode({ host, projectDir: folder, home: folder, places: [], settings: [file] });
    let decided = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom<string>(...HOOK_EVENTS), input, printed, async (name, given, answer) => {
        body = answer;
        const seen: FireRecord['decision'][] = [];
        const watching = host.events$.subscribe((record) => record.type === 'hook_fire' && seen.push(record.decision));
        try {
          const decision = await fireAny(host, name, { ...whole, ...given });
          decided++;
          expect(seen.map(({ verdict, blocked }) => ({ verdict, blocked }))).toEqual([
            { verdict: decision.verdict, blocked: decision.blocked },
          ]);
          for (const failure of seen.flatMap(({ failures }) => failures)) expect(failure.message).not.toBe('');
        } catch (error) {
          expect(error).toMatchObject({ code: 'INVALID_INPUT', details: { event: name, field: expect.any(String) } });
        } finally {
          watching.unsubscribe();
        }
      }),
      { numRuns: RUNS },
    );
    expect(decided).toBeGreaterThan(RUNS / 10);
  });
});
