import { whyNot, withheldLine } from '../../host/call/carry.js';
import type { BaseDecision } from '../../host/decide/decision.js';
import { bytesAsJson } from '../../values/copies/binary.js';
import { copyJson, MOST_BYTES } from '../../values/copies/copy.js';
import { ignoreRejections } from '../../values/waiting/promises.js';

/** A piece of what the model gets, as the model's API has it: `{ type: 'text', text }`, an image … */
export interface ContentBlock {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** What the model gets from a tool. */
export type Content = string | readonly ContentBlock[];

/** Never throws: also of what cannot be looked at. */
export function isContent(value: unknown): value is Content {
  if (typeof value === 'string') return true;
  try {
    // Not `every`, which passes over what is missing.
    return Array.isArray(value) && value.length > 0 && value.findIndex((one) => !isBlock(one)) === -1;
  } catch {
    return false;
  }
}

function isBlock(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

/** Stands for the tool's own output in what an adapter renders: what the model gets of it is made by the adapter. */
export const OUTPUT: ContentBlock = Object.freeze({ type: 'hookscope-output' });

/** Whether the output is the adapter's to make. */
export const isOwnOutput = (content: unknown): content is Content => Array.isArray(content) && content[0] === OUTPUT;

/** A tool's response as it goes to the model when the tool does not say how: text and blocks as they are, data as JSON. */
export function plainContent(response: unknown, most = MOST_BYTES): Content {
  if (response === undefined || response === null) return '';
  const { copy, withheld } = carried(response, most);
  if (withheld !== undefined) return withheld;
  return isContent(copy) ? copy : JSON.stringify(copy);
}

/** The line that the model gets in place of a response that it cannot be given. */
export function withheldOf(response: unknown, most = MOST_BYTES): string | undefined {
  return response === undefined || response === null ? undefined : carried(response, most).withheld;
}

/** A value that is not JSON data has no form that every reader would understand alike. */
function carried(response: unknown, most: number): { readonly copy?: unknown; readonly withheld?: string } {
  try {
    return { copy: copyJson(response, '', { left: most, bytes: bytesAsJson }) };
  } catch (error) {
    ignoreRejections(error);
    return { withheld: withheldLine("the tool's response", whyNot(error)) };
  }
}

/** The content with more texts below it, a blank line between each. */
export function withTexts(content: Content, texts: readonly string[]): Content {
  if (texts.length === 0) return content;
  const text = texts.join('\n\n');
  if (typeof content !== 'string') return [...content, { type: 'text', text }];
  return content === '' ? text : `${content}\n\n${text}`;
}

/** `PreToolUse:Bash hook additional context: …`, every text on its own line. Nothing to say: nothing. */
export function contextTexts(label: string, texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : [`${label} hook additional context: ${texts.join('\n')}`];
}

/** One text a hook that had something against the result. */
export function feedbackTexts(label: string, decision: BaseDecision & { readonly blocked: boolean }): string[] {
  if (!decision.blocked) return [];
  const said = decision.outcomes
    .filter((o) => o.decision === 'block')
    .map((o) => ({ name: o.name, reason: o.reason ?? 'no reason given' }));
  const failed = decision.failures.filter((f) => f.blocked).map((f) => ({ name: f.name, reason: f.message }));
  return [...said, ...failed].map(({ name, reason }) => `${label} hook blocking error from "${name}": ${reason}`);
}

export function hiddenText(tool: string, hook: string): string {
  return `The output of ${tool} was hidden by the hook "${hook}".`;
}

export function deniedText(label: string, reason: string | undefined): string {
  return `${label} hook error: ${reason ?? 'Blocked by hook'}`;
}
