import type { FireRecord } from '../emit/record.js';
import { specOf } from '../events/catalogue.js';
import type { EventSpec } from '../events/spec.js';
import { subjectIn } from '../events/subject.js';
import { clip, plain } from '../plain.js';

/** The name of an agent: its type and the beginning of its id, or `main`. */
export function agentOf({ agent_id, input }: FireRecord): string {
  return agentIn({ ...input, agent_id });
}

/** The name of the agent that an input names. */
export function agentIn(input: Readonly<Record<string, unknown>>): string {
  const id = input['agent_id'];
  if (typeof id !== 'string' || id === '') return 'main';
  const type = input['agent_type'];
  return agentName(id, typeof type === 'string' && type !== '' ? type : undefined);
}

/** The name of an agent with this id and type. */
export function agentName(id: string, type: string | undefined): string {
  return `${clip(type ?? 'agent', 40)} ${shortName(id)}`;
}

/** The beginning of a random id, or both ends of any other long id: numbered ids differ at their end. */
export function shortName(id: string): string {
  if (/^(?=.*[a-f])[0-9a-f]{8,}$/.test(id)) return id.slice(0, 6);
  return plain(id.length <= 12 ? id : `${id.slice(0, 6)}..${id.slice(-4)}`);
}

/** Whether the event opens or closes an agent's scope; undefined: neither. */
export function roleOf(event: string): EventSpec['scope'] {
  return specOf(event)?.scope;
}

/** A short text about the event: the tool and its input, or the subject. */
export function about({ event, input }: FireRecord): string {
  const { tool_name: tool, tool_input: call } = input as { tool_name?: unknown; tool_input?: unknown };
  if (typeof tool === 'string') return clip(`${tool} ${detailOf(call, input['cwd'])}`.trim(), 70);
  // An agent's start and end are about the agent, which is named beside it. That they open or end its scope, no record shows.
  return roleOf(event) === undefined ? clip(subjectIn(specOf(event), input) ?? '', 70) : '';
}

/** A short text for a tool's input: its command, path or description. */
export function detailOf(call: unknown, cwd: unknown): string {
  const { command, file_path: path, description } = (call ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof command === 'string') return command;
  if (typeof path !== 'string') return typeof description === 'string' ? description : '';
  const inside = typeof cwd === 'string' && cwd !== '' && path.startsWith(`${cwd}/`);
  return inside ? path.slice(cwd.length + 1) : path;
}
