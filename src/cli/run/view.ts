import { styleText } from 'node:util';
import type { FireRecord, HandlerRecord, HookResponse } from '../../emit/record.js';
import type { Description } from '../../host/types.js';
import { clip, column, plain } from '../../plain.js';
import { skipWords } from '../../scopes/skip.js';
import { about, agentIn, agentOf } from '../../why/about.js';
import { audienceLines } from './audiences.js';
import type { RecordedSession } from './session-file.js';
import { audience, MARKS, origin, outcomeOf, type TextStyle, whatItSaid } from './words.js';

export type Paint = (style: TextStyle, text: string) => string;

/** The lines of a run. Every text that comes from a recording or a hook is made safe for a terminal. */
export interface RunView {
  /** The file, the agents in it, and who has which hooks. */
  heading(session: RecordedSession): string;
  /** The meaning of the marks before the hooks. */
  readonly legend: string;
  /** A fire as a block: the event, a line for every hook that ran, and one for each reason why others did not. */
  fire(record: FireRecord, at: number): string;
  /** A background hook that ended. */
  late(response: HookResponse, agent: string): string;
  bar(done: number, total: number, columns: number): string;
}

export interface RunViewOptions {
  readonly paint: Paint;
  /** The scope tree as it is now. */
  describe(): Description;
}

export function createPaint(color: boolean): Paint {
  return (style, text) => (color && text !== '' ? styleText(style, text, { validateStream: false }) : text);
}

export function createRunView({ paint, describe }: RunViewOptions): RunView {
  const matchers = new Map<string, string>();

  function matcherOf(id: string): string {
    // Scopes come and go: a hook that is not known yet is in the present tree.
    if (!matchers.has(id)) {
      for (const hook of everyHook(describe()))
        matchers.set(hook.id, hook.if ? `${hook.matcher} if ${hook.if}` : hook.matcher);
    }
    return matchers.get(id) ?? '*';
  }

  function hookLine(record: FireRecord, handler: HandlerRecord): string {
    const { word, text } = whatItSaid(record, handler);
    const { mark, style } = MARKS[word];
    const matcher = matcherOf(handler.id);
    const why = [audience(record, handler), origin(handler), matcher === '*' ? '' : `on ${matcher}`].filter(
      (part) => part !== '',
    );
    const again = handler.reasked ? paint('dim', ', asked again about the rewritten input') : '';
    // The part before the last slash is the plugin's name, which is shown separately.
    const name = handler.plugin === undefined ? handler.name : handler.name.slice(handler.name.lastIndexOf('/') + 1);
    return `      ${paint(style, mark)} ${column(name, 20)}  ${paint('dim', column(why.join(', '), 46))}  ${paint(style, text)}${again}`;
  }

  return {
    heading({ name, events }) {
      // Not every event names its agent's type.
      const agents = new Map<unknown, string>();
      for (const { input } of events)
        if (!agents.has(input['agent_id']) || input['agent_type'] !== undefined)
          agents.set(input['agent_id'], agentIn(input));
      const who = agents.size > 6 ? `${agents.size} agents` : inWords([...agents.values()]);
      const title = `${paint('bold', plain(name))}: ${events.length} ${events.length === 1 ? 'event' : 'events'} of ${who}`;
      return [title, ...audienceLines(describe()).map((line) => `  ${line}`)].join('\n');
    },
    legend: Object.entries(MARKS)
      .filter(([word]) => word !== 'block' && word !== 'defer')
      .map(([word, { mark, style }]) => `${paint(style, mark)} ${paint('dim', LEGEND[word] ?? word)}`)
      .join('  '),
    fire(record, at) {
      const time = `+${(at / 1000).toFixed(3)}s`.padStart(8);
      const [decision, style] = outcomeOf(record);
      const parts = [
        paint('dim', time),
        paint('bold', agentOf(record)),
        plain(record.event),
        paint('dim', about(record)),
        paint(style, decision),
      ];
      const lines = record.handlers.filter((h) => h.status !== 'skipped').map((h) => hookLine(record, h));
      const left = lines.length > 0 ? skippedLines(record).map((line) => `      ${paint('dim', line)}`) : [];
      return [parts.filter((part) => part !== '').join('  '), ...lines, ...left].join('\n');
    },
    late(response, agent) {
      const style = response.outcome === 'success' ? 'green' : 'red';
      const what = `${response.name} ended in the background: ${response.outcome}`;
      return `      ${paint(style, '…')} ${plain(what)} ${paint('dim', `for ${agent}, ${response.duration_ms.toFixed(0)} ms`)}`;
    },
    bar(done, total, columns) {
      const label = ` ${done}/${total} events`;
      const width = Math.max(0, Math.min(40, columns - label.length - 1));
      const filled = Math.round((done / total) * width);
      return `${paint('cyan', '█'.repeat(filled))}${paint('dim', '░'.repeat(width - filled))}${label}`;
    },
  };
}

const LEGEND: Readonly<Record<string, string>> = { deny: 'deny, block', ask: 'ask, defer', none: 'no opinion' };

/** `- did not run, its matcher did not match: no-inline-node.sh, inTime`. */
function skippedLines({ handlers }: FireRecord): string[] {
  const reasons = new Map<string, string[]>();
  for (const { status, reason, name, plugin } of handlers) {
    if (status !== 'skipped') continue;
    const why = plain(skipWords(reason));
    const short = plugin === undefined ? name : name.slice(name.lastIndexOf('/') + 1);
    reasons.set(why, [...(reasons.get(why) ?? []), short]);
  }
  return [...reasons].map(([why, names]) => `- did not run, ${why}: ${clip(names.join(', '), 90)}`);
}

function inWords(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function everyHook(description: Description): Description['hooks'] {
  return [...description.hooks, ...description.children.flatMap(everyHook)];
}
