import { performance } from 'node:perf_hooks';
import type { Outcome } from '../events/outcome.js';
import { quiet } from '../events/promises.js';
import type { Registration } from '../scopes/registration.js';
import { type Asked, complain, facts, read, settled, start, threw } from './answer.js';
import type { Work } from './call.js';
import type { Watched } from './clock.js';
import { Context } from './context.js';
import type { Fire } from './fire.js';
import type { Failure, Handler, Reply } from './handlers/handler.js';
import type { Told } from './telling.js';
import { untrusted } from './untrusted.js';

/** How one call of one handler came out. Always a value. */
export interface Attempt {
  readonly outcome?: Outcome | undefined;
  readonly failure?: Failure | undefined;
  readonly exitCode?: number | undefined;
  readonly stdout?: string | undefined;
  readonly stderr?: string | undefined;
  readonly warnings?: readonly string[] | undefined;
  readonly durationMs?: number | undefined;
  /** It goes on in the background; what it says comes later. */
  readonly background?: boolean;
  /** It answered `{ async: true }` and nothing more will come: no word on the input it was given. */
  readonly unjudged?: true;
}

/** How long a process gets to die after its time is up, milliseconds: TERM, KILL after 1.5 s, and a little. */
const GRACE = 2_500;

const LOADED = new WeakSet<Handler>();

/** Calls one handler once: the one place with a deadline, a signal and a catch. Sync handlers give their attempt at once. */
export function attempt(
  fire: Fire,
  registration: Registration,
  input: Readonly<Record<string, unknown>>,
  call: 'first' | 'reask',
): Attempt | Promise<Attempt> {
  const { work } = registration as { work: Work };
  if (fire.cancelled) return { failure: aborted() };
  if ('handler' in work && work.handler.load && !LOADED.has(work.handler)) {
    // What the first run needs is loaded before its deadline starts.
    const again = (): Attempt | Promise<Attempt> => attempt(fire, registration, input, call);
    LOADED.add(work.handler);
    return work.handler.load().then(again, (error: unknown) => {
      const told = fire.teller?.started(registration, new Context(fire, call));
      const failure: Failure = { cause: 'spawn_failed', message: threw(error).message };
      return conclude(fire, registration, told, told ? performance.now() : 0, { failure });
    });
  }
  const changed = registration.gate?.(input);
  if (changed) return untrusted(fire, registration, changed);
  if ('handler' in work && !fire.carried(input)) return { failure: aborted() };
  const context = new Context(fire, call);
  const told = fire.teller?.started(registration, context);
  const began = told !== undefined || fire.services.slowAfter > 0 ? performance.now() : 0;
  const finish = (result: Attempt): Attempt => conclude(fire, registration, told, began, result);
  const asked: Asked = { fire, registration, context, told, input };
  const answer = start(asked);
  if (registration.async === true) return toBackground(asked, settled(answer));
  if ('threw' in answer) return finish({ failure: threw(answer.threw) });
  const { value, later } = answer;
  if (!later) return finish(read(asked, value));
  return wait(asked, later).then(finish);
}

/** Waits for the answer, its deadline, or the end of the whole fire, whichever is first; a late answer is dropped. */
function wait(asked: Asked, answer: Promise<unknown>): Promise<Attempt> {
  const { fire, registration, context } = asked;
  const { clock, background } = fire.services;
  const outside = 'handler' in (registration.work as Work);
  return new Promise<Attempt>((resolve) => {
    let timedOut: Attempt | undefined;
    let settled = false;
    const settle = (result: Attempt): void => {
      if (settled) return;
      settled = true;
      clock.forget(node);
      fire.live.delete(node);
      resolve(result);
    };
    const leave = (result: Attempt): void => {
      if (outside && !settled) background.linger(registration.name, answer);
      settle(result);
    };
    const node: Watched = {
      fire,
      limit: fire.remaining(registration),
      since: 0,
      expire() {
        if (timedOut) return leave(timedOut);
        timedOut = { failure: timeout(registration) };
        Context.end(context, new DOMException(timedOut.failure?.message, 'TimeoutError'));
        if (outside) node.limit += GRACE;
        else settle(timedOut);
      },
      cancel() {
        Context.end(context, fire.cancelled ?? new DOMException('The fire was aborted', 'AbortError'));
        leave(timedOut ?? { failure: aborted() });
      },
      waiting: () => [registration.name],
    };
    clock.watch(node);
    fire.live.add(node);
    answer.then(
      (value) => {
        if (timedOut && outside) settle({ ...timedOut, ...facts(value as Reply) });
        else if (settled) quiet(value);
        else settle(read(asked, value));
      },
      (error: unknown) => {
        const failed = { failure: threw(error) };
        settle(timedOut ?? failed);
      },
    );
    // It cut its own fire short before it had returned.
    if (fire.cancelled) node.cancel();
  });
}

/** What every attempt ends with: it is told, or, nobody watching, what went wrong goes to the logger. */
function conclude(
  fire: Fire,
  registration: Registration,
  told: Told | undefined,
  began: number,
  result: Attempt,
): Attempt {
  if (began === 0) {
    if (result.failure || result.warnings?.length) complain(fire, registration, result);
    return result;
  }
  const durationMs = performance.now() - began;
  const { slowAfter } = fire.services;
  const done = { durationMs, ...result };
  if (slowAfter > 0 && durationMs >= slowAfter * 1000) {
    fire.services.report(
      `Slow hook: ${registration.name} took ${(durationMs / 1000).toFixed(2)} s on ${fire.entry.name}`,
    );
  }
  if (told) {
    if (!done.background) told.responded(done);
  } else if (done.failure || done.warnings?.length) complain(fire, registration, done);
  return done;
}

export function timeout(registration: Registration): Failure {
  const message = `did not answer within its timeout of ${registration.timeout} s`;
  const { work, entry } = registration as Registration<Work>;
  const blocks = 'handler' in work && work.handler.blocksLate?.(entry);
  return { cause: 'timeout', message, ...(blocks ? { blocks } : {}) };
}

function aborted(): Failure {
  return { cause: 'aborted', message: 'The fire was cut short before it answered' };
}

/** A registration that is async from the start: nothing it does is waited for. */
function toBackground(asked: Asked, later: Promise<unknown>): Attempt {
  const { fire, registration } = asked;
  fire.services.background.follow({ ...asked, later, limitMs: registration.asyncTimeout * 1000 });
  return { background: true };
}
