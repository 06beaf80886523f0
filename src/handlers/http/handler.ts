import type { Handler, Reply } from '../handler.js';
import { lazyModule } from '../lazy-module.js';
import { type HttpRules, publicUrl } from './rules.js';
import type { HttpSpec } from './spec.js';

/** The client is slow to load: it is loaded when the first request is to be made. */
const loadRunner = lazyModule(() => import('./run.js'));

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
