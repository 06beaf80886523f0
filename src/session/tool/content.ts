import { whyNot, withheldLine } from '../../host/call/carry.js';
import type { BaseDecision } from '../../host/decide/decision.js';
import { bytesAsJson } from '../../values/copies/binary.js';
import { copyJson, MOST_BYTES } from '../../values/copies/copy.js';
import { ignoreRejections } from '../../values/waiting/promises.js';

/** A content block of the model's API: `{ type: 'text', text }`, an image and so on. */
export interface ContentBlock {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** A tool result for the model. */
export type Content = string | readonly ContentBlock[];

/** Whether a value is content. It never throws, even for objects that throw on access. */
export function isContent(value: unknown): value is Content {
  if (typeof value === 'string') return true;
  try {
    // Not `every`, which skips holes in arrays.
    return Array.isArray(value) && value.length > 0 && value.findIndex((one) => !isBlock(one)) === -1;
  } catch {
    return false;
  }
}

function isBlock(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string';
}

/** A placeholder for the tool's own output, where the adapter itself renders the output for the model. */
export const OUTPUT: ContentBlock = Object.freeze({ type: 'hookscope-output' });

/** Whether the adapter renders the output itself. */
export const isOwnOutput = (content: unknown): content is Content => Array.isArray(content) && content[0] === OUTPUT;

/** The default rendering of a tool's response for the model: text and content blocks unchanged, anything else as JSON. */
export function plainContent(response: unknown, most = MOST_BYTES): Content {
  if (response === undefined || response === null) return '';
  const { copy, withheld } = carried(response, most);
  if (withheld !== undefined) return withheld;
  return isContent(copy) ? copy : JSON.stringify(copy);
}

/** The line that the model gets in place of a response that cannot be serialised; undefined if it can. */
export function withheldOf(response: unknown, most = MOST_BYTES): string | undefined {
  return response === undefined || response === null ? undefined : carried(response, most).withheld;
}

/** A copy of the response as JSON data, or why it is withheld: other values have no unambiguous JSON. */
function carried(response: unknown, most: number): { readonly copy?: unknown; readonly withheld?: string } {
  try {
    return { copy: copyJson(response, '', { left: most, bytes: bytesAsJson }) };
  } catch (error) {
    ignoreRejections(error);
    return { withheld: withheldLine("the tool's response", whyNot(error)) };
  }
}

/** The content with texts appended, separated by blank lines. */
export function withTexts(content: Content, texts: readonly string[]): Content {
  if (texts.length === 0) return content;
  const text = texts.join('\n\n');
  if (typeof content !== 'string') return [...content, { type: 'text', text }];
  return content === '' ? text : `${content}\n\n${text}`;
}

/** `PreToolUse:Bash hook additional context: …`, with each text on its own line; empty without texts. */
export function contextTexts(label: string, texts: readonly string[]): string[] {
  return texts.length === 0 ? [] : [`${label} hook additional context: ${texts.join('\n')}`];
}

/** One text for each hook that objected to the result. */
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
