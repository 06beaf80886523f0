import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { baseInput, baseOutput } from '../src/events/base.js';
import { CATALOGUE, HOOK_EVENTS } from '../src/events/catalogue.js';
import { exit2Of } from '../src/events/failure.js';
import type { JsonSchema } from '../src/events/json-schema.js';
import type { EventSpec, Fold, PlainStdout } from '../src/events/spec.js';
import { takesRules } from '../src/handlers/rule/spec.js';
import { EXIT2 } from './failures-page.js';

const FOLDS: Record<Fold, string> = {
  gate: 'a verdict, none < allow < ask < defer < deny: the strongest wins, whatever the order; also a rewritten input and context',
  block: 'blocked or not, with every blocking reason; also context',
  stop: 'the loop goes on or ends',
  context: 'context for the model and messages for the user',
  replace: 'one value: the last in plan order wins, a conflict is recorded',
  observe: 'nothing: what hooks say is recorded only',
};
const PLAIN: Record<PlainStdout, string> = {
  context: 'is context for the model',
  value: 'is the value',
  none: 'is recorded only',
};

const FAILURE = {
  ignored: '`onFailure` is ignored: a hook that fails blocks nothing.',
  fails: 'Any failure of a hook fails the thing itself, whatever `onFailure` says.',
};

/** docs/events.md: the catalogue for people. */
export function eventsPage(): string {
  const entries: EventSpec[] = HOOK_EVENTS.map((name) => CATALOGUE[name]);
  return [
    '# Events',
    'This page lists every event: its input, what hooks may answer, and what exit code 2 means. The JSON Schemas of every input and output are in `schemas/` and can be imported as `hookscope/schemas/PreToolUse.input.json`. Generated from `src/events` by `npm run generate`.',
    "An event's kind says how the outcomes of its hooks become a decision. Code and records call it `fold`, since to fold outcomes is to merge them:",
    table(['Kind', 'The outcomes become'], Object.entries(FOLDS)),
    table(
      ['Event', 'Kind', 'Matchers look at', 'Exit code 2'],
      entries.map((e) => [`[${e.name}](#${e.name.toLowerCase()})`, e.fold, subject(e), exit2Of(e)]),
    ),
    '## Fields of every event',
    'A field that is not listed here is passed to every hook unchanged. Times are in seconds, except in fields whose name ends in `_ms`.',
    fields(baseInput()),
    'Every hook may answer with these. `{ "async": true, "asyncTimeout": 30 }` instead means that the agent should not wait for the hook.',
    fields(baseOutput()),
    ...entries.flatMap(section),
  ]
    .join('\n\n')
    .concat('\n');
}

const subject = (spec: EventSpec): string => (spec.subjectField === undefined ? '–' : `\`${spec.subjectField}\``);

function section(spec: EventSpec): string[] {
  const base = Object.keys(baseInput().shape);
  const { timeout } = spec;
  const facts = [
    `Kind: ${spec.fold}. Matchers ${spec.subject === undefined ? 'are ignored' : `look at ${subject(spec)}`}.`,
    `Exit code 2 ${EXIT2[exit2Of(spec)].does}. Plain stdout ${PLAIN[spec.plainStdout]}.`,
    `\`continue: false\` ${spec.endsLoop ? "ends the agent's loop" : 'is recorded only'}.`,
    `Handlers: callback, ${[...spec.types, ...(takesRules(spec) ? ['rule'] : [])].join(', ')}.`,
    ...(spec.failure === 'policy' ? [] : [FAILURE[spec.failure]]),
    ...(spec.unblockable
      ? [`A block has no effect where the subject is ${spec.unblockable.map(code).join(', ')}.`]
      : []),
    ...(spec.claude === undefined
      ? []
      : [`Over [the control protocol](control.md#events): ${controlled(spec.claude)}.`]),
    ...(timeout === undefined
      ? []
      : [
          `Default timeout in Claude Code files: ${timeout.claude} s${timeout.max === undefined ? '' : `, ${timeout.max} s at most`}.`,
        ]),
  ];
  return [
    `## ${spec.name}`,
    spec.about,
    facts.map((fact) => `- ${fact}`).join('\n'),
    'Input:',
    fields(spec.input, base) || 'No fields of its own.',
    ...example(spec),
    '`hookSpecificOutput`:',
    fields(spec.output) || 'No fields of its own.',
  ];
}

function controlled({ sent, answerNeeded, askedTwice, unanswered, stopped }: NonNullable<EventSpec['claude']>): string {
  if (sent === 'never') return 'Claude Code never asks callbacks about it';
  if (sent === 'unknown') return 'Claude Code has no such event';
  if (sent === 'later')
    return 'Claude Code asks callbacks about it while it runs, but not when it starts or ends in the usual way';
  if (sent === 'watching') return 'Claude Code asks callbacks about it only where it watches the file system';
  if (answerNeeded) return 'Claude Code is asked to put it to us only if there is a hook for it';
  if (askedTwice)
    return 'Claude Code puts the same call to the person at the same time, and both get the answer of one fire';
  const said = [
    unanswered === 'blocks' ? 'a remote hook that does not answer blocks, whatever `onFailure` says' : '',
    stopped ? `the result of a turn that a remote hook ended here has the \`terminal_reason\` \`${stopped}\`` : '',
  ];
  return said.filter(Boolean).join('; ');
}

/** The first recorded input, where there is one. */
function example({ name }: EventSpec): string[] {
  const file = new URL(`../test/fixtures/wire/${name}.json`, import.meta.url);
  if (!existsSync(file)) return [];
  const [input] = JSON.parse(readFileSync(file, 'utf8')) as unknown[];
  return ['For example:', `\`\`\`json\n${JSON.stringify(input, undefined, 2)}\n\`\`\``];
}

/** A table of an object's fields; empty when it has none but the left out. */
function fields(object: z.ZodType, without: readonly string[] = []): string {
  const schema: JsonSchema = z.toJSONSchema(object, { io: 'input', unrepresentable: 'any' });
  const required = (schema.required ?? []) as string[];
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>).filter(
    ([name]) => !without.includes(name),
  );
  if (properties.length === 0) return '';
  return table(
    ['Field', 'Type', 'Required'],
    properties.map(([name, type]) => [`\`${name}\``, shape(type), required.includes(name) ? 'yes' : '']),
  );
}

/** A schema in one line. */
function shape(schema: JsonSchema): string {
  const choices = (schema.oneOf ?? schema.anyOf) as JsonSchema[] | undefined;
  if (choices !== undefined) return choices.map(shape).join(' or ');
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum !== undefined) return (schema.enum as unknown[]).map(code).join(', ');
  if (schema.examples !== undefined) return `${(schema.examples as unknown[]).map(code).join(', ')}, or another string`;
  if (schema.type === 'array') return `list of ${shape((schema.items ?? {}) as JsonSchema)}`;
  if (schema.type === 'object' && schema.properties !== undefined) {
    const required = (schema.required ?? []) as string[];
    const inner = Object.entries(schema.properties as Record<string, JsonSchema>);
    return `{ ${inner.map(([name, type]) => `${name}${required.includes(name) ? '' : '?'}: ${shape(type)}`).join('; ')} }`;
  }
  return [schema.type ?? 'any'].flat().join(' or ');
}

const code = (value: unknown): string => `\`${String(value)}\``;
const cell = (text: string): string => text.replaceAll('|', '\\|');

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
