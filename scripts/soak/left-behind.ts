import type { Reloaded } from './reloads.js';
import type { Soaked, SoakOptions } from './soak.js';

const MIB = 1024 * 1024;
/** What is remembered of calls, for alarms, has a limit of its own (15 MiB) and is filled by the fires. */
const HEAP = 24 * MIB;
/** What the process that holds the socket may come to hold beside what it held when warm, in kilobytes. */
const MEMORY = 64 * 1024;

/** What is not as it was when warm, or was not done. */
export function leftBehind({ before, after, decided, denied, dropped }: Soaked, asked: SoakOptions): string[] {
  const { fires, agents } = asked;
  const wanted = fires + 3 * agents + Math.floor(fires / 1_000);
  return problems([
    [decided === wanted, `${decided} fires were decided, and not ${wanted}`],
    [denied >= fires / 10, `${denied} were denied, where one in ten is`],
    [dropped > 0, 'the sink that fails now and then lost nothing'],
    [after.scopes === before.scopes, `${after.scopes} scopes are open, and were ${before.scopes}`],
    [after.agents === 0, `${after.agents} agents are open`],
    [after.handles <= before.handles + 1, `${after.handles} handles are open, and were ${before.handles}`],
    [after.heap - before.heap < HEAP, `the heap grew by ${((after.heap - before.heap) / MIB).toFixed(1)} MiB`],
  ]);
}

/** The same of a server whose versions come and go. */
export function notReloaded(
  { loaded, refused, unanswered, handles, children, memory }: Reloaded,
  count: number,
): string[] {
  const [half, rest] = [Math.ceil(count / 2), Math.floor(count / 2)];
  return problems([
    // One that was written slowly may be seen twice.
    [loaded >= rest && refused >= half, `${loaded} versions were loaded and ${refused} refused, of ${count}`],
    [unanswered === 0, `${unanswered} calls were answered by no good version`],
    [children === 1, `${children} processes serve`],
    [handles[1] <= handles[0] + 2, `${handles[1]} handles are open, and were ${handles[0]}`],
    [memory[1] - memory[0] < MEMORY, `the first process holds ${memory[1]} kB, and held ${memory[0]}`],
  ]);
}

const problems = (rows: readonly (readonly [holds: boolean, text: string])[]): string[] =>
  rows.flatMap(([holds, text]) => (holds ? [] : [text]));
