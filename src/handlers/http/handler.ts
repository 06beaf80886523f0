import type { Handler, Reply } from '../handler.js';
import { lazyModule } from '../lazy-module.js';
import { type HttpRules, publicUrl } from './rules.js';
import type { HttpSpec } from './spec.js';

/** The HTTP client is slow to load, so it is loaded before the first request. */
const loadRunner = lazyModule(() => import('./run.js'));

/** Makes the handler that the host runs. */
export function httpHandler(spec: HttpSpec, rules: HttpRules): Handler {
  return {
    kind: 'http',
    name: spec.name ?? publicUrl(spec.url),
    async load(): Promise<void> {
      await loadRunner();
    },
    async run(call): Promise<Reply> {
      const { runHttp } = await loadRunner();
      return runHttp(spec, rules, call);
    },
  };
}
