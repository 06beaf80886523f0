import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { type AskedQuestion, MOST_REASON, readTaken, signAnswer } from '../../fleet/ask/question.js';
import { waitingQuestions } from '../../fleet/ask/waiting.js';
import { readKey, type SigningKey } from '../../fleet/bundle/keys.js';
import type { FleetEngine } from '../../fleet/engine.js';
import { readJoined } from '../../fleet/joined.js';
import { plain, plainJson } from '../../plain.js';
import { describeError } from '../../values/message.js';
import { wrongOption } from '../../values/options.js';
import type { Terminal } from '../terminal.js';
import { atBroker, type FleetFlags, whereOf } from './flags.js';

interface ApproverAnswer {
  readonly answer: 'allow' | 'deny';
  readonly reason?: string | undefined;
}

/** The shortest beginning of an ID: a shorter one may match another question by the time it is answered. */
const FEWEST = 6;

interface ApproveCommand {
  readonly id: string | undefined;
  readonly said: ApproverAnswer | undefined;
  readonly key: SigningKey | undefined;
}

/** Lists the questions that wait for a person, and answers one by its ID or, on a terminal, each in turn. */
export async function approveVerb(names: readonly string[], flags: FleetFlags, terminal: Terminal): Promise<number> {
  const { id, said, key } = askedBy(names, flags);
  const isJson = flags.json === true;
  return atBroker(whereOf(flags), terminal, async (engine) => {
    const found = await waitingQuestions(engine, id);
    const all = found.filter(({ host }) => flags.host === undefined || host === flags.host);
    if (id === undefined || said === undefined) return list(all, { engine, key, terminal, isJson });
    const named = all.filter((question) => question.id.startsWith(id));
    const waiting = named.filter(({ settled }) => settled === undefined);
    // A settled question is answered, too: the host that asked says which answer came first.
    const meant = waiting.length > 0 ? waiting : named;
    const [question] = meant;
    if (question === undefined || meant.length > 1) {
      const each = meant.map((one) => `${one.id} of ${one.host}`).join(', ');
      const at = flags.host === undefined ? '' : ` of ${flags.host}`;
      terminal.tell(
        meant.length > 1
          ? `${meant.length} questions begin with ${plain(id)}: ${plain(each)}; name more of one`
          : `nobody waits for an answer to ${plain(id)}${plain(at)}; hookscope fleet approve shows what waits`,
      );
      return 1;
    }
    return send(engine, question, said, { key: key as SigningKey, terminal, isJson });
  });
}

function askedBy([name]: readonly string[], { allow, deny, reason, sign = [] }: FleetFlags): ApproveCommand {
  const isEither = allow !== undefined || deny === true;
  if (isEither && allow !== undefined && deny)
    throw wrongOption('fleet approve', 'expected --allow or --deny, and not both');
  if (typeof allow === 'string' && name !== undefined)
    throw wrongOption('--allow', `expected nothing after it where the ID stands before it, got "${allow}"`);
  const id = typeof allow === 'string' ? allow : name;
  if (id === undefined && isEither) throw wrongOption('fleet approve', 'expected the ID of what is answered');
  if (id !== undefined && !isEither) throw wrongOption('fleet approve', 'expected --allow or --deny with the ID');
  if (id !== undefined && (id.length < FEWEST || !/^[0-9a-f]+$/.test(id)))
    throw wrongOption(
      'fleet approve',
      `expected an ID as hookscope fleet approve shows it, or its first ${FEWEST} characters or more, got "${id}"`,
    );
  if (reason !== undefined && !isEither) throw wrongOption('--reason', 'expected --allow or --deny beside it');
  if (reason !== undefined && reason.length > MOST_REASON)
    throw wrongOption('--reason', `expected at most ${MOST_REASON} characters, got ${reason.length}`);
  if (sign.length > 1) throw wrongOption('--sign', 'expected one key');
  const key = sign[0] === undefined ? undefined : readKey(resolve(sign[0]));
  if (id !== undefined && key === undefined) throw wrongOption('--sign', "expected the file of an approver's key");
  const said = isEither ? { answer: deny ? ('deny' as const) : ('allow' as const), reason } : undefined;
  return { id, said, key };
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
    if (said === undefined) continue;
    try {
      if ((await send(engine, question, said, { key, terminal, isJson })) !== 0) code = 1;
    } catch (error) {
      // The question may have been closed in the meantime; the others are still shown.
      terminal.tell(describeError(error));
      code = 1;
    }
  }
  if (waiting.length === 0) terminal.tell('nothing waits for a person');
  else if (key !== undefined && !isJson && terminal.ask === undefined)
    terminal.tell('nobody sits at a terminal here: name the ID of what is answered, with --allow or --deny');
  return code;
}

function saidBy(text: string): ApproverAnswer | undefined {
  const [, word, reason] = /^\s*(a|allow|d|deny)(?:\s+(.*\S))?\s*$/.exec(text) ?? [];
  if (word === undefined) return undefined;
  const why = reason === undefined ? {} : { reason: reason.slice(0, MOST_REASON) };
  return { answer: word.startsWith('a') ? 'allow' : 'deny', ...why };
}

async function send(
  engine: FleetEngine,
  question: AskedQuestion,
  said: ApproverAnswer,
  { key, terminal, isJson }: { readonly key: SigningKey; readonly terminal: Terminal; readonly isJson: boolean },
): Promise<number> {
  const answer = signAnswer(question, { ...said, from: placeName() }, key);
  const { counts, message } = readTaken(await engine.ask.answer(question.host, question.id, answer));
  const { id, host } = question;
  if (isJson) await terminal.print(plainJson({ id, host, counts, message }));
  else if (counts) await terminal.print(`${id} of ${host}: ${plain(message)}`);
  else terminal.tell(`${id} of ${host}: this answer does not count: ${plain(message)}`);
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
