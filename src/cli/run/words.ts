import type { styleText } from 'node:util';
import type { FireRecord, HandlerRecord } from '../../emit/record.js';
import { clip } from '../../plain.js';
import { detailOf } from '../../why/about.js';

export type TextStyle = Parameters<typeof styleText>[0];

interface Mark {
  readonly mark: string;
  readonly style: TextStyle;
}

/** A hook's answer as one character. */
export const MARKS = {
  allow: { mark: '✓', style: 'green' },
  deny: { mark: '✗', style: 'red' },
  block: { mark: '✗', style: 'red' },
  ask: { mark: '?', style: 'yellow' },
  defer: { mark: '?', style: 'yellow' },
  rewrite: { mark: '✎', style: 'cyan' },
  context: { mark: '+', style: 'cyan' },
  none: { mark: '·', style: 'dim' },
  background: { mark: '…', style: 'dim' },
  failed: { mark: '!', style: 'red' },
} as const satisfies Readonly<Record<string, Mark>>;
export type MarkName = keyof typeof MARKS;

/** Who the hook runs for. */
export function audience(record: FireRecord, { scope, source }: HandlerRecord): string {
  if (scope === 'managed' || scope === 'host') return 'everyone';
  if (scope === 'session') return 'the session';
  if (source.kind === 'spawn') return `every ${source.name ?? ''}`;
  return scope === record.scope ? 'this agent' : `agent ${scope}`;
}

/** Where the hook comes from; for `spawnHooks`, the audience says enough. */
export function origin({ plugin, source }: HandlerRecord): string {
  if (plugin !== undefined) return `plugin ${plugin.replace(/^hookscope-plugin-/, '')}`;
  return source.kind === 'spawn' ? '' : source.kind;
}

/** One hook's answer, as a word and as a line. */
export function whatItSaid(record: FireRecord, handler: HandlerRecord): { word: MarkName; text: string } {
  const { status, verdict, failure, output } = handler;
  if (status === 'failed') {
    const counts = record.decision.failures.find((f) => f.id === handler.id)?.blocked ? ', which blocks' : '';
    return { word: 'failed', text: clip(`failed${counts}: ${failure?.cause}: ${failure?.message}`, 90) };
  }
  if (status === 'background') return { word: 'background', text: 'goes on in the background' };
  const said = (output ?? {}) as {
    reason?: unknown;
    stopReason?: unknown;
    systemMessage?: unknown;
    hookSpecificOutput?: Readonly<Record<string, unknown>>;
  };
  const specific = said.hookSpecificOutput ?? {};
  const nested = specific['decision'] as { message?: unknown; updatedInput?: unknown } | undefined;
  const words = (...texts: unknown[]): string => clip(String(texts.find((text) => typeof text === 'string') ?? ''), 90);
  if (verdict !== undefined && verdict !== 'none') {
    const reason = words(specific['permissionDecisionReason'], nested?.message, said.reason, said.stopReason);
    return { word: verdict, text: reason === '' ? verdict : `${verdict}: ${reason}` };
  }
  const rewritten = specific['updatedInput'] ?? nested?.updatedInput;
  if (rewritten !== undefined)
    return { word: 'rewrite', text: clip(`rewrites: ${detailOf(rewritten, record.input['cwd'])}`, 90) };
  if (specific['updatedToolOutput'] !== undefined) return { word: 'rewrite', text: 'rewrites the output' };
  const context = words(specific['additionalContext'], said.systemMessage);
  return context === '' ? { word: 'none', text: 'no opinion' } : { word: 'context', text: `adds: ${context}` };
}

/** The decision in words, and their style; empty if there is none. */
export function outcomeOf({ decision, error }: FireRecord): [string, TextStyle] {
  if (error !== undefined) return [`not decided: ${error}`, 'red'];
  const ends = decision.continue ? '' : " and the agent's loop ends";
  if (decision.verdict === 'deny') return [`DENIED${ends}`, ['bold', 'red']];
  if (decision.blocked) return [`BLOCKED${ends}`, ['bold', 'red']];
  if (decision.continues) return ['GOES ON', ['bold', 'yellow']];
  if (decision.verdict !== undefined && decision.verdict !== 'none')
    return [decision.verdict, decision.verdict === 'allow' ? 'green' : 'yellow'];
  return [ends === '' ? '' : "the agent's loop ends", 'yellow'];
}
