import { createHost, type FireRecord, type Hooks, type Host, type HostOptions } from '../../src/index.js';
import { type Replayed, replay } from '../../src/replay.js';
import { all } from './all.js';

export const bash = (command: string) => ({
  tool_name: 'Bash',
  tool_input: { command },
  tool_use_id: 't1',
  session_id: 's1',
});

export function hostOf(hooks: Hooks, options: HostOptions = {}): Host {
  const host = createHost({ logger: () => undefined, ...options });
  host.register(hooks);
  return host;
}

export interface Life {
  readonly fires: FireRecord[];
  /** The verdict of each fire; `none` of those that have no verdict. */
  readonly verdicts: string[];
}

/** Fires inputs in a host, which is closed. */
export async function lived(host: Host, ...calls: (readonly [event: string, input: object])[]): Promise<Life> {
  const fires: FireRecord[] = [];
  host.events$.subscribe((one) => one.type === 'hook_fire' && fires.push(one));
  const verdicts: string[] = [];
  for (const [event, input] of calls) {
    const { verdict = 'none' } = (await host.fireAny(event, input as never)) as { verdict?: string };
    verdicts.push(verdict);
  }
  await host.close();
  return { fires, verdicts };
}

/** The word of each fire, or that it is unknown. */
export async function words(host: Host, fires: readonly FireRecord[]): Promise<string[]> {
  return (await all(replay(host, fires))).map(wordOf);
}

export const wordOf = ({ now }: Replayed): string => (now.unknown.length > 0 ? 'unknown' : now.word);
