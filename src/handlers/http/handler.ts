import type { Handler, Reply } from '../handler.js';
import { type HttpRules, publicUrl } from './rules.js';
import type { HttpSpec } from './spec.js';

type Runner = typeof import('./run.js');
let runner: Promise<Runner> | undefined;

/** The client is slow to load: it is loaded when the first request is to be made. */
function loadRunner(): Promise<Runner> {
  runner ??= import('./run.js').catch((error: unknown) => {
    runner = undefined;
    throw error;
  });
  return runner;
}

/** Turns the description into what the host runs. */
export function httpHandler(spec: HttpSpec, rules: HttpRules): Handler {
  return {
    kind: 'http',
    name: spec.name ?? publicUrl(spec.url),
    dedupKey: JSON.stringify(['http', spec.url]),
    async load(): Promise<void> {
      await loadRunner();
    },
    async run(call): Promise<Reply> {
      const { runHttp } = await loadRunner();
      return runHttp(spec, rules, call);
    },
  };
}
