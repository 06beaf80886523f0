import { idleAsync } from '../../events/output/warnings.js';
import { clip } from '../../plain.js';
import { isText, show } from '../../values/shape.js';
import { timerDelay } from '../../values/waiting/timer.js';
import type { Reply } from '../handler.js';
import { type CommandRun, endRun, finishRun } from './end.js';
import { commandText } from './spec.js';

/** Seconds. */
const DEFAULT_DEADLINE = 30;

/**
 * Lets the hook continue in the background, under a deadline of its own and at most until the host closes. The fire does not wait.
 * `wish` is the object that the hook printed to ask for this.
 */
export function goBackground(run: CommandRun, wish: Readonly<Record<string, unknown>> = { async: true }): Reply {
  let close: () => void = () => undefined;
  const closing = new Promise<void>((resolve) => {
    close = resolve;
  });
  const later = follow(run, secondsOf(run, wish), closing);
  run.call.keep(run.spec.name ?? commandText(run.spec), later, async () => {
    close();
    await later;
  });
  const { asyncTimeout } = wish;
  const isWrong = asyncTimeout !== undefined && !isSeconds(asyncTimeout);
  const wrong =
    isWrong &&
    `asyncTimeout: expected a number of seconds from 0 on, got ${clip(show(asyncTimeout), 80)}; it is ignored`;
  const warnings = [idleAsync(wish), wrong].filter(isText);
  return { output: wish, later, ...(warnings.length > 0 && { warnings }) };
}

const isSeconds = (value: unknown): value is number => typeof value === 'number' && value >= 0;

function secondsOf({ spec, call }: CommandRun, { asyncTimeout }: Readonly<Record<string, unknown>>): number {
  if (isSeconds(asyncTimeout)) return asyncTimeout;
  return spec.asyncTimeout ?? call.asyncTimeout ?? DEFAULT_DEADLINE;
}

async function follow(run: CommandRun, seconds: number, closing: Promise<void>): Promise<Reply> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    if (seconds > 0) timer = setTimeout(resolve, timerDelay(seconds), 'late');
  });
  const first = await Promise.race([run.running.ended, late, closing]);
  clearTimeout(timer);
  if (first === 'late') return endRun(run, 'timeout', `In the background it ran for more than ${seconds} s.`, 'marked');
  if (first === undefined) return endRun(run, 'aborted', 'The host was closed before it had ended.', 'tree');
  return finishRun(run, first, true);
}
