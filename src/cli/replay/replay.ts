import { existsSync } from 'node:fs';
import type { Host } from '../../create-host.js';
import { HookscopeError } from '../../errors.js';
import { servicesOf } from '../../host/internals.js';
import { plainJson } from '../../plain.js';
import { openFires } from '../../replay/open.js';
import type { RecordedFire, RecordedFires } from '../../replay/recorded.js';
import { type Replayed, replay } from '../../replay/replay.js';
import { wrongOption } from '../../values/options.js';
import { type HostFlags, openHost } from '../host/open-host.js';
import type { Flags } from '../options.js';
import type { Terminal } from '../terminal.js';
import { progressBar } from './progress.js';
import { headline, markdownReport, textReport } from './report.js';
import { CHANGES, ReplaySummary } from './summary.js';

const NOTHING = 'nothing was replayed: it holds no event that was fired';

type ReplayFlags = HostFlags & Flags<'against' | 'runCallbacks' | 'json' | 'markdown' | 'redact'>;

/** Replays files under the named or found hooks, and reports what changes. Rejects with FILE, INVALID_OPTIONS and the errors of loading hooks. */
export async function replayCommand(files: readonly string[], flags: ReplayFlags, terminal: Terminal): Promise<number> {
  if (flags.json && flags.markdown) throw wrongOption('--markdown', 'is not for --json');
  const open = (how: HostFlags) => openHost(how, { executes: true, tell: terminal.tell, shown: true });
  const { host } = await open(flags);
  const old = flags.against === undefined ? undefined : await open({ config: flags.against }).catch(closing(host));
  const { events } = servicesOf(host);
  const summary = new ReplaySummary((event) => events[event]?.spec);
  const bar = progressBar(files.length);
  try {
    const fires = await firesOfAll(files, terminal, bar.at);
    const { signal } = terminal;
    const options = { against: old?.host, runCallbacks: flags.runCallbacks, signal };
    for await (const replayed of replay(host, fires, options)) {
      summary.add(replayed);
      if (flags.json && replayed.changed !== undefined && !terminal.gone) await terminal.print(lineOf(replayed));
    }
  } finally {
    bar.end();
    await host.close();
    await old?.host.close();
  }
  if (terminal.signal.aborted) return 1;
  // Exit code 0 would tell a pipeline that nothing has changed.
  if (summary.fires === 0) throw new HookscopeError('FILE', { file: files.join(', '), problem: NOTHING });
  if (flags.json) await terminal.print(plainJson(summaryOf(summary)));
  else await terminal.print((flags.markdown ? markdownReport(summary) : textReport(summary)).join('\n'));
  return summary.exitCode;
}

const closing = (host: Host) => async (error: unknown) => {
  await host.close();
  throw error;
};

/** The fires of one file after the other. Rejects with FILE, before anything is replayed, if a file is missing. */
async function firesOfAll(
  files: readonly string[],
  { tell }: Terminal,
  at: (file: number, share: number) => void,
): Promise<RecordedFires> {
  for (const file of files)
    if (!/^https?:/.test(file) && !existsSync(file))
      throw new HookscopeError('FILE', { file, problem: 'there is no such file' });
  const all = files.map((file, i) =>
    tellingOfNone(file, openFires(file, { note: tell, progress: (share) => at(i, share) }), tell),
  );
  const first = await all[0]?.next();
  return (async function* () {
    if (first && !first.done) yield first.value;
    for (const fires of all) yield* fires;
  })();
}

/** Notes a file without fires, which would otherwise go unnoticed among files with some, and fires that are not replayed. */
async function* tellingOfNone(
  file: string,
  fires: RecordedFires,
  tell: Terminal['tell'],
): AsyncGenerator<RecordedFire> {
  let isEmpty = true;
  let undecided = 0;
  for await (const fire of fires) {
    isEmpty = false;
    if (fire.error !== undefined) undecided += 1;
    yield fire;
  }
  if (isEmpty) tell(`${file}: ${NOTHING}`);
  if (undecided > 0)
    tell(
      `${file}: ${undecided} ${undecided === 1 ? 'fire is' : 'fires are'} left out, which no hook decided: hookscope itself answered, or the fire was rejected`,
    );
}

function lineOf({ fire, then, now, changed, by }: Replayed): string {
  const { place, id, time, event, session, agent, toolUse, inferred } = fire;
  const where = { place, id, time, event, session, agent, tool_use_id: toolUse, inferred };
  const told = { type: 'replayed', changed, by, ...where, input: fire.input };
  return plainJson(Object.assign(told, { then, now }));
}

function summaryOf(summary: ReplaySummary): Readonly<Record<string, unknown>> {
  const counts = Object.fromEntries(CHANGES.map((change) => [change, summary.counts.get(change) ?? 0]));
  const groups = CHANGES.flatMap((change) => summary.groups(change));
  return { type: 'replay_summary', text: headline(summary), fires: summary.fires, ...counts, groups };
}
