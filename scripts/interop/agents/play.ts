// The real Codex, Copilot and Gemini: alone, through `hookscope hook --as`, and the same with a warm server.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeTool, MODES, type Mode, type Outcome } from './before-tool.js';
import { casesOf, hasReason, recordedOf } from './cases.js';
import { type Heard, otherEvents } from './other-events.js';
import { PROGRAMS, type Program, versionOf } from './programs.js';

/** What was seen of one agent, as it is kept. */
export interface AgentResults {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly date: string;
  /** What it did; with `, told` where the model received the reason. */
  readonly before_tool: Readonly<Record<Mode, Readonly<Record<string, string>>>>;
  readonly other_events: Readonly<Record<Mode, Readonly<Record<string, Heard>>>>;
}

export const RESULTS = fileURLToPath(new URL('./results.json', import.meta.url));

export const readResults = (): readonly AgentResults[] => JSON.parse(readFileSync(RESULTS, 'utf8')) as AgentResults[];

export type Tell = (name: string, checked: string, version: string, problems: readonly string[]) => void;

/** Plays them all, tells what is not as it should be, and keeps what was seen where that is asked. */
export async function playAgents(
  paths: Readonly<Record<string, string>>,
  only: string,
  write: boolean,
  tell: Tell,
): Promise<void> {
  const kept = write ? new Map(readResults().map((one) => [one.name, one])) : new Map<string, AgentResults>();
  for (const program of PROGRAMS) {
    const path = paths[program.name];
    if (path === undefined) continue;
    const version = await versionOf(path);
    const before: Partial<Record<Mode, Readonly<Record<string, Outcome>>>> = {};
    const others: Partial<Record<Mode, Readonly<Record<string, Heard>>>> = {};
    for (const mode of MODES) {
      const name = `${program.title}, ${mode}`;
      if (!name.toLowerCase().includes(only.toLowerCase())) continue;
      before[mode] = await beforeTool(program, path, mode);
      tell(name, '23 hooks before the shell tool', version, problemsBefore(program, mode, before[mode]));
      others[mode] = await otherEvents(program, path, mode);
      tell(name, 'other events, and inside a subagent', version, lost(others[mode]));
    }
    const { alsoNamed, title } = program;
    if (alsoNamed !== undefined && `${title}, ${alsoNamed}`.toLowerCase().includes(only.toLowerCase())) {
      const outcomes = await beforeTool(program, path, 'server', alsoNamed);
      tell(
        `${title}, ${alsoNamed}`,
        '23 hooks before the shell tool',
        version,
        problemsBefore(program, 'server', outcomes),
      );
    }
    const date = new Date().toISOString().slice(0, 10);
    if (MODES.every((mode) => before[mode] && others[mode]))
      kept.set(program.name, {
        name: program.name,
        title: program.title,
        version,
        date,
        before_tool: inShort(before as Readonly<Record<Mode, Readonly<Record<string, Outcome>>>>),
        other_events: others as AgentResults['other_events'],
      });
  }
  if (write) writeFileSync(RESULTS, `${JSON.stringify([...kept.values()], undefined, 2)}\n`);
}

function inShort(all: Readonly<Record<Mode, Readonly<Record<string, Outcome>>>>): AgentResults['before_tool'] {
  const short = (outcomes: Readonly<Record<string, Outcome>>) =>
    Object.fromEntries(Object.entries(outcomes).map(([name, { did, told }]) => [name, told ? `${did}, told` : did]));
  return { direct: short(all.direct), stateless: short(all.stateless), server: short(all.server) };
}

const lost = (heard: Readonly<Record<string, Heard>>): string[] =>
  Object.entries(heard).flatMap(([name, one]) => (one === 'lost' ? [`${name}: not heard`] : []));

function problemsBefore(program: Program, mode: Mode, outcomes: Readonly<Record<string, Outcome>>): string[] {
  return casesOf(mode === 'direct' ? program.name : 'codex').flatMap((one) => {
    const { did, told } = outcomes[one.name] as Outcome;
    const expected = mode === 'direct' ? recorded(program, one.name) : wanted(one);
    if (did !== expected) return [`${one.name}: ${did}, not ${expected}`];
    // Of a loop that was ended the model hears nothing more.
    const isTold = told || mode === 'direct' || did !== 'blocked' || !hasReason(one) || UNTOLD.has(one.name);
    return isTold ? [] : [`${one.name}: the reason did not reach the model`];
  });
}

/** It ends the loop, is no answer, or comes too late to be read. */
const UNTOLD: ReadonlySet<string> = new Set(['continue_false', 'twojson', 'timeout']);

const wanted = ({ name, kind }: { readonly name: string; readonly kind: string }): Outcome['did'] =>
  kind === 'other' && name !== 'ask' ? (name === 'rewrite' ? 'rewritten' : 'ran') : 'blocked';

function recorded({ name }: Program, of: string): string | undefined {
  const found = recordedOf(name).before_tool.cases.find((one) => one.name === of) as
    | { agent_does?: string }
    | undefined;
  return found?.agent_does === 'hang' ? 'hung' : found?.agent_does;
}
