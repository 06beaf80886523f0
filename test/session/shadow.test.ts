import { readdirSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  addContext,
  allow,
  ask,
  createHost,
  deny,
  type FireRecord,
  HOOK_EVENTS,
  type Host,
  rewrite,
  stop,
} from '../../src/index.js';
import { anyHooks } from '../host/kit.js';
import { type Seen, spy } from './kit.js';
import { readRecording, replay } from './recorded-session.js';

const SCENES = readdirSync(new URL('../fixtures/sessions', import.meta.url)).map((name) => name.replace('.jsonl', ''));

type Any = (...given: never[]) => unknown;
const specific = (hookEventName: string, fields: object) => ({ hookSpecificOutput: { hookEventName, ...fields } });

/** What is tried out: it fails, is slow, never settles, rewrites, gives context, ends the loop, wakes, keeps it going. */
const tried = (event: string): readonly Any[] => [
  () => deny('shadow: no'),
  () => allow('shadow: yes'),
  () => ask('shadow: sure?'),
  () => addContext('from the shadow'),
  () => rewrite({ command: 'shadow' } as never),
  () => rewrite('shadow' as never),
  () => stop('the shadow ends it'),
  () => ({ decision: 'block', reason: 'the shadow blocks' }),
  () => ({ systemMessage: 'shadow', suppressOutput: true, stopReason: 'shadow', terminalSequence: '\u0007' }),
  () => specific(event, { initialUserMessage: 'shadow', watchPaths: ['/shadow'], sessionTitle: 'shadow' }),
  () => specific(event, { updatedToolOutput: 'shadow', updatedMCPToolOutput: 'shadow' }),
  () => specific(event, { decision: { behavior: 'deny', message: 'shadow', interrupt: true } }),
  () => specific(event, { retry: true, worktreePath: '/shadow', displayContent: 'shadow', action: 'cancel' }),
  () => {
    throw new Error('shadow');
  },
  async () => Promise.reject(new Error('shadow, later')),
  () => 7,
  () => new Promise((resolve) => setTimeout(() => resolve(deny('shadow, late')), 5)),
  () => new Promise(() => {}),
  () => ({ async: true, result: Promise.resolve(specific(event, { additionalContext: 'shadow, late' })) }),
  (_input: never, _id: never, { progress }: { progress(text: string): void }) => {
    progress('shadow');
    return {
      decision: 'block',
      reason: 'shadow',
      hookSpecificOutput: { hookEventName: event, additionalContext: 'x' },
    };
  },
];

/** What is enforced: enough that verdicts, rewrites, context and continuations are there to be changed. */
function enforced(host: Host): void {
  host.register(
    anyHooks({
      PreToolUse: [
        {
          matcher: 'Bash',
          name: 'rewriter',
          hooks: [({ tool_input }: { tool_input: object }) => rewrite({ ...tool_input, added: 1 } as never)],
        },
        { matcher: 'Read', name: 'guard', hooks: [() => deny('Not this one.')] },
        { name: 'failing', hooks: [() => Promise.reject(new Error('it fails'))] },
      ],
      PostToolUse: [{ name: 'told', hooks: [() => addContext('It ran.')] }],
      UserPromptSubmit: [{ name: 'brief', hooks: [() => addContext('Be brief.')] }],
      SessionStart: [
        {
          name: 'late',
          hooks: [
            () => ({ async: true, result: Promise.resolve(specific('SessionStart', { additionalContext: 'Late.' })) }),
          ],
        },
      ],
      Stop: [
        {
          name: 'again',
          hooks: [
            ({ stop_hook_active }: { stop_hook_active: boolean }) =>
              stop_hook_active ? undefined : { decision: 'block', reason: 'Go on.' },
          ],
        },
      ],
      SubagentStop: [{ once: true, name: 'once', hooks: [() => ({ decision: 'block', reason: 'Once more.' })] }],
    }),
  );
}

interface Told {
  /** As the harness gets it, byte by byte. */
  readonly agent: string[];
  readonly seen: readonly Seen[];
  readonly shadows: number;
}

const timeless = (_key: string, value: unknown): unknown =>
  value !== null && typeof value === 'object' && 'duration_ms' in value ? { ...value, duration_ms: 0 } : value;

/** One session, with or without hooks that are tried out on all events, before, among and behind the others. */
async function scene(name: string, enforce: boolean | number | undefined): Promise<Told> {
  const agent: string[] = [];
  let shadows = 0;
  const prompts: string[] = [];
  const seen = await replay(readRecording(name), {
    host: { closeTimeout: 0.1 },
    prepare(host) {
      if (enforce === undefined) enforced(host);
      else {
        const groups = (stage: number) =>
          Object.fromEntries(
            HOOK_EVENTS.map((event) => [
              event,
              [{ stage, hooks: tried(event).filter((_, i) => i % 2 === (stage < 0 ? 0 : 1)) }],
            ]),
          );
        host.register(anyHooks(groups(-5)), { enforce, onFailure: 'block' });
        enforced(host);
        host.register(anyHooks(groups(5)), { enforce, onFailure: 'block' });
      }
      host.events$.subscribe((record) => {
        if (record.type === 'hook_fire' && (record as FireRecord).shadow_of !== undefined) shadows++;
      });
    },
    async tell(session, event, answer) {
      // A model takes its time: what is tried out has had its say by then.
      for (let turn = 0; turn < 3; turn++) await nextTurn();
      // Ids of prompts are made anew in every run.
      if (session.prompt_id !== undefined && !prompts.includes(session.prompt_id)) prompts.push(session.prompt_id);
      const state = {
        pending: session.pendingContext(),
        system: session.systemPrompt('Base.'),
        title: session.title,
        watched: session.watchPaths,
      };
      const text = JSON.stringify({ event, agent: session.agent_id, answer, ...state }, timeless);
      agent.push(prompts.reduce((all, id, i) => all.replaceAll(id, `prompt-${i}`), text));
    },
  });
  return { agent, seen, shadows };
}

/** Times and ids that every run makes anew. */
function neutral(seen: readonly Seen[]): unknown {
  const prompts: unknown[] = [];
  return seen.map(({ event, input }) => {
    const { prompt_id, duration_ms: _, ...rest } = input;
    if (!prompts.includes(prompt_id)) prompts.push(prompt_id);
    return { event, input: rest, prompt: prompts.indexOf(prompt_id) };
  });
}

describe.each(SCENES)('%s', (name) => {
  let alone: Promise<Told> | undefined;

  test.each([false, 0, 1e-9])(
    'with 20 hooks that are tried out on every event (enforce: %s), the agent sees the same bytes in the same order',
    async (enforce) => {
      alone ??= scene(name, undefined);
      const [without, withThem] = [await alone, await scene(name, enforce)];
      expect(without.agent.length).toBeGreaterThan(3);
      expect(without.agent.join()).toContain('Late.');
      expect(withThem.agent).toEqual(without.agent);
      expect(JSON.stringify(neutral(withThem.seen))).toBe(JSON.stringify(neutral(without.seen)));
      expect(without.shadows).toBe(0);
      // All of them were asked, every time.
      expect(withThem.shadows).toBe(20 * withThem.seen.length);
    },
  );
});

test('the calls of a session that no recording has: the same answers', async () => {
  const [without, withThem] = await Promise.all(
    [false, true].map(async (isTried) => {
      const host = createHost({ logger: () => {}, closeTimeout: 0.1 });
      const seen = spy(host);
      if (isTried)
        host.register(anyHooks(Object.fromEntries(HOOK_EVENTS.map((event) => [event, [{ hooks: tried(event) }]]))), {
          enforce: false,
        });
      const session = await host.openSession({ session_id: 's', cwd: '/', model: 'small', watch: false });
      const answers = [
        await session.notify({ message: 'm', notification_type: 'n' }),
        await session.switchModel({ model: 'large' } as never).catch(String),
        await session.task.create({ task_id: '1', task_subject: 's', task_description: 'd' }),
        await session.task.complete({ task_id: '1', task_subject: 's', task_description: 'd' }),
        await session.teammate.idle({ teammate_name: 't', team_name: 'u' }),
        await session
          .elicit({ mcp_server_name: 'm', message: 'q', ask: async () => ({ action: 'decline' }) } as never)
          .catch(String),
        await session.changeCwd('/tmp'),
        await session.addDirectory('/tmp'),
        await session.worktree.create('w', () => '/made').catch(String),
        await session.display({ message_id: 'm', delta: 'text' } as never).catch(String),
        await session.configChanged({ source: 'user_settings' } as never).catch(String),
        session.systemPrompt('Base.'),
        await session.close(),
      ];
      await host.close();
      return { answers: JSON.stringify(answers, timeless), seen: JSON.stringify(neutral(seen)) };
    }),
  );
  expect(withThem).toEqual(without);
});
