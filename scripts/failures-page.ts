import { CATALOGUE, HOOK_EVENTS } from '../src/events/catalogue.js';
import type { Cause, Exit2Meaning, OnFailure } from '../src/events/failure.js';
import { effectOf, exit2Of, type FailureEffect } from '../src/events/failure.js';
import type { EventSpec } from '../src/events/spec.js';

/** A new cause without a line here is a type error. */
const CAUSES: Record<Cause, string> = {
  threw: 'the callback threw, or its promise rejected; a remote one answered with an error',
  timeout:
    'no answer within its timeout, and a command and all it started are ended; or a command on a gate has ended without one while its filter still computes',
  spawn_failed: 'the program could not be started: not found (127), not executable (126), no such folder',
  exit_code: 'an exit code other than 0 without a JSON answer that counts; 2 where it means nothing special',
  signal: 'the program was killed by a signal that hookscope did not send',
  bad_json: 'stdout looks like a JSON object but is not valid JSON',
  bad_schema: 'a field of the answer has the wrong type, or it names another event',
  too_large: 'more on stdout than `outputLimit` (1 MiB)',
  http_status: 'an HTTP answer other than 2xx, or a redirect',
  connection: 'the HTTP endpoint could not be reached; the program of a remote callback is gone',
  aborted: 'the caller aborted the fire, or the host closed, before it answered',
  worker_died: 'the worker thread that ran the callback ended; kept for callbacks in workers, which no host has yet',
  untrusted:
    'the hook was accepted and has changed since, or its file is gone, or its relative path leads to [another script](decisions/0028-relative-scripts.md) in this folder; it did not run ([trust](claude-code.md#trust))',
};

const POLICIES: readonly OnFailure[] = ['continue', 'ask', 'block'];

const EFFECTS: Record<FailureEffect, string> = { none: 'no effect', ask: 'ask', deny: 'deny', block: 'blocked' };
const SHORT: Record<FailureEffect, string> = { none: '–', ask: 'ask', deny: 'deny', block: 'block' };
/** What exit code 2 is: a word for the table here, and what docs/events.md says after "Exit code 2". */
export const EXIT2: Record<Exit2Meaning, { readonly word: string; readonly does: string }> = {
  block: { word: 'the answer', does: 'blocks, and stderr is the reason' },
  feedback: {
    word: 'the answer',
    does: 'marks it as blocked: it has happened already, and stderr is feedback for the model',
  },
  user: { word: '`exit_code`', does: 'is the failure `exit_code`; stderr is for the user only' },
  ignore: { word: 'nothing', does: 'is ignored' },
  fails: { word: '`exit_code`', does: 'is the failure `exit_code`, like any other code but 0' },
};

/** docs/failures.md: what a failed hook does, for every cause, event and policy. */
export function failuresPage(): string {
  return [
    '# Failures',
    "This page says what happens when a hook fails. Generated from `src/events/failure.ts` and the catalogue by `npm run generate`.\n\nA hook that fails never makes `fire` reject and never keeps another hook from running. The failure is listed in `decision.failures` and in the record, with its cause, and goes to the host's `logger`. What it does to the decision depends on the event and on `onFailure`, not on the cause, with two exceptions: on a gate, [untrusted hooks](#untrusted-hooks) ask or deny whatever `onFailure` says, and some failures of [remote hooks](#remote-hooks) block.",
    '## Causes',
    table(
      ['Cause', 'When'],
      Object.entries(CAUSES).map(([cause, when]) => [code(cause), when]),
    ),
    '## What a failure does',
    '`onFailure` is taken from the handler, else its group, else the `register` call, else the host; the default is `continue`. Every cause but `untrusted` has the same effect:',
    table(
      ['Event', 'Kind', ...POLICIES.map(code), 'Exit code 2 is'],
      HOOK_EVENTS.map((name) => row(CATALOGUE[name])),
    ),
    [
      '- no effect: the failure is reported, and the decision is made from what the other hooks said, and from what [counts of its own answer](semantics.md#8-time-failure-and-bad-output). An allow that the failed hook gave to an earlier input is dropped; a deny that it gave stands.',
      "- deny, ask: the failed hook counts as if it had said so; the reason is the failure's message. A stricter verdict of another hook still wins. Where its own answer says one at least as strict, that counts, with its own reason or none.",
      "- blocked: `decision.blocked` is true, and the failure's message is among the reasons; where the hook's own answer blocks, its own reason is, if it has one.",
      '- On PostToolUse and PostToolUseFailure a session withholds what the call gave where a failure blocks, and the model gets one line in its place.',
      '- On Stop, SubagentStop, TeammateIdle and TaskCompleted a block means that the agent must continue working. A broken hook would keep it going forever, so `onFailure` is ignored there: the failure neither keeps the agent going nor ends the loop. Of what a failed hook has said, a block and `continue: false` count, but on Stop and SubagentStop neither its context nor `continue: true`.',
      '- On PermissionRequest the user is being asked already, so `ask` changes nothing.',
      '- WorktreeCreate needs a path from its hook: any failure makes the creation fail.',
      '- On Elicitation and ElicitationResult a block declines the request, which a failure does not do.',
      '- On the other events where a failure never has an effect, there is nothing that could be blocked.',
      "- On an event of your own, and on one that only another agent has (Gemini's BeforeModel, Cursor's BeforeTabFileRead), a failure has the effect of the event's kind; one of the kind replace is blocked, with `ask` or `block`, if exit code 2 blocks it (`exit2: 'block'`) and it has no `blockValue`.",
    ].join('\n'),
    'In the last column, "the answer" means that exit code 2 of a command is its answer (a block, or feedback) and not a failure; `exit_code` means that it is a failure like any other code, also on WorktreeCreate; "nothing" means that it has no effect: it is no failure either, and JSON that the command prints counts as it does after exit code 0, whatever `onFailure` says.',
    '## Untrusted hooks',
    'A hook that was accepted and has changed since does not run. Whatever `onFailure` says, such a failure asks on gates, denies on PermissionRequest and blocks on block events (except those that ignore `onFailure`). On gates it denies instead where `onFailure` is `block`, where `fire` was called with `canAsk: false`, and where a session has nobody to ask; where nobody can be asked, the failure has `blocks: true`. An approval counts only for that call; `hookscope trust` accepts the change, `hookscope trust --forget` removes the hook.',
    '## Remote hooks',
    `A hook of another program, behind [\`serveControl\`](control.md#failures-of-remote-hooks), that does not answer in time (\`timeout\`), answers for another event (\`bad_schema\`) or is gone (\`connection\`) blocks ${unanswered()} whatever \`onFailure\` says, as in Claude Code: a guard that could not answer has not agreed. Such a failure has \`blocks: true\`.`,
    '## Cause by event',
    'The effects under `continue`, `ask` and `block`, in this order; "–" is no effect. There is one word where all three are the same.',
    table(
      ['Event', ...Object.keys(CAUSES).map(code)],
      HOOK_EVENTS.map((name) => [
        name,
        ...Object.keys(CAUSES).map((cause) => short(effects(CATALOGUE[name], cause as Cause))),
      ]),
    ),
  ]
    .join('\n\n')
    .concat('\n');
}

const code = (word: string): string => `\`${word}\``;
const unanswered = (): string =>
  HOOK_EVENTS.filter((name) => (CATALOGUE[name] as EventSpec).claude?.unanswered === 'blocks').join(' and ');
const effects = (spec: EventSpec, cause: Cause = 'threw'): FailureEffect[] =>
  POLICIES.map((policy) => effectOf(spec, policy, { cause }));

function row(spec: EventSpec): string[] {
  return [spec.name, spec.fold, ...effects(spec).map((effect) => EFFECTS[effect]), EXIT2[exit2Of(spec)].word];
}

function short(all: readonly FailureEffect[]): string {
  const words = all.map((effect) => SHORT[effect]);
  return words.every((word) => word === words[0]) ? (words[0] as string) : words.join(' ');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
