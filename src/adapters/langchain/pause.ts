import { isDeepStrictEqual } from 'node:util';
import { clip } from '../../plain.js';
import type { PermissionCall, PersonAnswer } from '../../session/options.js';
import { kindOf } from '../../values/problem.js';
import { isObject } from '../../values/shape.js';
import { graphOf, type Node } from './runs.js';

/** The node in which a call is made, with LangGraph's function to pause it. */
export interface PausableNode extends Node {
  readonly interrupt?: ((value: never) => unknown) | undefined;
}

/**
 * A question to the user in the format of LangChain's own `humanInTheLoopMiddleware`, so that programs that show its questions can show these: one action, with the allowed decisions.
 * Answer it with `new Command({ resume: { decisions: [{ type: 'approve' }] } })`, or with `{ type: 'edit', editedAction: { name, args } }` or `{ type: 'reject', message }`.
 */
export interface Question {
  readonly actionRequests: readonly [{ readonly name: string; readonly args: unknown; readonly description: string }];
  readonly reviewConfigs: readonly [
    { readonly actionName: string; readonly allowedDecisions: readonly ['approve', 'edit', 'reject'] },
  ];
  readonly call: AskedCall;
}

/** A call that a hook deferred. Whatever value resumes it, the call is judged again. */
export interface Deferral {
  readonly deferred: { readonly name: string; readonly args: unknown; readonly reason: string | undefined };
  readonly call: AskedCall;
}

/** Identifies the call that is asked about. */
export interface AskedCall {
  readonly id: string;
  /** The number of earlier pauses of the call's node that were answered. */
  readonly nth: number;
}

type PauseRequest = Omit<Question, 'call'> | Omit<Deferral, 'call'>;

/** The answered pauses of a node, in order, each with its answer. */
interface PauseAnswers {
  nth: number;
  readonly given: { readonly to: unknown; readonly answer: unknown }[];
}

/**
 * The pauses of an agent. LangGraph runs a paused node again from its beginning, and passes the answers to its pauses by order, even if the questions have changed.
 * Here, an answer counts only for the question that it was given to.
 */
export class Pauses {
  /** The latest questions, by graph, node and number of the pause. */
  readonly #asked = new Map<string, Map<string, unknown[]>>();
  /** Answers by the node's configuration object, which is a new one for each run of the node. */
  readonly #answers = new WeakMap<object, PauseAnswers>();

  /** Asks the user: throws LangGraph's interrupt, or returns the answer to this question. */
  async ask(node: PausableNode, input: unknown, call: PermissionCall): Promise<PersonAnswer> {
    const { id, name, reason } = call;
    const description = reason ?? `${name} needs your approval.`;
    const answer = await this.#answerTo(node, id, {
      actionRequests: [{ name, args: input, description }],
      reviewConfigs: [{ actionName: name, allowedDecisions: ['approve', 'edit', 'reject'] }],
    });
    return read(name, answer);
  }

  /** Throws LangGraph's interrupt. Earlier answers do not count, because the call was deferred just now. */
  async defer(
    node: PausableNode,
    call: { readonly id: string; readonly name: string; readonly args: unknown },
    reason: string | undefined,
  ): Promise<never> {
    const { id, name, args } = call;
    for (;;) this.#pause(node, id, { deferred: { name, args, reason } });
  }

  /** Forgets the pauses of a graph; called before its model is called, when all of them are over. */
  forget(node: Node): void {
    this.#asked.delete(placeOf(node).graph);
  }

  async #answerTo(node: PausableNode, id: string, question: PauseRequest): Promise<unknown> {
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

  #pause(node: PausableNode, id: string, question: PauseRequest): unknown {
    const nth = this.#of(node).nth++;
    try {
      return node.interrupt?.({ ...question, call: { id, nth } } as never);
    } catch (error) {
      const { graph, place } = placeOf(node);
      const nodes = this.#asked.get(graph) ?? new Map<string, unknown[]>();
      const asked = nodes.get(place) ?? [];
      asked[nth] = subjectOf({ ...question, call: { id } });
      this.#asked.set(graph, nodes.set(place, asked));
      // Its own message is the whole question as JSON, which would be the reason of the call's record.
      const { name } = 'deferred' in question ? question.deferred : question.actionRequests[0];
      if (isPause(error)) Reflect.set(error, 'message', `${name} waits for the user.`);
      throw error;
    }
  }

  #of({ configurable }: PausableNode): PauseAnswers {
    const key = configurable ?? {};
    const answers = this.#answers.get(key) ?? { nth: 0, given: [] };
    this.#answers.set(key, answers);
    return answers;
  }

  async #questionAt(node: PausableNode, nth: number): Promise<unknown> {
    const { graph, place } = placeOf(node);
    return this.#asked.get(graph)?.get(place)?.[nth] ?? (await savedQuestion(node, nth));
  }
}

/** LangGraph's own test. Its function may throw other errors, such as for an answer that does not fit. */
const isPause = (error: unknown): error is Error =>
  error instanceof Error && (error.name === 'GraphInterrupt' || error.name === 'NodeInterrupt');

function placeOf({ configurable = {} }: Node): { readonly graph: string; readonly place: string } {
  const place = `${configurable['thread_id']} ${configurable['checkpoint_ns']}`;
  return { graph: graphOf(place), place };
}

/** Whether the graph has a checkpointer, without which it cannot pause. */
export const canPause = ({ configurable = {}, interrupt }: PausableNode): boolean =>
  interrupt !== undefined && isObject(configurable['__pregel_checkpointer']);

interface Checkpointer {
  getTuple(at: { configurable: object }): Promise<{ pendingWrites?: [string, string, unknown][] } | undefined>;
}

/** The node's last question from the checkpointer, for when another process asked it. */
async function savedQuestion({ configurable = {} }: PausableNode, nth: number): Promise<unknown> {
  const { thread_id, checkpoint_map, checkpoint_ns, __pregel_checkpointer: saver } = configurable;
  const parent = graphOf(String(checkpoint_ns));
  const task = String(checkpoint_ns).split(':').pop();
  const checkpoint_id = (checkpoint_map as Record<string, string> | undefined)?.[parent];
  const at = { thread_id, checkpoint_ns: parent, ...(checkpoint_id ? { checkpoint_id } : {}) };
  const saved = await (saver as Checkpointer).getTuple({ configurable: at });
  const writes = saved?.pendingWrites?.filter(([by, channel]) => by === task && channel === '__interrupt__') ?? [];
  const values = writes.flatMap(([, , value]) => value as { value?: Partial<Question> }[]).map((one) => one.value);
  return subjectOf(values.find((one) => one?.call?.nth === nth));
}

/** The part of a question that identifies its subject, without the texts; `undefined` if it is not a question. */
function subjectOf(question: unknown): unknown {
  const { actionRequests, call } = (question ?? {}) as Partial<Question>;
  const action = actionRequests?.[0];
  return action && call && { id: call.id, name: action.name, args: action.args };
}

/** Reads an answer in the format of `humanInTheLoopMiddleware` or of the session's own `ask`. Anything else throws, and so permits nothing. */
function read(name: string, answer: unknown): PersonAnswer {
  const decisions = (answer as { decisions?: unknown[] } | undefined)?.decisions;
  if (Array.isArray(decisions) && decisions.length !== 1)
    throw new Error(`expected one decision about the one call of ${name}, not ${decisions.length}`);
  const decision: unknown = decisions?.[0];
  // An answer in the format of a session's `ask`.
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

/** An answer as error messages show it: the text, or the kind of any other value. */
const shownAnswer = (answer: unknown): string =>
  typeof answer === 'string' ? `the text "${clip(answer, 40)}"` : kindOf(answer);
