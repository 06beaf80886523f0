import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { listHeld } from '../../src/claude-code/trust/held.js';
import type { FireRecord, HandlerRecord } from '../../src/emit/record.js';
import { acceptTrust } from '../../src/trust/accept.js';
import { SEED } from '../seed.js';
import { AGENTS, Dice, type Guard, plantGuards, SKILLS, type Tree } from './accepted-tree.js';
import { closeAll, createProject, memoryStore, type Project } from './project.js';

/** How many projects: few here and in the gate; HOOKSCOPE_GENERATED=10000 makes 500. */
const RUNS = Math.ceil(Number(process.env['HOOKSCOPE_GENERATED'] ?? 160) / 20);
const EDITS = 3;

afterEach(closeAll);

type Scene = Readonly<Record<string, string>>;

/** Who makes the call, for each guard: an agent of its type, or the main thread, its skill invoked. */
const sceneOf = ({ home }: Guard): Scene =>
  AGENTS[home] === undefined ? { session_id: home } : { agent_id: `a-${home}`, agent_type: AGENTS[home] as string };

/** One row for each guard: what became of it when it was due. */
async function look(project: Project, tree: Tree, trust: ReturnType<typeof memoryStore>) {
  const { host, fire, reports } = await project.load({ trust, plugins: [tree.plugin] });
  const rows: { guard: Guard; row: HandlerRecord | undefined; record: FireRecord }[] = [];
  for (const guard of tree.guards) {
    const scene = sceneOf(guard);
    const skill = SKILLS[guard.home];
    if (skill !== undefined) {
      const named = { command_name: skill, expansion_type: 'slash_command', command_args: '', prompt: '' };
      await fire('UserPromptExpansion', { ...named, ...scene });
    }
    const record = await fire('PreToolUse', { ...scene, tool_name: guard.matcher === '*' ? 'Read' : guard.matcher });
    const own = record.handlers.filter(({ name }) => name.includes(`: ${guard.id};`));
    const told = own.filter(({ status }) => status !== 'skipped');
    rows.push({ guard, row: told.find(({ failure }) => failure) ?? told[0], record });
  }
  await host.close();
  return { rows, reports };
}

const asAccepted = ({ status, verdict }: HandlerRecord): boolean => status === 'ran' && verdict === 'deny';

test('whatever is done to an accepted project, each guard runs as accepted or fails as untrusted and is asked about', async () => {
  for (let run = 0; run < RUNS; run++) {
    // A failure names the seed of its project: with that one it is the first.
    const seed = SEED + run;
    const dice = new Dice(seed);
    const project = createProject();
    const store = memoryStore();
    const tree = plantGuards(project, dice);
    const files = { projectDir: project.dir, home: project.home, managedDir: project.managedDir, trust: store };
    for (const { request } of await listHeld({ ...files, plugins: [tree.plugin] })) acceptTrust(request, store);
    const done: string[] = [`HOOKSCOPE_SEED=${seed}`];
    const check = async (undone: boolean): Promise<void> => {
      const { rows } = await look(project, tree, store);
      for (const { guard, row, record } of rows) {
        const where = `${done.join(', ')}: ${guard.id} (${guard.home}, ${guard.matcher}) ${JSON.stringify(row ?? record.handlers)}`;
        if (!row) expect.fail(`vanished: ${where}`);
        if (asAccepted(row)) expect(record.decision.verdict, where).toBe('deny');
        else {
          expect(undone, `not as accepted: ${where}`).toBe(false);
          expect(row.failure, where).toMatchObject({
            cause: 'untrusted',
            message: expect.stringContaining('hookscope trust'),
          });
          expect(['ask', 'deny'], where).toContain(record.decision.verdict);
        }
      }
      expect(existsSync(join(project.path, 'evil')), `it ran: ${done.join(', ')}`).toBe(false);
    };
    await check(true);
    for (let i = 0; i < EDITS; i++) {
      done.push(tree.edit(dice));
      await check(false);
    }
    tree.undo();
    done.push('undone');
    await check(true);
    await closeAll();
    if (SEED !== undefined) break;
  }
}, 3_600_000);
