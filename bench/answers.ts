import { allow, createHost, type FireOptions, type HookHandler, type Host, rewrite } from 'hookscope';
import type { Candidate, Case } from './harness.js';
import { preToolUse as input, plainLoop } from './recorded.js';

const TEN = Array.from({ length: 10 });
const silent = TEN.map(() => async () => undefined);
const allowing = TEN.map(() => async () => allow('reviewed'));

interface Told {
  readonly loop?: readonly (() => Promise<unknown>)[];
  readonly prepare: (host: Host) => void;
  readonly given?: object;
  readonly options?: FireOptions;
}

function told(name: string, { loop = silent, prepare, given = input, options }: Told): Case {
  const ours = (): Candidate => {
    const host = createHost();
    prepare(host);
    return { name: 'hookscope', run: () => host.fire('PreToolUse', given as typeof input, options) };
  };
  const candidates = (): Candidate[] => [{ name: 'loop', run: plainLoop(loop, input) }, ours()];
  return { name, candidates, floor: 'loop', subject: 'hookscope' };
}

const { session_id: _, transcript_path: __, cwd: ___, ...bare } = input;
const fix = async (): Promise<ReturnType<typeof rewrite>> => rewrite({ command: 'ls -l' });
const register =
  (hooks: readonly HookHandler<'PreToolUse'>[]) =>
  (host: Host): void =>
    void host.register({ PreToolUse: [{ hooks }] });

/** What the quick way is not for: told without a goal, since the loop beside it does none of this. */
export const cases: Case[] = [
  told('10 that all answer allow', { loop: allowing, prepare: register(allowing) }),
  told('a rewrite by the last of 10, the others asked again', { prepare: register([...silent.slice(1), fix]) }),
  told('10 silent, with a subscriber', {
    prepare(host) {
      register(silent)(host);
      host.events$.subscribe(() => undefined);
    },
  }),
  told('10 silent and a raw tap', {
    prepare(host) {
      register(silent)(host);
      host.hooks.PreToolUse.tapPromise('raw', async () => undefined);
    },
  }),
  told('10 silent, base fields to be filled in', { prepare: register(silent), given: bare }),
  told("10 silent, under the caller's signal", {
    prepare: register(silent),
    options: { signal: new AbortController().signal },
  }),
];
