import { z } from 'zod';
import { createHost, definePlugin, deny, type Plugin } from '../../src/index.js';

/** Compiled by tsc, never run. */
const host = createHost();
const strict = definePlugin({
  name: 'strict',
  options: z.object({ paths: z.array(z.string()), max: z.number().default(3) }),
  apply: (scope, { paths, max }) => {
    scope.on('PreToolUse', (input) => (input.tool_name === paths[0] ? deny(String(max)) : undefined), {
      if: 'Bash(*)',
    });
    scope.signal.throwIfAborted();
    return scope.onClose(() => undefined);
  },
});
const easy = definePlugin({ name: 'easy', options: z.object({ max: z.number().default(3) }), apply: () => undefined });
const without = definePlugin({ name: 'without', apply: () => undefined });
declare const loaded: Plugin;

export async function uses(): Promise<void> {
  const undo = await host.use(strict, { paths: ['a'] });
  await undo();
  await host.use(strict, { paths: [], max: 4 }, { name: 'second' });
  await host.use(easy);
  await host.use(easy, { max: 1 });
  await host.use(easy, undefined, { name: 'x' });
  await host.use(without);
  await host.use(without, undefined, { name: 'x' });
  // @ts-expect-error: it has no options
  await host.use(without, { anything: 1 });
  await host.use(loaded, { anything: 1 });
  // @ts-expect-error: options that are needed
  await host.use(strict);
  // @ts-expect-error: of another type
  await host.use(strict, { paths: 'a' });
  // @ts-expect-error: no such option
  await host.use(easy, { mx: 1 });
  // @ts-expect-error: no such key
  await host.use(easy, {}, { nam: 'x' });
  const session = await host.openSession({ plugins: [easy, [strict, { paths: [] }], [easy, {}, { name: 'x' }]] });
  // @ts-expect-error: of another type
  await session.use(strict, { paths: 7 });
  // A schema in an object of one's own says it, too.
  await host.use({ name: 'own', options: z.object({ a: z.string() }), apply: () => undefined }, { a: 'x' });
  // @ts-expect-error: of another type
  await host.use({ name: 'own', options: z.object({ a: z.string() }), apply: () => undefined }, { a: 1 });
}

// @ts-expect-error: no such key
definePlugin({ name: 'p', optoins: z.object({}), apply: () => undefined });
export const kept: Plugin[] = [strict as Plugin, without];

export function registers(): void {
  const undo: () => void = host.on('PreToolUse', (input) => deny(input.tool_name), {
    matcher: /x/,
    onFailure: 'block',
  });
  undo();
  host.on('PreToolUse', async (input) => void input.tool_name, { matcher: (_, input) => input.tool_name === 'x' });
  // @ts-expect-error: no such event
  host.on('PreTool', () => undefined);
  // @ts-expect-error: no such field
  host.on('Stop', (input) => void input.tool_name);
  // @ts-expect-error: a verdict means nothing there
  host.on('Stop', () => deny('x'));
  // @ts-expect-error: no such option
  host.on('Stop', () => undefined, { tiemout: 5 });
  host.spawnHooks('t', (agent) => ({ Stop: [{ hooks: [(input) => void [input.stop_hook_active, agent.id]] }] }));
  // @ts-expect-error: hooks at once
  host.spawnHooks('t', async () => ({}));
  // @ts-expect-error: no such event
  host.spawnHooks('t', () => ({ Stopp: [] }));
}
