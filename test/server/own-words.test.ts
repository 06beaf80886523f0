import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { FireRecord } from '../../src/emit/record.js';
import { CATALOGUE, HOOK_EVENTS } from '../../src/events/catalogue.js';
import { failureAnswer, REASONS } from '../../src/server/agent-protocol.js';
import { thinScript } from '../../src/server/client/thin.js';
import type { Json } from '../../src/values/shape.js';
import { type Finished, start } from '../cli/cli.js';
import { isTried } from '../seed.js';
import { createUser, type User } from './kit.js';

const readable = (input: object) => ({ text: JSON.stringify({ session_id: 's', cwd: '/', ...input }), rejects: true });
/** Inputs that are wrong for every event, and what is said of them. */
const WRONG: readonly { readonly text: string; readonly says: RegExp | string; readonly rejects?: boolean }[] = [
  { ...readable({}), says: /^Invalid input for \w+: "\w+" is missing/ },
  { ...readable({ session_id: 5 }), says: /^Invalid input for \w+: "session_id" must be string, got number/ },
  { ...readable({ cwd: {} }), says: /^Invalid input for \w+: "cwd" must be string, got object/ },
  ...['{bad', '[1]', '"{}"', ''].map((text) => ({ text, says: REASONS.input })),
];
const LARGE = { text: `{"a":"${'x'.repeat(65 * 2 ** 20)}"}`, says: REASONS.large, rejects: false };

const tried = HOOK_EVENTS.flatMap((event, i) =>
  WRONG.filter((_, j) => isTried(4, i, j)).map((wrong) => ({ event, ...wrong })),
);
const CASES = [
  ...tried.map((one) => ({ ...one, policy: 'block' as const })),
  ...tried.filter((_, i) => i % 8 === 0).map((one) => ({ ...one, policy: 'allow' as const })),
  ...(['PreToolUse', 'SessionStart'] as const).map((event) => ({ event, ...LARGE, policy: 'block' as const })),
];
type Case = (typeof CASES)[number];

/** What hookscope was heard to say, and the records of that, without what differs from one host to the next. */
interface Heard {
  readonly said: readonly Pick<Finished, 'stdout' | 'stderr' | 'code'>[];
  readonly records: readonly Json[];
}

const ofFire = ({ event, input, session_id, error, unanswered, decision }: FireRecord): Json => ({
  ...{ event, input, error, unanswered, decision },
  // A host makes one where the input has none.
  session_id: typeof input['session_id'] === 'string' && session_id,
});
const sorted = (records: readonly Json[]): Json[] =>
  records
    .map((one) => JSON.parse(JSON.stringify(one)))
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

async function hear(way: 'alone' | 'server' | 'thin'): Promise<Heard> {
  const user = createUser();
  try {
    user.write('hooks.json', {});
    const server = way === 'alone' ? undefined : await user.serve(['--hooks', 'hooks.json']);
    const said: Heard['said'][number][] = [];
    for (const one of CASES) {
      const { stdout, stderr, code } = await ask(way, one, user);
      said.push({ stdout, stderr, code });
    }
    await server?.stop();
    const fires = user.records().filter((record) => record.type === 'hook_fire');
    return { said, records: sorted(fires.map(ofFire)) };
  } finally {
    await user.remove();
  }
}

function ask(way: string, { event, text, policy }: Case, user: User): Promise<Finished> {
  const args = [event, '--hooks', 'hooks.json', '--on-failure', policy];
  if (way !== 'thin') return user.hook(way === 'alone' ? [...args, '--no-server'] : args, text);
  const thin = [thinScript(), '--node', process.execPath, ...args];
  return start('dash', thin, { cwd: join(user.path, 'project'), stdin: text, env: user.env });
}

describe('an input that is wrong, of every event,', () => {
  let alone: Heard;
  beforeAll(async () => {
    alone = await hear('alone');
  });
  /** The reasons, without the full stop that one has where nothing follows it. */
  const reasons = (): string[] =>
    alone.said.map(({ stderr }) => stderr.replace(/^hookscope: |\.?(?:; nothing is blocked \(.*)?\n$/g, ''));

  test('is answered with what is wrong with it, by the policy, and has one record of that, beside that of the fire', () => {
    CASES.forEach(({ event, says, policy }, i) => {
      const reason = reasons()[i] as string;
      expect(reason).toMatch(says);
      const stop = reason.startsWith('Invalid') ? '.' : '';
      expect(alone.said[i]).toEqual(failureAnswer(CATALOGUE[event], reason + stop, policy));
    });
    const kept = alone.records.map(({ error, unanswered }) => error ?? String(unanswered).replace(/\.$/, '')).sort();
    expect(kept).toEqual(
      CASES.flatMap(({ rejects }, i) => [...(rejects ? ['INVALID_INPUT'] : []), reasons()[i]]).sort(),
    );
  });

  test.each(['server', 'thin'] as const)('is answered and recorded alike, asked by way of: %s', async (way) => {
    const { said, records } = await hear(way);
    CASES.forEach(({ event, text }, i) => {
      expect([event, text.slice(0, 100), said[i]]).toEqual([event, text.slice(0, 100), alone.said[i]]);
    });
    expect(records).toEqual(alone.records);
  });
});
