import { describe, expect, test } from 'vitest';
import { AGENT_NAMES } from '../../src/agents/agents.js';
import { PROBED, probedAgent } from '../../src/probe/agents/agents.js';
import { CASES, type ProbeCase, probeOutput, scriptOf, stepsOf } from '../../src/probe/cases.js';
import { RECORDED } from '../../src/probe/recorded.js';
import { SAYINGS } from '../../src/probe/sayings.js';
import { answersOf, SEEN } from '../agents/recorded.js';

const relative = (text: unknown): string => String(text).replaceAll('/home/dev/project/', '');

describe.each(SEEN)('%s is driven with what was recorded of it', (name) => {
  const agent = probedAgent(name);
  const answers = answersOf(name);

  test('23 hooks before the shell tool', () => {
    const hookOf = (one: ProbeCase) => ({
      stdout: probeOutput(one, agent.words),
      stderr: one.stderr ?? '',
      end: one.killed ? 'SIGKILL' : (one.exit ?? 0),
      late: one.after !== undefined,
      holds: one.holds !== undefined,
    });
    const sorted = <T extends { name: string }>(all: readonly T[]): T[] =>
      [...all].sort((a, b) => (a.name < b.name ? -1 : 1));
    expect(answers.before_tool.event).toBe(agent.beforeTool);
    expect(sorted(CASES).map((one) => ({ name: one.name, kind: one.kind, ...hookOf(one) }))).toEqual(
      sorted(answers.before_tool.cases).map(({ name: one, kind, hook }) => ({
        name: one,
        kind,
        stdout: relative(hook.stdout),
        stderr: hook.stderr,
        end: hook.signal ?? hook.exit,
        late: hook.after_s !== undefined,
        holds: hook.stdout_held_open_s !== undefined,
      })),
    );
  });

  test('what it says on other events', () => {
    for (const { words } of SAYINGS) {
      const said = answers.encode[words]?.stdout;
      expect([words, said && JSON.parse(said)]).toEqual([words, agent.says[words]]);
    }
  });

  test('what the probe compares with is what was recorded then', () => {
    expect(RECORDED[name]?.version).toBe(answers.version);
    for (const { name: one, agent_does } of answers.before_tool.cases)
      expect(RECORDED[name]?.did[agent_does === 'hang' ? 'hung' : agent_does]?.split(' ')).toContain(one);
  });
});

test('each agent that can be driven is one whose words are known, and has been recorded', () => {
  for (const { name, subagent } of PROBED) {
    expect(AGENT_NAMES).toContain(name);
    const did = Object.values(RECORDED[name]?.did ?? {}).flatMap((names) => names.split(' '));
    expect([name, did.sort()]).toEqual([
      name,
      stepsOf(subagent !== undefined)
        .map((step) => step.name)
        .sort(),
    ]);
  }
});

test('there are 13 noes, 5 broken guards and 5 others, and what ends a run comes last', () => {
  const count = (kind: string): number => CASES.filter((one) => one.kind === kind).length;
  expect([count('no'), count('broken'), count('other')]).toEqual([13, 5, 5]);
  expect(
    stepsOf(true)
      .slice(-2)
      .map(({ name }) => name),
  ).toEqual(['continue_false', 'ask']);
});

test('a script names its file as the shell reads it, wherever that lies', () => {
  const [step] = stepsOf(false);
  expect(scriptOf(step!, probedAgent('codex').words, "/tmp/it's here/asked")).toContain(
    `>> '/tmp/it'\\''s here/asked'`,
  );
});
