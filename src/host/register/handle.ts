import { labelOf, type ScopeRef } from '../../scopes/tree.js';
import { checkRegisterOptions } from '../options.js';
import { describeScope } from '../tell/describe.js';
import type { Plugin, RegisterOptions, Undo } from '../types.js';
import type { Registrar } from './registrar.js';

/** What users hold of a scope, which is opened by the first thing registered in it; `undefined`: the host's. */
export function handleOf(registrar: Registrar, ref: ScopeRef | undefined) {
  return {
    id: ref === undefined ? 'host' : labelOf(ref),
    register: (hooks: unknown, options?: RegisterOptions): Undo =>
      registrar.register(ref, hooks, checkRegisterOptions(options, 'register')),
    use: (plugin: Plugin, options?: unknown): Promise<Undo> => registrar.use(ref, plugin, options),
    close: (): boolean => (ref === undefined ? false : registrar.end(ref)),
    describe: () => describeScope(registrar.scope(ref)),
  };
}
