import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../fixtures/agents/', import.meta.url));

/** What was recorded from an agent: what its hooks got, and what became of their answers (README.md there). */
export interface RecordedPayload {
  readonly file: string;
  /** The event, as the hook was registered for it. */
  readonly event: string;
  readonly text: string;
}

export interface RecordedAnswer {
  readonly event: string;
  readonly stdout: string;
  readonly stderr?: string;
  readonly exit: number;
  readonly honoured?: boolean;
  readonly none?: string;
}

/** What a hook did that was tried. */
export interface RecordedHook {
  readonly stdout: string;
  readonly stderr?: string;
  readonly exit?: number;
  readonly signal?: string;
  readonly after_s?: number;
  readonly stdout_held_open_s?: number;
}

interface Answers {
  readonly version: string;
  readonly before_tool: {
    readonly event: string;
    readonly cases: readonly {
      readonly name: string;
      readonly kind: 'no' | 'broken' | 'other';
      readonly hook: RecordedHook;
      readonly agent_does: string;
    }[];
  };
  readonly encode: Readonly<Record<string, Partial<RecordedAnswer>>>;
  readonly probes: readonly (RecordedAnswer & { readonly name: string; readonly meant: string })[];
}

export const SEEN = ['codex', 'copilot', 'gemini'] as const;

export const answersOf = (agent: string): Answers =>
  JSON.parse(readFileSync(join(ROOT, agent, 'answers.json'), 'utf8')) as Answers;

/** Answers that say several things at once. */
export function togetherOf(agent: string): Answers['probes'] {
  const file = join(ROOT, agent, 'together.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Answers).probes : [];
}

export const envOf = (agent: string): Record<string, string> => {
  const env = JSON.parse(readFileSync(join(ROOT, agent, 'env.json'), 'utf8')) as Record<string, Record<string, string>>;
  return { ...env['set_by_the_agent'], ...env['passed_on_to_the_hook'] };
};

export function payloadsOf(agent: string): RecordedPayload[] {
  const files = readdirSync(join(ROOT, agent), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json') && !/(answers|env|together)\.json$/.test(file))
    .sort();
  return files.map((file) => ({
    file,
    event: basename(file).split('.')[0] as string,
    text: readFileSync(join(ROOT, agent, file), 'utf8'),
  }));
}

/** Every answer that the agent was seen to honour, with exit code 0. */
export function honouredBy(agent: string): RecordedAnswer[] {
  const { before_tool, encode } = answersOf(agent);
  const probes = [...answersOf(agent).probes, ...togetherOf(agent)];
  const cases = before_tool.cases
    .filter(({ kind, agent_does }) => (kind === 'no' ? agent_does === 'blocked' : agent_does === 'rewritten'))
    .map(({ hook }) => ({ event: before_tool.event, stdout: hook.stdout, exit: hook.exit ?? 1 }));
  const encoded = Object.values(encode).filter((one): one is RecordedAnswer => one.stdout !== undefined);
  return [...probes.filter((one) => one.honoured), ...encoded, ...cases].filter(
    ({ exit, stdout }) => exit === 0 && stdout.trim().startsWith('{'),
  );
}
