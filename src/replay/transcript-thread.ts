import { CATALOGUE, type HookEvent } from '../events/catalogue.js';
import { isObject, isText, type Json } from '../values/shape.js';
import type { RecordedFire } from './recorded.js';
import {
  answerOf,
  blocksOf,
  feedbackOf,
  isPrompt,
  isUnjudged,
  permissionOf,
  rewriteOf,
  type TranscriptCall,
  type TranscriptEnding,
  textIn,
  toolsOf,
} from './transcript-words.js';

/** What identifies a thread: the lines of one agent in a transcript. */
export interface ThreadOf {
  readonly place: string;
  /** The path of the main transcript, which is the one that hooks get. */
  readonly transcript: string;
  readonly agent?: string | undefined;
  /** The agent's type, if the file beside its transcript names it. */
  agentType?: string | undefined;
  /** What the main thread's lines say about all threads; shared by them. */
  readonly session: { mode?: string };
}

/** Turns one agent's lines, taken in order, into fires. Of a message, only its calls are kept, until all of them have results. */
export class TranscriptThread {
  readonly #of: ThreadOf;
  #base: Json = {};
  #time = new Date(0).toISOString();
  #calls = new Map<string, TranscriptCall>();
  #message: unknown;
  #ending: TranscriptEnding | undefined;
  #began = false;
  #stops = 0;
  #first: TranscriptEnding | undefined;

  constructor(of: ThreadOf) {
    this.#of = of;
  }

  /** The fires that this line completes, in order. */
  *take(entry: Json, line: number): Generator<RecordedFire> {
    this.#note(entry);
    const { type } = entry;
    if (type === 'assistant') yield* this.#assistant(entry, line);
    else if (type === 'user') yield* this.#user(entry, line);
    else if (type === 'attachment') yield* this.#attachment(entry, line);
    else if (type === 'system') yield* this.#system(entry, line);
  }

  /** The fires that are still open after the last line. */
  *end(line: number): Generator<RecordedFire> {
    if (this.#first) yield* this.#begin(line);
    yield* this.#ended();
  }

  /** Notes the facts about the session that any line may have. */
  #note({ timestamp, cwd, sessionId, promptId, permissionMode, attributionAgent }: Json): void {
    if (isText(timestamp) && !Number.isNaN(Date.parse(timestamp))) this.#time = timestamp;
    if (isText(permissionMode) && this.#of.agent === undefined) this.#of.session.mode = permissionMode;
    const said = { session_id: sessionId, cwd, prompt_id: promptId };
    const known = Object.entries(said).filter(([, value]) => isText(value));
    if (known.length > 0) this.#base = { ...this.#base, ...Object.fromEntries(known) };
    if (isText(attributionAgent)) this.#of.agentType ??= attributionAgent;
  }

  *#assistant(entry: Json, line: number): Generator<RecordedFire> {
    const message = isObject(entry['message']) ? entry['message'] : {};
    if (message['id'] === undefined || message['id'] !== this.#message) yield* this.#ended();
    this.#message = message['id'];
    yield* this.#begin(line);
    const tools = toolsOf(message);
    for (const { id, name, input } of tools)
      this.#calls.set(id, { id, name, input, time: this.#time, line, versions: [] });
    const text = textIn(message['content']);
    const isOver = tools.length === 0 && this.#calls.size === 0 && entry['isApiErrorMessage'] !== true;
    if (isOver && text !== '' && message['stop_reason'] !== 'tool_use')
      this.#ending = { line, time: this.#time, text: `${this.#ending?.text ?? ''}${text}` };
  }

  *#user(entry: Json, line: number): Generator<RecordedFire> {
    const { agent } = this.#of;
    const message = isObject(entry['message']) ? entry['message'] : {};
    const results = blocksOf(message).filter(({ type }) => type === 'tool_result');
    for (const result of results) {
      const call = this.#calls.get(String(result['tool_use_id']));
      if (call) call.done = { line, entry: { ...entry, time: this.#time }, result };
    }
    if (results.length > 0) return;
    const text = textIn(message['content']);
    const feedback = feedbackOf(entry, text);
    if (feedback !== undefined) {
      yield* this.#stop({ continues: true, reason: feedback });
      this.#stops += 1;
    } else if (/^\[Request interrupted/.test(text)) {
      // The user interrupted the turn, so Stop hooks were not asked.
      this.#ending = undefined;
    } else if (entry['isCompactSummary'] === true) {
      yield* this.#ended();
      yield this.#fire(
        'PostCompact',
        line,
        { trigger: 'auto', compact_summary: text },
        { inferred: ['input.trigger'] },
      );
    } else if (agent !== undefined) {
      this.#first ??= { line, time: this.#time, text };
    } else if (isPrompt(entry, text)) {
      yield* this.#ended();
      yield* this.#begin(line);
      yield* this.#prompt(text, line);
    }
  }

  *#prompt(prompt: string, line: number): Generator<RecordedFire> {
    this.#stops = 0;
    yield this.#fire('UserPromptSubmit', line, { prompt }, { decision: { blocked: false } });
  }

  *#attachment({ attachment }: Json, line: number): Generator<RecordedFire> {
    if (!isObject(attachment)) return;
    const call = this.#calls.get(String(attachment['toolUseID']));
    const rewrite = rewriteOf(attachment);
    if (call && rewrite !== undefined) call.versions.push(rewrite);
    // A prompt that was queued until the end of the turn is submitted like any other.
    if (attachment['type'] === 'queued_command' && isText(attachment['prompt']) && this.#of.agent === undefined) {
      yield* this.#ended();
      yield* this.#prompt(attachment['prompt'], line);
    }
  }

  *#system(entry: Json, line: number): Generator<RecordedFire> {
    if (entry['subtype'] === 'stop_hook_summary')
      yield* this.#stop({ continues: false, continue: entry['preventedContinuation'] !== true });
    if (entry['subtype'] !== 'compact_boundary') return;
    yield* this.#ended();
    const about = isObject(entry['compactMetadata']) ? entry['compactMetadata'] : {};
    const trigger = isText(about['trigger']) ? about['trigger'] : 'auto';
    const input = { trigger, custom_instructions: null };
    yield this.#fire('PreCompact', line, input, {
      decision: { blocked: false },
      inferred: ['input.custom_instructions'],
    });
    yield this.#fire('SessionStart', line, { source: 'compact' });
  }

  /** The fires at the start of the thread, on its first message. */
  *#begin(line: number): Generator<RecordedFire> {
    if (this.#began) return;
    this.#began = true;
    const { prompt_id, ...before } = this.#base;
    if (this.#of.agent === undefined) {
      this.#base = before;
      const start = this.#fire('SessionStart', line, { source: 'startup' }, { inferred: ['input.source'] });
      this.#base = { ...before, ...(prompt_id === undefined ? {} : { prompt_id }) };
      yield start;
    } else yield this.#fire('SubagentStart', line, {}, { time: this.#first?.time ?? this.#time });
  }

  /** The fires at the end of the previous message: those of its calls and their batch, or Stop if the turn is over. */
  *#ended(): Generator<RecordedFire> {
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    yield* this.#batch(calls);
    if (this.#ending) yield* this.#stop(undefined);
    this.#message = undefined;
  }

  *#batch(calls: readonly TranscriptCall[]): Generator<RecordedFire> {
    const fires = calls.filter((call) => !isUnjudged(call.done?.result)).flatMap((call) => this.#call(call));
    yield* fires.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
    const done = calls.flatMap((call) => (call.done ? [{ ...call, done: call.done }] : []));
    const last = done.findLast(() => true);
    if (last === undefined || done.length < calls.length) return;
    const tool_calls = done.map(({ id, name, input, done: { result } }) => ({
      tool_name: name,
      tool_input: input,
      tool_use_id: id,
      tool_response: result['content'],
    }));
    const time = done.map(({ done: { entry } }) => String(entry['time'])).sort();
    yield this.#fire('PostToolBatch', last.done.line, { tool_calls }, { time: time.at(-1) ?? this.#time });
  }

  #call({ id, name, input, time, line, versions, done }: TranscriptCall): RecordedFire[] {
    const about = { tool_name: name, tool_use_id: id };
    const { judged, asked, denied } = permissionOf(done?.entry, done?.result);
    const own = { toolUse: id, inferred: ['input.tool_input', ...(versions.length > 0 ? ['versions'] : [])] };
    const before = this.#fire(
      'PreToolUse',
      line,
      { ...about, tool_input: input },
      { ...own, time, versions, decision: judged },
    );
    if (done === undefined) return [before];
    const ran = { ...own, inferred: ['input.tool_input'], time: String(done.entry['time']) };
    const call = { ...about, tool_input: versions.at(-1) ?? input };
    if (asked) {
      const given = { tool_name: name, tool_input: call.tool_input, permission_suggestions: [] };
      return [before, this.#fire('PermissionRequest', done.line, given, { ...ran, decision: asked })];
    }
    if (denied) return [before];
    const answer = answerOf(done.entry, done.result);
    if (answer.failed)
      return [
        before,
        this.#fire('PostToolUseFailure', done.line, { ...call, error: answer.error, is_interrupt: false }, ran),
      ];
    const inferred = answer.whole ? ran.inferred : [...ran.inferred, 'input.tool_response'];
    return [
      before,
      this.#fire('PostToolUse', done.line, { ...call, tool_response: answer.response }, { ...ran, inferred }),
    ];
  }

  /** The Stop fire. `decision`: the recorded one, if the transcript has it. */
  *#stop(decision: Json | undefined): Generator<RecordedFire> {
    const ending = this.#ending;
    this.#ending = undefined;
    if (ending === undefined) return;
    const { agent, place } = this.#of;
    const input = {
      stop_hook_active: this.#stops > 0,
      last_assistant_message: ending.text,
      background_tasks: [],
      session_crons: [],
      ...(agent === undefined ? {} : { agent_transcript_path: place }),
    };
    const event = agent === undefined ? 'Stop' : 'SubagentStop';
    const inferred = ['input.background_tasks', 'input.session_crons'];
    yield this.#fire(event, ending.line, input, { decision, time: ending.time, inferred });
  }

  #fire(
    event: HookEvent,
    line: number,
    fields: Json,
    { decision, inferred = [], versions = [], time = this.#time, toolUse }: Partial<RecordedFire> = {},
  ): RecordedFire {
    const { place, transcript, agent, agentType = '' } = this.#of;
    const who = agent === undefined ? {} : { agent_id: agent, agent_type: agentType };
    const { mode } = this.#of.session;
    const { inTurn, fold } = CATALOGUE[event];
    const turn = inTurn && mode !== undefined ? { permission_mode: mode } : {};
    const session = isText(this.#base['session_id']) ? this.#base['session_id'] : '';
    return {
      place,
      id: [agent ?? 'main', line, event, ...(toolUse === undefined ? [] : [toolUse])].join(':'),
      time,
      event,
      session,
      agent,
      agentType: agent === undefined ? undefined : agentType,
      toolUse,
      scope: agent ?? 'session',
      input: { ...this.#base, ...turn, ...who, transcript_path: transcript, hook_event_name: event, ...fields },
      versions,
      decision: decision && { event, fold, continue: true, ...decision },
      masked: false,
      truncated: [],
      inferred: ['decision', ...inferred],
    };
  }
}
