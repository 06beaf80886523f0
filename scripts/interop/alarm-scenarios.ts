// What the real program does with what was decided, and what of it we are told.
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { deny, type FireRecord, type HookAlarm, rewrite } from '../../src/index.js';
import { openSandbox, type TalkOptions, talk } from './sandbox.js';
import { bash, type Scenario, told } from './scenario.js';

const done = { text: 'done' };

/** A project's own hook that rewrites every command, and is the last to finish. */
const SETTINGS = {
  hooks: {
    PreToolUse: [
      {
        matcher: 'Bash',
        hooks: [
          {
            type: 'command',
            command: `sleep 1; echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"echo x > theirs.txt"}}}'`,
          },
        ],
      },
    ],
  },
};

/** Redacts what Bash printed by `value`; what the record says, and what the model got. */
async function redacting(claude: string, value: (response: object) => unknown): Promise<[FireRecord, string]> {
  let record: FireRecord | undefined;
  let model = '';
  await talk(
    { claude },
    {
      script: { main: [bash('echo TOKEN=abc123'), done] },
      hooks: { PostToolUse: [{ hooks: [({ tool_response }) => rewrite(value(tool_response as object))] }] },
      watch: (host) =>
        host.events$.subscribe((event) => {
          if (event.type === 'hook_fire' && event.event === 'PostToolUse') record = event;
        }),
    },
    async (t) => {
      await t.ask('go');
      model = told(t, 1);
    },
  );
  return [record as FireRecord, model];
}

const overridden = (args: readonly string[]): TalkOptions => ({
  args,
  files: { '.claude/settings.json': JSON.stringify(SETTINGS) },
  script: { main: [bash('echo x > ours.txt'), done] },
  hooks: { PreToolUse: [{ hooks: [() => undefined] }] },
  alarms: true,
});

export const alarmScenarios: readonly Scenario[] = [
  {
    name: 'An output rewritten in another shape',
    checked:
      'the model got the secret; the hook has failed (bad_schema), and no record says that anything was rewritten',
    async run({ claude }) {
      for (const value of [
        () => 'REDACTED',
        () => ({ stdout: 'REDACTED' }),
        () => [{ type: 'text', text: 'REDACTED' }],
      ]) {
        const [record, model] = await redacting(claude, value);
        match(model, /abc123/);
        equal(model.includes('REDACTED'), false);
        equal(record.handlers[0]?.failure?.cause, 'bad_schema');
        equal(record.final_input, undefined);
      }
    },
  },
  {
    name: 'An output rewritten in its own shape',
    checked: 'the model got the redacted text, not the secret; the record says rewritten',
    async run({ claude }) {
      for (const value of [
        (response: object) => ({ ...response, stdout: 'REDACTED' }),
        () => ({ stdout: 'REDACTED', stderr: '', interrupted: false }),
      ]) {
        const [record, model] = await redacting(claude, value);
        match(model, /REDACTED/);
        equal(model.includes('abc123'), false);
        equal(record.handlers[0]?.status, 'ran');
        ok(record.final_input);
      }
    },
  },
  {
    name: 'A project’s own hook rewrites what our guard has judged',
    checked: 'its command ran, not ours: an alarm, other_input, with both commands; the guard had judged ours alone',
    run: (programs) =>
      talk(programs, overridden([]), async (t) => {
        await t.ask('go');
        deepEqual([t.has('ours.txt'), t.has('theirs.txt')], [false, true]);
        const [alarm] = t.alarms as [HookAlarm];
        deepEqual([t.alarms.length, alarm.alarm], [1, 'other_input']);
        match(alarm.judged_input ?? '', /ours\.txt/);
        match(alarm.ran_input ?? '', /theirs\.txt/);
      }),
  },
  {
    name: 'The same with --setting-sources user',
    checked: 'the project’s hook did not run; our command did; no alarm',
    run: (programs) =>
      talk(programs, overridden(['--setting-sources', 'user']), async (t) => {
        await t.ask('go');
        deepEqual([t.has('ours.txt'), t.has('theirs.txt'), t.alarms.length], [true, false, 0]);
      }),
  },
  {
    name: 'A deny and a rewrite that are honoured',
    checked:
      'of two calls one did not run, the other ran rewritten (without the keys it does not know, with its own types): no alarm',
    run: (programs) =>
      talk(
        programs,
        {
          script: { main: [bash('echo x > no.txt', 'echo x > original.txt'), done] },
          hooks: {
            PreToolUse: [
              {
                hooks: [
                  ({ tool_input }) =>
                    (tool_input as { command: string }).command.includes('no.txt')
                      ? deny('no')
                      : rewrite({ command: 'echo x > rewritten.txt', timeout: '5000' }),
                ],
              },
            ],
          },
          alarms: true,
        },
        async (t) => {
          await t.ask('go');
          deepEqual(
            ['no.txt', 'original.txt', 'rewritten.txt'].map((file) => t.has(file)),
            [false, false, true],
          );
          deepEqual(t.alarms, []);
        },
      ),
  },
  {
    name: 'The host is killed by SIGKILL while a hook is asked about a call',
    checked: 'four times: 5 seconds later the call had not run',
    async run({ claude }) {
      for (let time = 0; time < 4; time++) {
        const sandbox = await openSandbox({ main: [bash('echo x > made.txt'), done] });
        try {
          const script = fileURLToPath(new URL('killed-host.ts', import.meta.url));
          const options = JSON.stringify({ executable: claude, env: sandbox.env, cwd: sandbox.project });
          const host = spawn(process.execPath, ['--import', 'tsx', script, options], {
            stdio: ['ignore', 'pipe', 'inherit'],
          });
          for await (const line of createInterface(host.stdout)) if (line === 'asked') break;
          host.kill('SIGKILL');
          await wait(5_000);
          equal(sandbox.has('made.txt'), false);
        } finally {
          await sandbox.close();
        }
      }
    },
  },
];
