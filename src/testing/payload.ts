import type { FireInput, HookEvent } from '../events/catalogue.js';
import { SAMPLES, type ToolEvent, type ToolSample, toolSample, toolSamples } from './samples.js';

/** Fields of an event's input, which replace those of the sample or are added. */
export type Fields<E extends HookEvent> = Partial<FireInput<E>>;

/** Makes an event's input: the sample, with the given fields in place of its own. */
export type PayloadBuilder<E extends HookEvent> = (fields?: Fields<E>) => FireInput<E>;

/** Builders of a tool event's input, one for each tool. The last argument has fields that replace those of the sample. */
export interface ToolPayloads<E extends HookEvent> {
  /** A command line. */
  bash(command?: string, fields?: Fields<E>): FireInput<E>;
  /** A file that is read. */
  read(file_path?: string, fields?: Fields<E>): FireInput<E>;
  /** A file that is written as a whole. */
  write(file_path?: string, content?: string, fields?: Fields<E>): FireInput<E>;
  /** `old_string` and `new_string` get default texts if they are left out. */
  edit(file_path?: string, old_string?: string, new_string?: string, fields?: Fields<E>): FireInput<E>;
  /** A cell of a notebook. */
  notebookEdit(notebook_path?: string, new_source?: string, fields?: Fields<E>): FireInput<E>;
  /** A search by name. */
  glob(pattern?: string, fields?: Fields<E>): FireInput<E>;
  /** A search by content. */
  grep(pattern?: string, path?: string, fields?: Fields<E>): FireInput<E>;
  /** A web page. */
  webFetch(url?: string, fields?: Fields<E>): FireInput<E>;
  /** A web search. */
  webSearch(query?: string, fields?: Fields<E>): FireInput<E>;
  /** The tool that starts a subagent. */
  agent(subagent_type?: string, prompt?: string, fields?: Fields<E>): FireInput<E>;
  /** A tool of an MCP server: `mcp__server__tool`. */
  mcp(server: string, tool: string, input?: Readonly<Record<string, unknown>>, fields?: Fields<E>): FireInput<E>;
  /** Any tool, by its name. */
  tool(name: string, input?: Readonly<Record<string, unknown>>, fields?: Fields<E>): FireInput<E>;
}

/** A builder for every event, by the event's name in camelCase. Builders of tool events also have one for each tool. */
export type Payloads = {
  readonly [E in HookEvent as Uncapitalize<E>]: E extends ToolEvent
    ? PayloadBuilder<E> & ToolPayloads<E>
    : PayloadBuilder<E>;
};

type AnyFields = Readonly<Record<string, unknown>>;
type AnyBuilder = (fields?: AnyFields) => AnyFields;

function builderOf(event: HookEvent): AnyBuilder {
  return (fields) => ({ ...structuredClone(SAMPLES[event]), ...fields });
}

/** The event's sample with a call of this tool, and with the tool's response if the event has one. */
function withTool(event: HookEvent, sample: ToolSample, fields: AnyFields | undefined): AnyFields {
  const { tool_response, ...call } = structuredClone(sample);
  const response = 'tool_response' in SAMPLES[event] ? { tool_response } : undefined;
  return { ...structuredClone(SAMPLES[event]), ...call, ...response, ...fields };
}

function toolBuilders(event: HookEvent): Record<string, (...given: never[]) => AnyFields> {
  const made: Record<string, (...given: never[]) => AnyFields> = {
    tool: (name: string, input: AnyFields = {}, fields?: AnyFields) =>
      withTool(event, toolSample(name, { ...input }), fields),
    mcp: (server: string, tool: string, input: AnyFields = {}, fields?: AnyFields) =>
      withTool(event, toolSample(`mcp__${server}__${tool}`, { ...input }, [{ type: 'text', text: 'done' }]), fields),
  };
  for (const [name, { arity, make }] of Object.entries(toolSamples))
    made[name] = (...given: never[]) =>
      withTool(event, make(...(given.slice(0, arity) as string[])), given[arity] as AnyFields | undefined);
  return made;
}

const camelCase = (event: string): string => `${event.charAt(0).toLowerCase()}${event.slice(1)}`;

/**
 * Builders of inputs as agents send them, for all events: `payload.stop()`, `payload.preToolUse.bash('rm -rf /')`,
 * `payload.postToolUse.read('.env', { tool_response: 'KEY=1' })`. Each call makes a new object. The base fields (`session_id`, `cwd`) are
 * added when the event is fired.
 */
export const payload: Payloads = Object.fromEntries(
  (Object.keys(SAMPLES) as HookEvent[]).map((event) => {
    const build = builderOf(event);
    return [camelCase(event), 'tool_name' in SAMPLES[event] ? Object.assign(build, toolBuilders(event)) : build];
  }),
) as unknown as Payloads;
