import { HookscopeError } from '../../errors.js';
import { ended } from '../../plain.js';
import type { Json } from '../../values/shape.js';
import type { ExternalCall, Reply } from '../handler.js';
import { asyncWish } from './async.js';
import { goBackground } from './background.js';
import { type CommandRun, endRun, finishRun } from './end.js';
import { environment, workingDirectory } from './environment.js';
import { freshMark } from './run-mark.js';
import { type CommandContext, type CommandSpec, commandText } from './spec.js';
import { type Ending, OUTPUT_LIMIT, startCommand } from './start.js';

const NO_WISH: ReturnType<typeof wished> = { made: new Promise(() => undefined) };
const ABORTED = 'It was ended before it had finished.';

/** Runs a shell hook. Settles when the hook has answered, or, after an abort, when it and all its processes are gone. */
export async function runCommandHook(spec: CommandSpec, context: CommandContext, call: ExternalCall): Promise<Reply> {
  if (call.signal.aborted) return { failure: { cause: 'aborted', message: 'It was not started any more.' } };
  const place = workingDirectory(spec, call);
  if ('problem' in place) return notStarted(spec, place.problem);

  const wishes = context.wishes !== false;
  const wish = wishes ? wished(spec, call) : NO_WISH;
  const mark = spec.keep ? undefined : freshMark();
  const running = await startCommand({
    spec,
    cwd: place.cwd,
    env: environment(spec, context, call, mark),
    mark,
    stdin: `${call.json}\n`,
    outputLimit: spec.outputLimit ?? OUTPUT_LIMIT,
    progress: call.progress,
    onStdout: wish.onStdout,
    waits: call.spec.fold !== 'gate' || spec.keep ? undefined : call.onFailure === 'continue' ? 'gate' : 'guard',
  });
  if ('problem' in running) return notStarted(spec, running.problem);

  const reply = await answer({ spec, call, running, wishes }, wish.made);
  return place.warning ? { ...reply, warnings: [place.warning, ...(reply.warnings ?? [])] } : reply;
}

function notStarted(spec: CommandSpec, problem: string): Reply {
  return {
    failure: { cause: 'spawn_failed', message: `${commandText(spec)} could not be started: ${ended(problem)}` },
  };
}

async function answer(run: CommandRun, wish: Promise<Json>): Promise<Reply> {
  if (asyncMode(run) === true) return goBackground(run);
  const first = await firstOf(run, wish);
  if ('ending' in first) return finishRun(run, first.ending, run.call.call === 'async');
  if ('wish' in first) return goBackground(run, first.wish);
  return endRun(run, 'aborted', ABORTED, wasClosed(run.call.signal) ? 'tree' : 'marked');
}

/** Closing the host does not end daemons that a hook has started for others; a timeout or abort does. */
function wasClosed({ reason }: AbortSignal): boolean {
  return reason instanceof HookscopeError && reason.code === 'CLOSED';
}

type FirstEnd = { readonly ending: Ending } | { readonly wish: Json } | { readonly aborted: true };

async function firstOf({ call: { signal }, running }: CommandRun, wish: Promise<Json>): Promise<FirstEnd> {
  let abort: () => void = () => undefined;
  const aborted = new Promise<FirstEnd>((resolve) => {
    abort = () => resolve({ aborted: true });
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
  });
  const first = await Promise.race([
    running.ended.then((ending): FirstEnd => ({ ending })),
    wish.then((json): FirstEnd => ({ wish: json })),
    aborted,
  ]);
  signal.removeEventListener('abort', abort);
  return first;
}

/** The second call of a two-phase hook already runs in the background, so it is not sent there again. */
function asyncMode({ spec, call }: Pick<CommandRun, 'spec' | 'call'>): boolean | 'two-phase' {
  if (call.call === 'async') return false;
  return call.async ?? (spec.async || (spec.asyncRewake ?? false));
}

/** Watches stdout for the line that asks to continue without the hook. Hooks that are `async` or two-phase anyway are not watched. */
function wished(spec: CommandSpec, call: ExternalCall): { made: Promise<Json>; onStdout?: (text: string) => boolean } {
  if (call.call === 'async' || asyncMode({ spec, call }) !== false) return { made: new Promise(() => undefined) };
  let resolve: (json: Json) => void = () => undefined;
  const made = new Promise<Json>((r) => {
    resolve = r;
  });
  return {
    made,
    onStdout(text) {
      const wish = asyncWish(text);
      if (wish) resolve(wish);
      return wish !== undefined;
    },
  };
}
