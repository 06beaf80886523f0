import {
  addContext,
  allow,
  ask,
  createHost,
  deny,
  type FireRecord,
  type Host,
  type HostOptions,
  type RuleDecision,
  rewrite,
  rule,
} from '../../src/index.js';
import { randomFrom } from '../seed.js';

type Input = Readonly<Record<string, unknown>>;
type Call = { readonly event: string; readonly input: Input };

/** `true`: the same with another word in each rule. `once`: what ran once runs always, and some others run once. */
export type Change = boolean | 'once';

/** One random session: what is registered, in any host, and what is fired. */
export interface Scene {
  readonly options: HostOptions;
  register(host: Host, changed?: Change): void;
  readonly calls: readonly Call[];
}

const WORDS = ['ls', 'rm -rf build', 'git push --force', 'cat a.txt', 'npm test'];
const TOOLS = ['Bash', 'Edit', 'Write', 'Read'];
const RULES = [undefined, undefined, 'Bash(rm *)', 'Bash(git push *)', 'Edit(*.ts)', 'Bash', 'Write'];

/** What a hook looks at, as text. */
const textOf = ({ tool_input: tool, prompt, message, last_assistant_message: last }: Input): string =>
  JSON.stringify([tool, prompt, message, last]);

/** Hooks that say the same of the same input; what they do is their name, and the word that they look for. */
function hookOf(kind: string, word: string): (input: Input, id: unknown, context: { signal: AbortSignal }) => unknown {
  const concerns = (input: Input): boolean => textOf(input).includes(word);
  const longer = (input: Input) => {
    const { command = '', ...rest } = (input['tool_input'] ?? {}) as { command?: string };
    return command.length > 30 ? undefined : rewrite({ ...rest, command: `${command} #${word.length}` });
  };
  const output = (input: Input) => rewrite({ ...(input['tool_response'] as object), seen: word });
  switch (kind) {
    case 'deny':
      return (input) => (concerns(input) ? deny(`No ${word}.`) : undefined);
    case 'ask':
      return (input) => (concerns(input) ? ask(`Sure of ${word}?`) : undefined);
    case 'allow':
      return (input) => (concerns(input) ? allow() : undefined);
    case 'rewrite':
      return (input) => (concerns(input) ? (input['tool_response'] ? output(input) : longer(input)) : undefined);
    case 'context':
      return (input) => (concerns(input) ? addContext(`Mind ${word}.`) : undefined);
    case 'end':
      return (input) => (concerns(input) ? { continue: false, stopReason: `Enough ${word}.` } : undefined);
    case 'throw':
      return (input) => {
        if (concerns(input)) throw new Error(`broken by ${word}`);
      };
    case 'late':
      return async (input) => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        return concerns(input) ? deny(`Late no to ${word}.`) : undefined;
      };
    case 'never':
      return (input) => (concerns(input) ? new Promise(() => undefined) : undefined);
    case 'later':
      return (input) => (concerns(input) ? { async: true, result: Promise.resolve(undefined) } : undefined);
    case 'phases':
      return (input, _, context) =>
        !concerns(input) || (context as { call?: string }).call === 'async' ? undefined : { async: true };
    case 'unjudged':
      return (input) => (concerns(input) ? { async: true } : undefined);
    default:
      return () => undefined;
  }
}

/** By the fold of the event. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  PreToolUse: [
    'deny',
    'ask',
    'allow',
    'rewrite',
    'rewrite',
    'context',
    'end',
    'throw',
    'late',
    'never',
    'later',
    'unjudged',
    'phases',
    '',
  ],
  PostToolUse: ['deny', 'rewrite', 'context', 'throw', 'late', 'later', ''],
  UserPromptSubmit: ['deny', 'context', 'throw', 'never', ''],
  Stop: ['deny', 'end', 'throw', ''],
  SubagentStart: ['context', 'throw', ''],
  SubagentStop: ['', 'throw', 'late'],
  Notification: ['', 'throw'],
};
const EVENTS = Object.keys(KINDS);

export function sceneOf(seed: number): Scene {
  const random = randomFrom(seed);
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const chance = (share: number): boolean => random() < share;
  const groupOf = (event: string, i: number) => {
    const kind = pick(KINDS[event] as readonly string[]);
    const word = pick(['ls', 'rm', 'git', 'a', 'npm', '', '']);
    const group = {
      ...(chance(0.4) && ['PreToolUse', 'PostToolUse'].includes(event)
        ? { matcher: pick([...TOOLS, 'Edit|Write']) }
        : {}),
      ...(chance(0.4) ? { mode: 'parallel' as const } : {}),
      ...(chance(0.3) ? { stage: pick([-1, 1]) } : {}),
      ...(chance(0.2) ? { phase: pick(['rewrite', 'observe'] as const) } : {}),
      ...(chance(0.3) ? { onFailure: pick(['block', 'ask'] as const) } : {}),
      ...(chance(0.08) ? { once: true } : {}),
      ...(chance(0.12) ? { enforce: pick([false, 0.5]) } : {}),
    };
    const rules = event === 'PreToolUse' && chance(0.4);
    const decision = pick<RuleDecision>(['deny', 'ask', 'allow']);
    const text = pick(RULES);
    const runsOnce = chance(0.3);
    const how = {
      name: `${event}-${i}`,
      timeout: kind === 'never' ? 0.01 : 5,
      ...(chance(0.1) ? { async: true } : {}),
    };
    return (changed: Change) => {
      const counts = changed === 'once' ? { once: runsOnce } : {};
      if (!rules) return { ...group, ...counts, hooks: [{ handler: hookOf(kind, word) as never, ...how }] };
      const { phase: _, ...asRule } = { ...group, ...counts };
      const other: RuleDecision = decision === 'deny' ? 'ask' : 'deny';
      return { ...asRule, hooks: [rule(changed === true ? other : decision, `Rule ${i}.`, text ? { if: text } : {})] };
    };
  };
  const hooksFor = (most: number, events: readonly string[]) => {
    const made = events.map(
      (event) => [event, Array.from({ length: Math.floor(random() * most) }, (_, i) => groupOf(event, i))] as const,
    );
    return (changed: Change) =>
      Object.fromEntries(made.map(([event, groups]) => [event, groups.map((group) => group(changed))]));
  };
  const base = hooksFor(5, EVENTS);
  const reviewer = hooksFor(3, ['PreToolUse', 'PostToolUse', 'Stop', 'SubagentStart']);
  const own = hooksFor(3, ['PreToolUse']);
  const options: HostOptions = {
    logger: () => undefined,
    closeTimeout: 0.05,
    session: { session_id: 's0', cwd: '/project', transcript_path: '' },
    decisions: pick(['strictest', 'strictest', 'first', 'last']),
    onFailure: pick(['continue', 'block']),
  };
  return {
    options,
    register(host, changed = false) {
      host.register(base(changed), { name: 'base' });
      host.spawnHooks('reviewer', reviewer(changed), { name: 'review' });
      host.registerScoped({ session: 's1', agent: 'own' }, own(changed), { name: 'own' });
    },
    calls: callsOf(random),
  };
}

function callsOf(random: () => number): Call[] {
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const calls: Call[] = [];
  const agents = new Map<string, string>();
  for (let i = 0; i < 24; i++) {
    const session = pick(['s0', 's1', 's2']);
    const agent = pick([undefined, undefined, 'own', 'r1', 'r2']);
    const at = { session_id: session, transcript_path: '', cwd: '/project' };
    const type = agent === undefined || agent === 'own' ? undefined : 'reviewer';
    const who = agent === undefined ? {} : { agent_id: agent, ...(type ? { agent_type: type } : {}) };
    if (type !== undefined && !agents.has(`${session} ${agent}`)) {
      agents.set(`${session} ${agent}`, type);
      calls.push({ event: 'SubagentStart', input: { ...at, ...who } });
    }
    const event = random() < 0.5 ? 'PreToolUse' : pick(EVENTS.filter((name) => name !== 'SubagentStart'));
    const tool = pick(TOOLS);
    const call = {
      tool_name: tool,
      tool_input:
        tool === 'Bash'
          ? { command: pick(WORDS) }
          : { file_path: pick(['/project/a.ts', '/project/b.md']), content: pick(WORDS) },
      tool_use_id: `t${i}`,
    };
    const rest: Record<string, Input> = {
      PreToolUse: call,
      PostToolUse: { ...call, tool_response: { stdout: pick(WORDS) } },
      UserPromptSubmit: { prompt: pick(WORDS) },
      Stop: { stop_hook_active: false, last_assistant_message: pick(WORDS) },
      SubagentStop: { stop_hook_active: false, agent_transcript_path: '' },
      Notification: { message: pick(WORDS), notification_type: 'idle' },
    };
    if (event === 'SubagentStop' && type === undefined) continue;
    calls.push({ event, input: { ...at, ...who, ...rest[event] } });
  }
  return calls;
}

export interface Lived {
  readonly host: Host;
  readonly fires: FireRecord[];
}

/** Fires a scene's calls in a host of its own. */
export async function live(
  scene: Scene,
  changed: Change = false,
  watch: (host: Host) => void = () => undefined,
): Promise<Lived> {
  const host = createHost(scene.options) as unknown as Host;
  const fires: FireRecord[] = [];
  host.events$.subscribe((record) => record.type === 'hook_fire' && fires.push(record));
  watch(host);
  scene.register(host, changed);
  for (const { event, input } of scene.calls) await host.fireAny(event, input);
  await host.close();
  return { host, fires };
}

/** A host of the same hooks in which nothing has happened. */
export function fresh(scene: Scene, changed: Change = false): Host {
  const host = createHost(scene.options) as unknown as Host;
  scene.register(host, changed);
  return host;
}
