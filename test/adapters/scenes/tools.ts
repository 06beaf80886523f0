import { z } from 'zod';
import { Cannot, type Driver, type SceneTool } from './scene.js';

const path = z.object({ path: z.string() });

/** The tools of all scenes. What each did is noted in `did`; `wait` and whoever else takes long says so to `begun`. */
export function sceneTools(driver: Driver, did: string[], begun: () => void): Readonly<Record<string, SceneTool>> {
  const tool = (
    name: string,
    run: SceneTool['run'],
    schema: SceneTool['schema'] = path,
  ): readonly [string, SceneTool] => [
    name,
    {
      name,
      description: `Does ${name}.`,
      schema,
      run: async (input, context) => {
        did.push(`${name} ${Object.values(input).join(' ')}`.trim());
        return await run(input, context);
      },
    },
  ];
  return Object.fromEntries([
    tool('read', async ({ path }) => `text of ${String(path)}`),
    tool('write', async ({ path }) => `wrote ${String(path)}`),
    tool('break', async ({ path }) => Promise.reject(new Error(`no ${String(path)}`))),
    tool('login', async () => `token ghp_${'a1B2c3D4e5F6'.repeat(3)}`),
    tool('dump', async () => 'x'.repeat(200_000)),
    // Slower than whatever is called beside it.
    tool('slow', async ({ path }) => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return `slowly ${String(path)}`;
    }),
    // Ends with its signal, or never.
    tool('wait', async (_, { signal }) => {
      begun();
      await new Promise((_, reject) => {
        const end = () => reject(new DOMException('The wait was ended.', 'AbortError'));
        if (signal?.aborted) end();
        signal?.addEventListener('abort', end);
      });
      return 'waited';
    }),
    tool('askUser', async ({ path }) => {
      if (!driver.interrupt) throw new Cannot();
      return `the user says ${String(driver.interrupt(`Which ${String(path)}?`))}`;
    }),
  ]);
}
