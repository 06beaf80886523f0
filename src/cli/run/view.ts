import { styleText } from 'node:util';
import type { FireRecord, HandlerRecord, HookResponse } from '../../emit/record.js';
import type { Description } from '../../host/types.js';
import { column, plain } from '../../plain.js';
import { about, agentOf, audience, MARKS, origin, outcomeOf, type Style, whatItSaid } from './words.js';

export type Paint = (style: Style, text: string) => string;

/** The lines of a run. Every text that comes from a recording or a hook is made safe for a terminal. */
export interface RunView {
  heading(name: string, events: number): string;
  /** What the marks before the hooks mean. */
  readonly legend: string;
  /** A fire as a block: the event, then a line for every hook that ran. */
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
    // Scopes come and go: what is not known yet is there now.
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
    // What stands before it is the plugin's name, which is said behind it.
    const name = handler.plugin === undefined ? handler.name : handler.name.slice(handler.name.lastIndexOf('/') + 1);
    return `      ${paint(style, mark)} ${column(name, 20)}  ${paint('dim', column(why.join(', '), 46))}  ${paint(style, text)}${again}`;
  }

  return {
    heading: (name, events) => `${paint('bold', plain(name))} ${paint('dim', `${events} events`)}`,
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
      return [parts.filter((part) => part !== '').join('  '), ...lines].join('\n');
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

function everyHook(description: Description): Description['hooks'] {
  return [...description.hooks, ...description.children.flatMap(everyHook)];
}
