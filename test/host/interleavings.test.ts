import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Undo } from '../../src/host/types.js';
import { generated } from '../seed.js';
import { INPUTS } from './inputs.js';
import { testHost, watch } from './kit.js';

/** What happens to a host while fires are under way in it. `who`: a scope; `at`: which registration. */
type Step =
  | { readonly do: 'open'; readonly who: string; readonly parent: string | undefined }
  | { readonly do: 'register'; readonly who: string }
  | { readonly do: 'undo'; readonly at: number }
  | { readonly do: 'end'; readonly who: string }
  | { readonly do: 'fire'; readonly who: string };

const AGENTS = ['a', 'b', 'c'];
const agent = fc.constantFrom(...AGENTS);
const place = fc.constantFrom('host', 'session', ...AGENTS);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('open' as const), who: agent, parent: fc.option(agent, { nil: undefined }) }),
  fc.record({ do: fc.constant('register' as const), who: place }),
  fc.record({ do: fc.constant('undo' as const), at: fc.nat(9) }),
  fc.record({ do: fc.constant('end' as const), who: agent }),
  { weight: 3, arbitrary: fc.record({ do: fc.constant('fire' as const), who: place }) },
);

interface Place {
  readonly parent: string | undefined;
  hooks: string[];
}

/** The plain truth about who is where: names in lists. */
class Model {
  host: string[] = [];
  session: string[] = [];
  readonly agents = new Map<string, Place>();

  lineage(who: string): string[] {
    const own: string[] = [];
    for (let at = this.agents.get(who); at; at = at.parent === undefined ? undefined : this.agents.get(at.parent)) {
      own.unshift(...at.hooks);
    }
    return [...this.host, ...this.session, ...own];
  }

  all(): string[] {
    return [...this.host, ...this.session, ...[...this.agents.values()].flatMap((p) => p.hooks)];
  }

  end(who: string): void {
    const children = [...this.agents].filter(([, p]) => p.parent === who).map(([id]) => id);
    for (const child of children) this.end(child);
    this.agents.delete(who);
  }

  remove(name: string): void {
    const without = (list: string[]): string[] => list.filter((n) => n !== name);
    this.host = without(this.host);
    this.session = without(this.session);
    for (const p of this.agents.values()) p.hooks = without(p.hooks);
  }
}

async function play(
  steps: readonly Step[],
  merge: 'lineage' | 'all',
  watched: boolean,
  parallel: boolean,
  scheduler: fc.Scheduler,
): Promise<void> {
  const { host } = testHost({ merge });
  if (watched) watch(host);
  const model = new Model();
  const undos: { undo: Undo; name: string }[] = [];
  const seen = new Map<string, string[]>();
  const wanted = new Map<string, string[]>();
  const fires: Promise<unknown>[] = [];
  let count = 0;

  const hook = (name: string) => ({
    PreToolUse: [
      {
        mode: parallel ? ('parallel' as const) : ('series' as const),
        hooks: [
          async (_: unknown, id: string | undefined) => {
            seen.get(id as string)?.push(name);
            await scheduler.schedule(Promise.resolve(), name);
            return undefined;
          },
        ],
      },
    ],
  });
  const register = (who: string, parent?: string): void => {
    const name = `${who}${count++}`;
    const undo =
      who === 'host'
        ? host.register(hook(name))
        : who === 'session'
          ? host.scope({ session: 's' }).register(hook(name))
          : host.registerScoped(who, hook(name), parent === undefined ? {} : { parent });
    undos.push({ undo, name });
    if (who === 'host') model.host.push(name);
    else if (who === 'session') model.session.push(name);
    else {
      const known = model.agents.get(who) ?? { parent, hooks: [] };
      known.hooks.push(name);
      model.agents.set(who, known);
    }
  };
  const run = (s: Step): void => {
    if (s.do === 'open') {
      if (model.agents.has(s.who) || (s.parent !== undefined && !model.agents.has(s.parent))) return;
      register(s.who, s.parent);
    } else if (s.do === 'register') register(s.who);
    else if (s.do === 'undo') {
      const made = undos[s.at % Math.max(1, undos.length)];
      made?.undo();
      if (made) model.remove(made.name);
    } else if (s.do === 'end') {
      expect(host.unregisterScoped(s.who)).toBe(model.agents.has(s.who));
      model.end(s.who);
    } else {
      const id = `fire${count++}`;
      seen.set(id, []);
      wanted.set(id, merge === 'all' ? model.all() : model.lineage(s.who));
      const options = AGENTS.includes(s.who) ? { scope: s.who } : {};
      fires.push(host.fire('PreToolUse', { ...INPUTS.PreToolUse, tool_use_id: id }, options));
    }
  };
  scheduler.scheduleSequence(steps.map((s) => ({ label: JSON.stringify(s), builder: async () => run(s) })));
  await scheduler.waitAll();
  await scheduler.waitFor(Promise.all(fires));
  expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(wanted));
}

test.each(['lineage', 'all'] as const)(
  'whatever happens while fires are under way, each runs the hooks that were there when it began, in order (merge: %s)',
  async (merge) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 3, maxLength: 25 }),
        fc.boolean(),
        fc.boolean(),
        fc.scheduler(),
        (steps, watched, parallel, s) => play(steps, merge, watched, parallel, s),
      ),
      { numRuns: generated(60) },
    );
  },
);
