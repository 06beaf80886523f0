import { HookscopeError } from '../errors.js';
import { effectOf, type FailureEffect } from '../events/failure.js';
import type { EventSpec } from '../events/spec.js';
import { servicesOf } from '../host/internals.js';
import { printMade } from '../host/tell/describe.js';
import type { ExplainedHook, Explanation } from '../host/tell/explain.js';
import { plain, plainJson } from '../plain.js';
import { isObject } from '../values/shape.js';
import { openForEvent } from './host/event-host.js';
import { readInput } from './host/event-input.js';
import type { HostFlags } from './host/open-host.js';
import { unknownLines, withUnknown } from './host/unknown-hooks.js';
import type { Flags } from './options.js';
import type { Terminal } from './terminal.js';

type ExplainFlags = HostFlags & Flags<'tool' | 'input' | 'scope' | 'json'>;

export async function explainCommand(
  args: readonly string[],
  flags: ExplainFlags,
  terminal: Terminal,
): Promise<number> {
  const { host, event, input, unknown } = await openForEvent(
    args[0] as string,
    async () => inputOf(await readInput(flags.input), flags.tool),
    flags,
    { executes: false, tell: terminal.tell },
    terminal,
  );
  try {
    const explanation = host.explain(event as never, input, { scope: flags.scope });
    const { spec } = servicesOf(host).events[event] as { readonly spec: EventSpec };
    if (spec.subjectField === 'tool_name' && !explanation.subject) refuseWithoutTool(event, input['tool_name']);
    await terminal.print(
      flags.json ? plainJson(withUnknown(explanation, unknown)) : describe(explanation, spec, unknown),
    );
  } finally {
    await host.close();
  }
  return 0;
}

/** Without the tool no matcher can be compared, so an explanation would say of every guard that it does not run. */
function refuseWithoutTool(event: string, tool: unknown): void {
  if (typeof tool === 'string' && tool !== '') return;
  const wrong = tool === undefined || tool === '' ? 'is missing' : 'is not a string';
  const expected = `${wrong}: add --tool with the name of the tool, for example --tool Bash`;
  throw new HookscopeError('INVALID_INPUT', { event, field: 'tool_name', expected });
}

/** If the tool was named, an input without any field of a tool event is the tool's own input. */
function inputOf(
  input: Readonly<Record<string, unknown>>,
  tool: string | undefined,
): Readonly<Record<string, unknown>> {
  if (tool === undefined) return input;
  const isEvent = isObject(input['tool_input']) || 'hook_event_name' in input || 'tool_name' in input;
  return { tool_input: {}, ...(isEvent ? input : { tool_input: input }), tool_name: tool };
}

/** What the failure of an untrusted hook does. */
const EFFECTS: Readonly<Record<FailureEffect, string>> = {
  none: 'it would have no effect',
  ask: 'the call would be asked about',
  deny: 'the call would be denied',
  block: 'it would be blocked',
};

function describe(
  { event, subject, scope, scope_known: known, hooks, made = [] }: Explanation,
  spec: EventSpec,
  unknown: readonly string[],
): string {
  const running = hooks.filter((hook) => hook.runs);
  const failing = hooks.filter((hook) => hook.reason === 'untrusted');
  const others = hooks.filter((hook) => !hook.runs && hook.reason !== 'untrusted');
  const title = `${plain(event)}${subject === undefined ? '' : `:${plain(subject)}`}  in ${plain(scope)}${known ? '' : ' (a scope nobody opened)'}`;
  const place = ({ wave }: ExplainedHook): string => `  ${(wave as number) + 1}.`;
  const would = running.map((hook) => `${place(hook)} ${line(hook)}`);
  const none = running.length + failing.length + unknown.length === 0 ? ['no hook would run'] : [];
  const fails = failing.map((hook) => {
    const effect = EFFECTS[effectOf(spec, hook.onFailure, { cause: 'untrusted' })];
    return `${place(hook)} ${line(hook)}\n       untrusted: ${plain(hook.why ?? '')}; ${effect}`;
  });
  const wouldNot = others.map((hook) => `  -  ${line(hook)}\n       ${hook.reason}: ${plain(hook.why ?? '')}`);
  const notThere = made.length > 0 ? ['not known before:', ...made.map((one) => `  -  ${printMade(one)}`)] : [];
  return [
    title,
    ...would,
    ...none,
    ...unknownLines(unknown),
    ...(fails.length > 0 ? ['would fail instead of running:', ...fails] : []),
    ...(others.length > 0 ? ['would not run:', ...wouldNot] : []),
    ...notThere,
  ].join('\n');
}

function line({ handler, name, source, rule, timeout, onFailure, failsOpen, mode }: ExplainedHook): string {
  const from = [source.kind, source.name, source.file].filter((part) => part !== undefined).join(' ');
  const extras = [
    rule ? `decides ${rule.decision}` : `${timeout} s`,
    failsOpen ? 'fails open' : onFailure === 'continue' ? '' : `on failure ${onFailure}`,
    mode === 'parallel' ? 'parallel' : '',
  ].filter((part) => part !== '');
  return `${handler} ${plain(name)}  [${plain(from)}; ${extras.join('; ')}]`;
}
