import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readQuestion, readTaken, signAnswer } from '../../src/fleet/ask/question.js';
import { natsEngine } from '../../src/fleet/nats/engine.js';
import { bundleOf, newKey } from '../../test/fleet/bundles.js';
import { startNats } from '../../test/fleet/nats/server.js';

const PROGRAM = fileURLToPath(new URL('../../test/fixtures/fleet/asker.mjs', import.meta.url));
const DIST = fileURLToPath(new URL('../../dist', import.meta.url));

export interface AsksSoaked {
  readonly asked: number;
  /** Answered otherwise than the approver did. */
  readonly wrong: number;
  /** Milliseconds from a question to its answer, by an approver who signs at once. */
  readonly answered: { readonly p50: number; readonly p99: number };
}

/** Hosts that ask, each one question after another, and an approver in another process who answers each: every second one is denied. */
export async function asksSoak({ hosts, questions }: { hosts: number; questions: number }): Promise<AsksSoaked> {
  const folder = mkdtempSync(join(tmpdir(), 'hookscope-asks-soak-'));
  const server = await startNats();
  const [signer, alice] = [newKey(), newKey()];
  const operator = natsEngine({ servers: [server.url], team: 'acme', name: 'operator' });
  try {
    while (!operator.connected) await sleep(20);
    await operator.prepare();
    const ask = { matcher: 'Bash', hooks: [{ type: 'rule', decision: 'ask', reason: 'Deploys are asked' }] };
    const about = { approvers: { alice: alice.id } };
    await operator.policy.post(
      'stable',
      bundleOf(1, { 'acme/a.json': { hooks: { PreToolUse: [ask] } } }, [signer], about),
      0,
    );
    let refused = 0;
    operator.ask.watch(({ bytes }) => {
      const question = bytes === undefined ? undefined : readQuestion(bytes);
      if (question === undefined || question.settled !== undefined) return;
      const { command } = question.input['tool_input'] as { command: string };
      const answer = Number(command.split(' ')[1]) % 2 === 0 ? 'allow' : 'deny';
      const signed = signAnswer(question, { answer, from: 'soak' }, alice);
      operator.ask.answer(question.host, question.id, signed).then(
        (taken) => (refused += readTaken(taken).counts ? 0 : 1),
        () => (refused += 1),
      );
    });
    const all = await Promise.all(
      Array.from({ length: hosts }, async (_, i) => {
        const args = [DIST, folder, server.url, `host-${i}`, signer.id, String(questions)];
        const child = fork(PROGRAM, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
        const [answered] = (await once(child, 'message')) as [{ verdict: string; ms: number }[]];
        await once(child, 'exit');
        return answered;
      }),
    );
    const times = all.flatMap((one) => one.map(({ ms }) => ms)).sort((a, b) => a - b);
    const wrong = all.flatMap((one) => one.filter(({ verdict }, i) => verdict !== (i % 2 === 0 ? 'allow' : 'deny')));
    const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
    return { asked: times.length, wrong: wrong.length + refused, answered: { p50: at(0.5), p99: at(0.99) } };
  } finally {
    await operator.close();
    await server.end();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What is wrong with it; empty: nothing. */
export const notAnswered = ({ wrong }: AsksSoaked): string[] =>
  wrong > 0 ? [`${wrong} questions were answered otherwise than the approver did`] : [];
