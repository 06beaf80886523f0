import { toolNames } from '../../matching/tool-names.js';
import type { Scope } from '../../scopes/scope.js';
import { canonical } from './canonical.js';
import type { CallKey } from './memory.js';

/** A call whose id may not be known: a question about a call need not contain it. */
type AskKey = Omit<CallKey, 'id'> & { readonly tool: string; readonly id: string | undefined };

/** How many calls are remembered, of those that hooks asked about and of the others; the oldest are dropped. */
const MOST = 1_000;

/** The outermost scope whose hooks asked. */
export interface AskingScope extends Partial<Pick<Scope, 'kind' | 'id'>> {
  /** In that fire. 0: managed policy. */
  readonly depth: number;
}

/** A call that hooks asked about. */
interface CallAsk {
  readonly tool: string | undefined;
  /** What a question about the call has in common with it. */
  readonly question: string;
  readonly scope: AskingScope;
}

/**
 * The calls that hooks have asked about. Some hooks further inside may not allow them in the user's place. An ask stays until its own call has run or failed, was
 * refused or is judged again: that an equal call was not asked about answers nothing.
 */
export class Asks {
  /** By call, the oldest first. All calls without an id that ask the same question are one. */
  readonly #calls = new Map<string, CallAsk>();
  /** By question, the calls that it may be about. */
  readonly #questions = new Map<string, Set<string>>();
  /** The questions of calls with an id that no hook asked about, unlike about an equal call. They have a limit of their own, so they push out no ask. */
  readonly #unasked = new Map<string, string>();

  get some(): boolean {
    return this.#calls.size > 0;
  }

  /** Records whose hooks, when they last decided about this call with this input, asked. */
  note(call: AskKey, input: unknown, scope: AskingScope | undefined): void {
    const question = questionOf(call, input);
    const key = keyOf(call, question);
    this.#forget(key);
    if (scope === undefined) {
      if (call.id === undefined || !this.#questions.has(question)) return;
      this.#unasked.set(key, question);
      if (this.#unasked.size > MOST) this.#unasked.delete(oldest(this.#unasked));
      return;
    }
    this.#calls.set(key, { tool: toolNames(call.tool)[0], question, scope });
    const calls = this.#questions.get(question) ?? new Set();
    this.#questions.set(question, calls.add(key));
    if (this.#calls.size > MOST) this.#forget(oldest(this.#calls));
  }

  /** The call has run, has failed or was refused. One of another tool under its id is another call. */
  settle(call: Omit<AskKey, 'tool'> & { readonly tool: string | undefined }): void {
    if (call.id === undefined) return;
    const key = keyOf(call, '');
    const asked = this.#calls.get(key);
    const isOther = asked !== undefined && call.tool !== undefined && asked.tool !== toolNames(call.tool)[0];
    if (!isOther) this.#forget(key);
  }

  /** Without an id that has been judged, the question may be about any of the calls that are equal. */
  scopesOf(call: AskKey, input: unknown): readonly AskingScope[] {
    const question = questionOf(call, input);
    const key = keyOf(call, question);
    const own = this.#calls.get(key);
    if (call.id !== undefined && own?.question === question) return [own.scope];
    if (call.id !== undefined && this.#unasked.get(key) === question) return [];
    return [...(this.#questions.get(question) ?? [])].flatMap((each) => this.#calls.get(each)?.scope ?? []);
  }

  #forget(key: string): void {
    this.#unasked.delete(key);
    const known = this.#calls.get(key);
    if (known === undefined) return;
    this.#calls.delete(key);
    const calls = this.#questions.get(known.question);
    calls?.delete(key);
    if (calls?.size === 0) this.#questions.delete(known.question);
  }
}

const oldest = (calls: ReadonlyMap<string, unknown>): string => calls.keys().next().value as string;

/** All inputs that cannot be compared have the same key, and so have all names of a tool. */
function questionOf({ session, agent, tool }: AskKey, input: unknown): string {
  return JSON.stringify([session, agent ?? null, toolNames(tool)[0], canonical(input, true)?.key ?? null]);
}

const keyOf = ({ session, agent, id }: Omit<AskKey, 'tool'>, question: string): string =>
  id === undefined ? question : JSON.stringify([session, agent ?? null, id]);
