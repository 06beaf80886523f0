import type { ExternalCall, Handler, Reply } from '../handler.js';
import { lazyModule } from '../lazy-module.js';
import { type CommandContext, type CommandSpec, commandText } from './spec.js';

/** The library that starts programs is slow to load, so it is loaded before the first start. */
const loadRunner = lazyModule(() => import('./run.js'));

/** Makes the handler that the host runs. */
export function commandHandler(spec: CommandSpec, context: CommandContext = {}): Handler {
  return {
    kind: 'command',
    name: spec.name ?? commandText(spec),
    async load(): Promise<void> {
      await loadRunner();
    },
    async run(call: ExternalCall): Promise<Reply> {
      const { runCommandHook } = await loadRunner();
      return runCommandHook(spec, context, call);
    },
  };
}
