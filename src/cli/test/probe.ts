import { plain } from '../../plain.js';
import { payload } from '../../testing/payload.js';
import { CORPUS, type Probe } from './corpus.js';
import type { ExampleHost } from './run.js';

/** `GAP`: no hook was asked about it. */
export type ProbeVerdict = 'PASS' | 'FAIL' | 'GAP';

export interface ProbeResult extends Probe {
  readonly verdict: ProbeVerdict;
}

/** Asks the hooks about every call of the corpus. The calls themselves do not run. */
export async function probe(bench: ExampleHost, signal: AbortSignal): Promise<readonly ProbeResult[]> {
  const probed: ProbeResult[] = [];
  for (const one of CORPUS) {
    const input = { ...payload.preToolUse.tool(one.tool, one.input) };
    const { decision, record } = await bench.ask({ event: 'PreToolUse', input }, signal);
    const { verdict } = decision as { verdict?: string };
    const asked = record.handlers.some(({ status, phase }) => status !== 'skipped' && phase !== 'observe');
    probed.push({ ...one, verdict: verdict === 'deny' || verdict === 'ask' ? 'PASS' : asked ? 'FAIL' : 'GAP' });
  }
  return probed;
}

/** Prints one line for each call, grouped by what the calls do, and the counts. */
export async function tellProbes(probed: readonly ProbeResult[], print: (text: string) => unknown): Promise<void> {
  const kinds = [...new Set(probed.map(({ kind }) => kind))];
  for (const kind of kinds) {
    await print(`\n${kind}`);
    for (const { verdict, tool, input, why } of probed.filter((one) => one.kind === kind)) {
      const what = plain(`${tool} ${Object.values(input).map(String).join(' ')}`);
      await print(
        `  ${verdict.padEnd(4)}  ${what.length > 80 ? `${what.slice(0, 79)}…` : what}${why === undefined ? '' : `  (${why})`}`,
      );
    }
  }
  const count = (verdict: ProbeVerdict): number => probed.filter((one) => one.verdict === verdict).length;
  await print(
    `\n${probed.length} calls that guards usually miss: ${count('PASS')} denied or asked about (PASS), ${count('FAIL')} let through by a hook that was asked (FAIL), ${count('GAP')} that nobody was asked about (GAP)`,
  );
}
