import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { HOOK_EVENTS } from '../../src/events/catalogue.js';
import { CLAUDE_KINDS, HANDLER_KINDS, type HandlerKind } from '../../src/events/handler-kinds.js';
import { agent, command, http, mcpTool, prompt, rule } from '../../src/index.js';
import { INPUTS } from './inputs.js';
import { anyHooks, registerAs, testHost } from './kit.js';

const HOOKS: Readonly<Record<HandlerKind, unknown>> = {
  callback: () => undefined,
  command: command('true'),
  http: http('http://127.0.0.1/'),
  mcp_tool: mcpTool('server', 'tool'),
  prompt: prompt('ok?'),
  agent: agent('ok?'),
  rule: rule('deny', 'no'),
};
const EVENTS_PAGE = readFileSync(new URL('../../docs/events.md', import.meta.url), 'utf8');
const names = (list: string): string[] =>
  list
    .replace('functions', 'callback')
    .split(/, | and /)
    .sort();

/** The types that the event takes, and what is said of the others. */
function tried(event: string) {
  const takes: string[] = [];
  const refused: string[] = [];
  for (const kind of HANDLER_KINDS)
    try {
      testHost({ model: async () => '', logger: () => undefined } as never).host.register(
        anyHooks({ [event]: [{ hooks: [HOOKS[kind]] }] }),
      );
      takes.push(kind);
    } catch (error) {
      refused.push(String(error));
    }
  return { takes: takes.sort(), refused };
}

describe.each(HOOK_EVENTS)('the handler types that %s takes', (event) => {
  const { takes, refused } = tried(event);

  test('are all in the error about another', () => {
    const lists = refused.flatMap((text) => /; it takes (.+?)\. Nothing was registered/.exec(text)?.[1] ?? []);
    const others = Object.keys(HOOKS).filter((kind) => !takes.includes(kind) && kind !== 'rule');
    expect(lists.map(names)).toEqual(others.map(() => takes));
  });

  test('are all in docs/events.md', () => {
    const section = EVENTS_PAGE.split(`\n## ${event}\n`)[1] ?? '';
    expect(names(/^- Handlers: (.+)\.$/m.exec(section)?.[1] ?? '')).toEqual(takes);
  });

  test("are in the error of Claude Code's files, but those that such files cannot have", () => {
    const { host, reports } = testHost();
    const [other] = CLAUDE_KINDS.filter((kind) => !takes.includes(kind));
    if (other === undefined) return;
    registerAs(host, anyHooks({ [event]: [{ hooks: [HOOKS[other]] }] }), { dialect: 'claude' });
    const [listed] = host.explain(event, INPUTS[event as 'Stop'] as never).hooks;
    const known = takes.filter((kind) => (CLAUDE_KINDS as readonly string[]).includes(kind));
    expect(names(/; it takes (.+)$/.exec(listed?.why ?? '')?.[1] ?? '')).toEqual(known);
    expect(reports).toHaveLength(1);
  });
});
