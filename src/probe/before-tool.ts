import { quoted } from '../server/client/thin.js';
import { isObject } from '../values/shape.js';
import { CLAUDE_WORDS, type HookWords } from './agents/agent.js';
import { commandOf, HOOK_SECONDS, type ProbeStep, reasonOf, scriptOf, secondsFor, stepsOf } from './cases.js';
import type { ModelCall } from './model/api.js';
import type { ModelScript, ModelTurn } from './model/model.js';
import type { ProbeFolders } from './place.js';
import { type ProbeDriver, type ProbeRun, runProbed } from './run-agent.js';
import { alarmsIn, type ProbeMode, serve, throughUs } from './through.js';

/** What became of a call. `unasked`: it ran, but its hook was never asked; `refused`: it did not run, and its hook was never asked. */
export type CallFate = 'ran' | 'blocked' | 'rewritten' | 'hung' | 'not called' | 'unasked' | 'refused';

/** The outcome of one call. */
export interface CallOutcome {
  readonly did: CallFate;
  /** Whether the model received the reason. */
  readonly told: boolean;
}

export type CallOutcomes = Readonly<Record<string, CallOutcome>>;

/** The time limit in seconds that the agent gives hookscope. */
const OURS = 60;

/**
 * What the agent does after each hook before its shell tool. A run tests as many hooks as the agent makes calls. Throws an error with a
 * readable message if it makes none.
 */
export async function beforeTool(
  driven: ProbeDriver,
  mode: ProbeMode,
  event = driven.agent.beforeTool,
): Promise<CallOutcomes> {
  const outcomes: Record<string, CallOutcome> = {};
  let left = stepsOf(driven.agent.subagent !== undefined);
  while (left.length > 0) {
    const played = await play(driven, mode, event, left);
    Object.assign(outcomes, played);
    const next = left.filter(({ name }) => played[name]?.did === 'not called');
    if (next.length === left.length) return outcomes;
    left = next;
  }
  return outcomes;
}

async function play(
  driven: ProbeDriver,
  mode: ProbeMode,
  event: string,
  steps: readonly ProbeStep[],
): Promise<CallOutcomes> {
  const { agent } = driven;
  const place = driven.open();
  const words = mode === 'direct' ? agent.words : CLAUDE_WORDS;
  const asked = `${place.folder}/asked`;
  const scripts = new Map(
    steps.map((step) => [step.name, place.write(`cases/${step.name}.sh`, scriptOf(step, words, asked))] as const),
  );
  const hooks = place.write('hooks.json', JSON.stringify(hooksFileOf(steps, scripts, agent.onFailure)));
  const direct = `sh ${quoted(place.write('direct.sh', dispatcher(scripts)))}`;
  const command = mode === 'direct' ? direct : throughUs(agent, place, event, hooks);
  const server = mode === 'server' ? await serve(place, hooks) : undefined;
  try {
    const script = scriptFor(driven, steps);
    const run = await runProbed(driven, {
      place,
      script,
      hooks: { [event]: command },
      seconds: mode === 'direct' ? HOOK_SECONDS : OURS,
    });
    if (run.asked.length === 0) throw new Error(neverCalled(run));
    if (server) for (const alarm of await alarmsIn(place, [event])) driven.problem(alarm);
    return outcomesOf(steps, script, run, place, words);
  } finally {
    await server?.end();
  }
}

function neverCalled({ printed, end }: ProbeRun): string {
  const last = printed.trim().split('\n').slice(-5).join(' / ').slice(-500);
  return `It ${end} and never called the model. ${last === '' ? 'It printed nothing.' : `It printed: ${last}`}`;
}

/** The turns of each thread. Parallel calls share a turn; calls of a subagent are in its own thread. */
function scriptFor({ agent }: ProbeDriver, steps: readonly ProbeStep[]): ModelScript {
  const main: ModelTurn[] = [];
  const sub: ModelCall[] = [];
  const together: ModelCall[] = [];
  for (const { name, scene } of steps) {
    const call: ModelCall = { id: `call_${name}`, ...agent.shell(commandOf(name)) };
    if (scene === 'alone') main.push([call]);
    if (scene === 'parallel' && together.push(call) === 1) main.push(together);
    if (scene === 'subagent' && sub.push(call) === 1) main.push(...(agent.subagent?.('[sub] say hello') ?? []));
  }
  return { main, sub: [...sub, 'Sub done.'] };
}

/** The position of a call: its thread, the turn in the thread, and the index among the turn's calls. */
interface CallPosition {
  readonly thread: string;
  readonly turn: number;
  readonly call: number;
}

function positionsIn(script: ModelScript): ReadonlyMap<string, CallPosition> {
  const found = new Map<string, CallPosition>();
  for (const [thread, turns] of Object.entries(script)) {
    let call = 0;
    for (const [turn, said] of turns.entries())
      for (const one of [said].flat()) {
        if (isObject(one)) found.set(String(one['id']), { thread, turn, call });
        call += 1;
      }
  }
  return found;
}

function outcomesOf(
  steps: readonly ProbeStep[],
  script: ModelScript,
  run: ProbeRun,
  place: ProbeFolders,
  words: HookWords,
): CallOutcomes {
  const positions = positionsIn(script);
  const [ran, asked] = [new Set(place.lines('project/ran')), new Set(place.lines('asked'))];
  return Object.fromEntries(
    steps.map((step) => {
      const { thread, turn, call } = positions.get(`call_${step.name}`) as CallPosition;
      const requests = run.asked.filter((one) => one.thread === thread);
      const results = requests.at(-1)?.results ?? [];
      const received = results[call] ?? '';
      const reason = reasonOf(step, words);
      const told = reason !== undefined && received.includes(reason);
      const wasAsked = asked.has(step.name);
      const did = (): CallFate => {
        if (requests.length <= turn) return 'not called';
        if (ran.has(`${step.name} ran`)) return wasAsked ? 'ran' : 'unasked';
        if (received.includes('hello-rewritten')) return 'rewritten';
        if (run.hung && results.length <= call) return 'hung';
        return wasAsked ? 'blocked' : 'refused';
      };
      return [step.name, { did: did(), told }];
    }),
  );
}

/** The agent's hook for all cases: a script that finds the case by the command. */
const dispatcher = (scripts: ReadonlyMap<string, string>): string => `#!/bin/sh
input=$(cat)
case $input in
${[...scripts].map(([name, file]) => `  *'echo ${name} ran'*) exec sh ${quoted(file)} < /dev/null ;;`).join('\n')}
esac
`;

/** All cases as one of our hooks files, with a group for each. */
const hooksFileOf = (
  steps: readonly ProbeStep[],
  scripts: ReadonlyMap<string, string>,
  onFailure: 'block' | undefined,
): object => ({
  PreToolUse: steps.map(({ name, of }) => ({
    matcher: 'Bash',
    ...(onFailure === undefined ? {} : { onFailure }),
    hooks: [
      {
        type: 'command',
        if: `Bash(echo ${name} *)`,
        command: `sh ${quoted(scripts.get(name) as string)}`,
        timeout: secondsFor(of),
      },
    ],
  })),
});
