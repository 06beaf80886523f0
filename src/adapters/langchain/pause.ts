import { isDeepStrictEqual } from 'node:util';
import { clip } from '../../plain.js';
import type { PermissionCall, PersonAnswer } from '../../session/options.js';
import { kindOf } from '../../values/problem.js';
import { isObject } from '../../values/shape.js';
import { graphOf, type Node } from './runs.js';

/** The node in which a call is made: LangGraph gives it a way to pause. */
export interface Pausable extends Node {
  readonly interrupt?: ((value: never) => unknown) | undefined;
}

/**
 * What is asked of the user, as LangChain's own `humanInTheLoopMiddleware` asks it, so that programs which show its questions show these: one action, and what may be decided. It is answered
 * with `new Command({ resume: { decisions: [{ type: 'approve' }] } })`; `{ type: 'edit', editedAction: { name, args } }` and `{ type: 'reject', message }` are the others.
 */
export interface Question {
  readonly actionRequests: readonly [{ readonly name: string; readonly args: unknown; readonly description: string }];
  readonly reviewConfigs: readonly [
    { readonly actionName: string; readonly allowedDecisions: readonly ['approve', 'edit', 'reject'] },
  ];
  readonly call: AskedCall;
}

/** A call that a hook has put off. Whatever it is resumed with, it is judged again. */
export interface Deferral {
  readonly deferred: { readonly name: string; readonly args: unknown; readonly reason: string | undefined };
  readonly call: AskedCall;
}

/** Which call it is about. */
export interface AskedCall {
  readonly id: string;
  /** How many pauses of the call's node were answered before. */
  readonly nth: number;
}

type Paused = Omit<Question, 'call'> | Omit<Deferral, 'call'>;

/** A node has its pauses by number, and so has what they are answered with. */
interface Answers {
  nth: number;
  readonly given: { readonly to: unknown; readonly answer: unknown }[];
}

/**
 * The pauses of an agent. LangGraph runs a node that paused from its beginning again, and answers its pauses in their order, whatever is asked by then: an answer
 * counts here only for the question it was given to.
 */
export class Pauses {
  /** What was asked last, by graph, node and number. */
  readonly #asked = new Map<string, Map<string, unknown[]>>();
  /** By the configuration, which each run of a node has for itself. */
  readonly #answers = new WeakMap<object, Answers>();

  /** Asks the user: throws LangGraph's interrupt, or gives the answer to this very question. */
  async ask(node: Pausable, input: unknown, call: PermissionCall): Promise<PersonAnswer> {
    const { id, name, reason } = call;
    const description = reason ?? `${name} needs your approval.`;
    const answer = await this.#answerTo(node, id, {
      actionRequests: [{ name, args: input, description }],
      reviewConfigs: [{ actionName: name, allowedDecisions: ['approve', 'edit', 'reject'] }],
    });
    return read(name, answer);
  }

  /** Throws LangGraph's interrupt: whatever came before, the call was put off just now. */
  async defer(
    node: Pausable,
    call: { readonly id: string; readonly name: string; readonly args: unknown },
    reason: string | undefined,
  ): Promise<never> {
    const { id, name, args } = call;
    for (;;) this.#pause(node, id, { deferred: { name, args, reason } });
  }

  /** The model of the node's graph is called: whatever paused before is over. */
  forget(node: Node): void {
    this.#asked.delete(placeOf(node).graph);
  }

  async #answerTo(node: Pausable, id: string, question: Paused): Promise<unknown> {
    const answers = this.#of(node);
    for (;;) {
      const at = answers.given.findIndex(({ to }) => isDeepStrictEqual(to, subjectOf({ ...question, call: { id } })));
      const [found] = at < 0 ? [] : answers.given.splice(at, 1);
      if (found) return found.answer;
      const nth = answers.nth;
      const answer = this.#pause(node, id, question);
      answers.given.push({ to: await this.#questionAt(node, nth), answer });
    }
  }

  #pause(node: Pausable, id: string, question: Paused): unknown {
    const nth = this.#of(node).nth++;
    try {
      return node.interrupt?.({ ...question, call: { id, nth } } as never);
    } catch (error) {
      const { graph, place } = placeOf(node);
      const nodes = this.#asked.get(graph) ?? new Map<string, unknown[]>();
      const asked = nodes.get(place) ?? [];
      asked[nth] = subjectOf({ ...question, call: { id } });
      this.#asked.set(graph, nodes.set(place, asked));
      throw error;
    }
  }

  #of({ configurable }: Pausable): Answers {
    const key = configurable ?? {};
    const answers = this.#answers.get(key) ?? { nth: 0, given: [] };
    this.#answers.set(key, answers);
    return answers;
  }

  async #questionAt(node: Pausable, nth: number): Promise<unknown> {
    const { graph, place } = placeOf(node);
    return this.#asked.get(graph)?.get(place)?.[nth] ?? (await savedQuestion(node, nth));
  }
}

function placeOf({ configurable = {} }: Node): { readonly graph: string; readonly place: string } {
  const place = `${configurable['thread_id']} ${configurable['checkpoint_ns']}`;
  return { graph: graphOf(place), place };
}

/** Whether the graph is saved, so that it can pause. */
export const canPause = ({ configurable = {}, interrupt }: Pausable): boolean =>
  interrupt !== undefined && isObject(configurable['__pregel_checkpointer']);

interface Saved {
  getTuple(at: { configurable: object }): Promise<{ pendingWrites?: [string, string, unknown][] } | undefined>;
}

/** In another process: what the checkpointer has of the node's last pause. */
async function savedQuestion({ configurable = {} }: Pausable, nth: number): Promise<unknown> {
  const { thread_id, checkpoint_map, checkpoint_ns, __pregel_checkpointer: saver } = configurable;
  const parent = graphOf(String(checkpoint_ns));
  const task = String(checkpoint_ns).split(':').pop();
  const checkpoint_id = (checkpoint_map as Record<string, string> | undefined)?.[parent];
  const at = { thread_id, checkpoint_ns: parent, ...(checkpoint_id ? { checkpoint_id } : {}) };
  const saved = await (saver as Saved).getTuple({ configurable: at });
  const writes = saved?.pendingWrites?.filter(([by, channel]) => by === task && channel === '__interrupt__') ?? [];
  const values = writes.flatMap(([, , value]) => value as { value?: Partial<Question> }[]).map((one) => one.value);
  return subjectOf(values.find((one) => one?.call?.nth === nth));
}

/** What a question is about, whatever is said of it; `undefined` where nothing is asked. */
function subjectOf(question: unknown): unknown {
  const { actionRequests, call } = (question ?? {}) as Partial<Question>;
  const action = actionRequests?.[0];
  return action && call && { id: call.id, name: action.name, args: action.args };
}

/** As `humanInTheLoopMiddleware` is answered; anything else as the session's own `ask` answers. What is neither is no permission. */
function read(name: string, answer: unknown): PersonAnswer {
  const decisions = (answer as { decisions?: unknown[] } | undefined)?.decisions;
  if (Array.isArray(decisions) && decisions.length !== 1)
    throw new Error(`expected one decision about the one call of ${name}, not ${decisions.length}`);
  const decision: unknown = decisions?.[0];
  // Read as the answer of a session's own `ask`.
  const isOwn = answer === undefined || answer === null || (isObject(answer) && 'behavior' in answer);
  if (isOwn && !Array.isArray(decisions)) return answer as PersonAnswer;
  const expected = `expected the decision approve, reject, or edit with the name ${name} and its args`;
  if (!isObject(decision))
    throw new Error(
      `${expected}, in new Command({ resume: { decisions: [{ type: 'approve' }] } }); got ${shownAnswer(answer)}`,
    );
  const { type, editedAction, message } = decision as { type?: unknown; editedAction?: unknown; message?: unknown };
  if (type === 'approve') return { behavior: 'allow' };
  if (type === 'reject') return { behavior: 'deny', message: typeof message === 'string' ? message : undefined };
  if (type === 'edit' && isObject(editedAction) && editedAction['name'] === name && isObject(editedAction['args']))
    return { behavior: 'allow', updatedInput: editedAction['args'] };
  throw new Error(expected);
}

/** A text that was given as it is, and of all else what it is. */
const shownAnswer = (answer: unknown): string =>
  typeof answer === 'string' ? `the text "${clip(answer, 40)}"` : kindOf(answer);
