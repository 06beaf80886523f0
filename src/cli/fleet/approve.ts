import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { type AskedQuestion, readTaken, signAnswer } from '../../fleet/ask/question.js';
import { waitingQuestions } from '../../fleet/ask/waiting.js';
import { readKey, type SigningKey } from '../../fleet/bundle/keys.js';
import type { FleetEngine } from '../../fleet/engine.js';
import { readJoined } from '../../fleet/joined.js';
import { plain, plainJson } from '../../plain.js';
import type { Terminal } from '../terminal.js';
import { atBroker, type FleetFlags, whereOf, wrong } from './flags.js';

interface Said {
  readonly answer: 'allow' | 'deny';
  readonly reason?: string | undefined;
}

/** Lists what waits for a person, and answers it: one by its id, or on a terminal each in turn. */
export async function approveVerb([id]: readonly string[], flags: FleetFlags, terminal: Terminal): Promise<number> {
  const { allow, deny, reason, sign = [] } = flags;
  if (typeof allow === 'string') throw wrong('--allow', `expected nothing after it, got "${allow}": name the ID first`);
  if (allow && deny) throw wrong('fleet approve', 'expected --allow or --deny, and not both');
  if (id === undefined && (allow || deny)) throw wrong('fleet approve', 'expected the ID of what is answered');
  if (id !== undefined && !allow && !deny) throw wrong('fleet approve', 'expected --allow or --deny');
  if (sign.length > 1) throw wrong('--sign', 'expected one key');
  const key = sign[0] === undefined ? undefined : readKey(resolve(sign[0]));
  if (id !== undefined && key === undefined) throw wrong('--sign', "expected the file of an approver's key");
  return atBroker(whereOf(flags), terminal, async (engine) => {
    const found = await waitingQuestions(engine, id);
    const all = found.filter(({ host }) => flags.host === undefined || host === flags.host);
    if (id === undefined) return list(all, { engine, key, terminal, isJson: flags.json === true });
    const meant = all.filter((question) => question.id.startsWith(id));
    const [question] = meant;
    if (question === undefined || meant.length > 1) {
      const what =
        meant.length > 1 ? `${meant.length} questions begin with ${id}` : `nobody waits for an answer to ${id}`;
      terminal.tell(what);
      return 1;
    }
    return send(engine, question, { answer: allow ? 'allow' : 'deny', reason }, { key: key as SigningKey, terminal });
  });
}

async function list(
  found: readonly AskedQuestion[],
  {
    engine,
    key,
    terminal,
    isJson,
  }: {
    readonly engine: FleetEngine;
    readonly key: SigningKey | undefined;
    readonly terminal: Terminal;
    readonly isJson: boolean;
  },
): Promise<number> {
  const waiting = found.filter(({ settled }) => settled === undefined);
  let code = 0;
  for (const question of waiting) {
    if (isJson) await terminal.print(plainJson(question));
    else for (const line of linesOf(question)) await terminal.print(line);
    if (isJson || key === undefined || terminal.ask === undefined) continue;
    const said = saidBy(await terminal.ask('allow, deny or leave it? [a/d/Enter] (a reason may follow) '));
    if (said !== undefined && (await send(engine, question, said, { key, terminal })) !== 0) code = 1;
  }
  if (waiting.length === 0) terminal.tell('nothing waits for a person');
  return code;
}

function saidBy(text: string): Said | undefined {
  const [, word, reason] = /^\s*(a|allow|d|deny)(?:\s+(.*\S))?\s*$/.exec(text) ?? [];
  if (word === undefined) return undefined;
  return { answer: word.startsWith('a') ? 'allow' : 'deny', ...(reason === undefined ? {} : { reason }) };
}

async function send(
  engine: FleetEngine,
  question: AskedQuestion,
  said: Said,
  { key, terminal }: { readonly key: SigningKey; readonly terminal: Terminal },
): Promise<number> {
  const answer = signAnswer(question, { ...said, from: placeName() }, key);
  const { counts, message } = readTaken(await engine.ask.answer(question.host, question.id, answer));
  if (counts) await terminal.print(`${question.id}: ${plain(message)}`);
  else terminal.tell(`${question.id}: ${plain(message)}`);
  return counts ? 0 : 1;
}

const placeName = (): string => (readJoined()?.host ?? hostname()).slice(0, 64);

function linesOf({ id, host, event, input, rewritten, reason, hooks, deadline, fire }: AskedQuestion): string[] {
  const left = Math.max(0, Math.round((Date.parse(deadline) - Date.now()) / 1000));
  const { tool_name: tool, tool_input: of = input, agent_id: agent, session_id: session, cwd } = input;
  const who = [`host ${host}`, agent === undefined ? '' : `agent ${agent}`, `session ${session}`, `in ${cwd}`];
  return [
    plain(`${id}  ${event}${tool === undefined ? '' : ` ${tool}`}  ${left} s left`),
    plain(`  asks:  ${who.filter((text) => text !== '').join(', ')}, fire ${fire}`),
    plain(`  hooks: ${hooks.join(', ') || 'the policy'}${reason === undefined ? '' : `: ${reason}`}`),
    `  input: ${plainJson(of)}${rewritten ? ' (hooks have changed it)' : ''}`,
  ];
}
