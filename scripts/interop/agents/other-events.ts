// What hooks say on prompts, at the start, before and after tools, at the end, and inside subagents: whether the real agent hears it.
import { agentCodec } from '../../../src/agents/agents.js';
import { type AgentSupport, supports } from '../../../src/agents/supports.js';
import type { Sayable } from '../../../src/agents/table.js';
import { CATALOGUE } from '../../../src/events/catalogue.js';
import type { EventSpec } from '../../../src/events/define.js';
import { type Mode, noAlarms, serve, throughUs } from './before-tool.js';
import { recordedOf } from './cases.js';
import type { Call, Turn } from './model.js';
import { openPlace, type Place, type Program, runProgram } from './programs.js';
import { SAYINGS, type Saying, type Seen } from './sayings.js';

/** `no word`: the agent has none, which hookscope says of itself; `not asked`: it has no such event, or does not fire it here. */
export type Heard = 'heard' | 'lost' | 'no word' | 'not asked' | `as ${Sayable}`;

const shellOf = (program: Program, name: string): Call => ({
  id: `call_${name}`,
  ...program.shell(`echo ${name} ran >> ran; echo out-${name}`),
});
const markOf = ({ name }: Saying): string => `MARK-${name.replaceAll(/\W+/g, '-')}`;

/** The agent's own name of the event; undefined: it has none, or is not known to fire it without a person. */
function eventOf({ name, unasked, subagent }: Program, saying: Saying): string | undefined {
  if (unasked?.includes(saying.event) || (saying.inside && subagent === undefined)) return undefined;
  return agentCodec(name).events.find(({ ours }) => ours === saying.event)?.name;
}

export async function otherEvents(
  program: Program,
  path: string,
  mode: Mode,
): Promise<Readonly<Record<string, Heard>>> {
  const results: Record<string, Heard> = {};
  const sayable = SAYINGS.filter((saying) => {
    results[saying.name] = eventOf(program, saying) === undefined ? 'not asked' : 'no word';
    return results[saying.name] === 'no word' && wordsOf(program, saying, mode) !== undefined;
  });
  const together = sayable.filter(({ alone }) => !alone);
  for (const sayings of [together, ...sayable.filter(({ alone }) => alone).map((one) => [one])])
    Object.assign(results, await play(program, path, mode, sayings));
  return results;
}

/** What its hook prints; undefined: there is no word for it. */
function wordsOf({ name }: Program, saying: Saying, mode: Mode): string | undefined {
  if (mode === 'direct') return recordedOf(name).encode[saying.recorded]?.stdout?.trim();
  return carriedBy(name, saying).carried === 'no' ? undefined : JSON.stringify(saying.say);
}

/** What no hook of ours can say on an event is not carried either. */
const carriedBy = (agent: string, { event, what }: Saying): AgentSupport => {
  const spec = CATALOGUE[event as keyof typeof CATALOGUE] as EventSpec | undefined;
  if (what === 'stop' && spec?.endsLoop === false) return { carried: 'no', source: 'seen' };
  return supports(agent, event, what);
};

async function play(
  program: Program,
  path: string,
  mode: Mode,
  sayings: readonly Saying[],
): Promise<Record<string, Heard>> {
  const place = openPlace();
  const scripts = sayings.map((saying) => scriptOf(place, saying, wordsOf(program, saying, mode) as string));
  const hooks = place.write('hooks.json', JSON.stringify(hooksOf(sayings, scripts)));
  const events = [...new Set(sayings.map((saying) => eventOf(program, saying) as string))];
  const commandOf = (event: string): string => {
    if (mode !== 'direct') return throughUs(program, place, event, hooks);
    const own = scripts.filter((_, i) => eventOf(program, sayings[i] as Saying) === event);
    const all = own.map((file) => `printf '%s' "$input" | sh ${file}`).join('\n');
    return `sh ${place.write(`direct/${event}.sh`, `#!/bin/sh\ninput=$(cat)\n${all}\n`)}`;
  };
  const server = mode === 'server' ? await serve(place, hooks) : undefined;
  try {
    const run = await runProgram({
      program,
      path,
      place,
      script: scriptFor(program, sayings),
      hooks: Object.fromEntries(events.map((event) => [event, commandOf(event)])),
      seconds: 30,
      most: 90,
    });
    if (process.env['INTEROP_DEBUG'])
      console.error(run.output.slice(-3000), JSON.stringify(run.asked.map(({ thread, results }) => [thread, results])));
    if (server) await noAlarms(place);
    const ran = place
      .read('ran')
      .split('\n')
      .map((line) => line.replace(/ ran$/, ''));
    return Object.fromEntries(sayings.map((saying) => [saying.name, heardBy(program, saying, mode, { ...run, ran })]));
  } finally {
    await server?.end();
    place.remove();
  }
}

function heardBy({ name }: Program, saying: Saying, mode: Mode, seen: Seen): Heard {
  const { carried, as } = mode === 'direct' ? { carried: 'yes', as: undefined } : carriedBy(name, saying);
  const instead = carried === 'as' && as !== undefined;
  const isHeard = (instead ? (saying.heardAs ?? saying.heard) : saying.heard)(seen, markOf(saying));
  if (!isHeard) return 'lost';
  return instead ? `as ${as}` : 'heard';
}

/** A main agent that calls what the sayings are about, and where there are some inside, a subagent. */
function scriptFor(program: Program, sayings: readonly Saying[]): Record<string, readonly Turn[]> {
  const calls = (inside: boolean): Call[] =>
    sayings.flatMap(({ call, inside: own }) =>
      call !== undefined && (own === true) === inside ? [shellOf(program, call)] : [],
    );
  const spawns = sayings.some(({ inside }) => inside) ? (program.subagent?.('[sub] say hello') ?? []) : [];
  return { main: [...calls(false), ...spawns, 'All done.'], sub: [...calls(true), 'Sub done.'] };
}

function scriptOf(place: Place, saying: Saying, words: string): string {
  const { call, once } = saying;
  const name = saying.name.replaceAll(/\W+/g, '-');
  const file = place.write(`words/${name}`, `${words.replaceAll('MARK', markOf(saying))}\n`);
  return place.write(
    `scripts/${name}.sh`,
    `#!/bin/sh
input=$(cat)
${once ? `printf '%s' "$input" | grep -q '"stop_hook_active": *true' && exit 0\n` : ''}case $input in
  ${call === undefined ? '*' : `*'echo ${call} ran'*`}) cat ${file} ;;
esac
`,
  );
}

function hooksOf(sayings: readonly Saying[], scripts: readonly string[]): object {
  const hooks: Record<string, object[]> = {};
  for (const [i, { event }] of sayings.entries()) {
    hooks[event] ??= [];
    hooks[event].push({ hooks: [{ type: 'command', command: `sh ${scripts[i]}` }] });
  }
  return hooks;
}
