import { pathToFileURL } from 'node:url';
import type { Candidate } from './harness.js';
import { type Callback, preToolUse as input } from './recorded.js';

/** As much of `@google/gemini-cli-core` as is used here. */
interface GeminiCore {
  readonly Config: new (options: object) => object;
  readonly HookSystem: new (
    config: object,
  ) => {
    registerHook(hook: object, event: string, options: object): void;
    fireBeforeToolEvent(tool: string, input: unknown): Promise<unknown>;
  };
}

/**
 * Its hooks, called in this process and one after the other. It has 450 packages of 376 MB, so it is measured only where
 * HOOKSCOPE_BENCH_GEMINI says where its folder is. Its debugging lines are not printed, and nothing is sent.
 */
export async function gemini(hooked: readonly Callback[]): Promise<Candidate[]> {
  const folder = process.env['HOOKSCOPE_BENCH_GEMINI'];
  if (!folder) return [];
  console.debug = () => undefined;
  const { Config, HookSystem } = (await import(pathToFileURL(`${folder}/dist/index.js`).href)) as GeminiCore;
  const cwd = process.cwd();
  const config = new Config({
    sessionId: input.session_id,
    targetDir: cwd,
    cwd,
    model: 'none',
    debugMode: false,
    usageStatisticsEnabled: false,
  });
  const hooks = new HookSystem(config);
  for (const [i, action] of hooked.entries())
    hooks.registerHook({ type: 'runtime', name: `${i}`, action }, 'BeforeTool', { sequential: true });
  return [{ name: 'gemini-cli-core', run: () => hooks.fireBeforeToolEvent(input.tool_name, input.tool_input) }];
}
