import { agentCodec } from '../agents/agents.js';
import { type AgentSupport, supports } from '../agents/supports.js';
import type { Sayable } from '../agents/table.js';
import { specOf } from '../events/catalogue.js';
import { quoted } from '../server/client/thin.js';
import type { ProbedAgent } from './agents/agent.js';
import { commandOf } from './cases.js';
import type { ModelCall } from './model/api.js';
import type { ModelScript } from './model/model.js';
import type { ProbeFolders } from './place.js';
import { type ProbeDriver, runProbed } from './run-agent.js';
import { type ObservedRun, type ProbeAnswer, SAYINGS } from './sayings.js';
import { alarmsIn, type ProbeMode, serve, throughUs } from './through.js';

/** `no word`: the agent cannot express the answer, as hookscope itself says; `not asked`: it lacks the event, or does not fire it here. */
export type AnswerReception = 'heard' | 'lost' | 'no word' | 'not asked' | `as ${Sayable}`;

const fileName = ({ name }: ProbeAnswer): string => name.replaceAll(/\W+/g, '-');
const markOf = (saying: ProbeAnswer): string => `MARK-${fileName(saying)}`;

/** Whether the agent acts on the answers of hooks on prompts, at the start, after tools, at the end, and in subagents. */
export async function otherEvents(
  driven: ProbeDriver,
  mode: ProbeMode,
): Promise<Readonly<Record<string, AnswerReception>>> {
  const { agent } = driven;
  const results: Record<string, AnswerReception> = {};
  const sayable = SAYINGS.filter((saying) => {
    results[saying.name] = eventOf(agent, saying) === undefined ? 'not asked' : 'no word';
    return results[saying.name] === 'no word' && wordsOf(agent, saying, mode) !== undefined;
  });
  const together = sayable.filter(({ alone }) => !alone);
  for (const sayings of [together, ...sayable.filter(({ alone }) => alone).map((one) => [one])])
    Object.assign(results, await play(driven, mode, sayings));
  return results;
}

/** The agent's own name of the event; undefined if it lacks the event, or does not fire it without a user. */
function eventOf({ name, unasked, subagent }: ProbedAgent, saying: ProbeAnswer): string | undefined {
  if (unasked?.includes(saying.event) || (saying.inside && subagent === undefined)) return undefined;
  return agentCodec(name).events.find(({ ours }) => ours === saying.event)?.name;
}

/** The output of the saying's hook; undefined if the agent has none for it. (Claude Code's own format is ours.) */
function wordsOf({ name, says }: ProbedAgent, saying: ProbeAnswer, mode: ProbeMode): string | undefined {
  const own = says[saying.words];
  if (mode !== 'direct' && carriedBy(name, saying).carried === 'no') return undefined;
  const said = mode === 'direct' || name === 'claude-code' ? own : saying.say;
  return said && JSON.stringify(said);
}

/** Whether the agent takes the answer; `no` if our own hooks cannot give it on the event. */
const carriedBy = (agent: string, { event, what }: ProbeAnswer): AgentSupport => {
  const spec = specOf(event);
  if (what === 'stop' && spec?.endsLoop === false) return { carried: 'no', source: 'seen' };
  return supports(agent, event, what);
};

async function play(
  driven: ProbeDriver,
  mode: ProbeMode,
  sayings: readonly ProbeAnswer[],
): Promise<Record<string, AnswerReception>> {
  const { agent } = driven;
  const place = driven.open();
  const scripts = sayings.map((saying) => scriptOf(place, saying, wordsOf(agent, saying, mode) as string));
  const hooks = place.write('hooks.json', JSON.stringify(hooksOf(sayings, scripts)));
  const events = [...new Set(sayings.map((saying) => eventOf(agent, saying) as string))];
  const commandFor = (event: string): string => {
    if (mode !== 'direct') return throughUs(agent, place, event, hooks);
    const own = scripts.filter((_, i) => eventOf(agent, sayings[i] as ProbeAnswer) === event);
    const all = own.map((file) => `printf '%s' "$input" | sh ${quoted(file)}`).join('\n');
    return `sh ${quoted(place.write(`direct/${event}.sh`, `#!/bin/sh\ninput=$(cat)\n${all}\n`))}`;
  };
  const server = mode === 'server' ? await serve(place, hooks) : undefined;
  try {
    const run = await runProbed(driven, {
      place,
      script: scriptFor(agent, sayings),
      hooks: Object.fromEntries(events.map((event) => [event, commandFor(event)])),
      seconds: 30,
    });
    if (server) for (const alarm of await alarmsIn(place, events)) driven.problem(alarm);
    const ran = place.lines('project/ran').map((line) => line.replace(/ ran$/, ''));
    return Object.fromEntries(sayings.map((saying) => [saying.name, heardBy(agent, saying, mode, { ...run, ran })]));
  } finally {
    await server?.end();
  }
}

function heardBy({ name }: ProbedAgent, saying: ProbeAnswer, mode: ProbeMode, seen: ObservedRun): AnswerReception {
  const { carried, as } = mode === 'direct' ? { carried: 'yes', as: undefined } : carriedBy(name, saying);
  const instead = carried === 'as' && as !== undefined;
  const isHeard = (instead ? (saying.heardAs ?? saying.heard) : saying.heard)(seen, markOf(saying));
  if (!isHeard) return 'lost';
  return instead ? `as ${as}` : 'heard';
}

/** The script of a main agent that makes the calls, and of a subagent if some are made in one. */
function scriptFor(agent: ProbedAgent, sayings: readonly ProbeAnswer[]): ModelScript {
  const calls = (inside: boolean): ModelCall[] =>
    sayings.flatMap(({ call, inside: own }) =>
      call !== undefined && (own === true) === inside ? [{ id: `call_${call}`, ...agent.shell(commandOf(call)) }] : [],
    );
  const spawns = sayings.some(({ inside }) => inside) ? (agent.subagent?.('[sub] say hello') ?? []) : [];
  return { main: [...calls(false), ...spawns, 'All done.'], sub: [...calls(true), 'Sub done.'] };
}

function scriptOf(place: ProbeFolders, saying: ProbeAnswer, words: string): string {
  const { call, once } = saying;
  const file = place.write(`words/${fileName(saying)}`, `${words.replaceAll('MARK', markOf(saying))}\n`);
  return place.write(
    `scripts/${fileName(saying)}.sh`,
    `#!/bin/sh
input=$(cat)
${once ? `printf '%s' "$input" | grep -q '"stop_hook_active": *true' && exit 0\n` : ''}case $input in
  ${call === undefined ? '*' : `*'echo ${call} ran'*`}) cat ${quoted(file)} ;;
esac
`,
  );
}

function hooksOf(sayings: readonly ProbeAnswer[], scripts: readonly string[]): object {
  const hooks: Record<string, object[]> = {};
  for (const [i, { event }] of sayings.entries()) {
    hooks[event] ??= [];
    hooks[event].push({ hooks: [{ type: 'command', command: `sh ${quoted(scripts[i] as string)}` }] });
  }
  return hooks;
}
