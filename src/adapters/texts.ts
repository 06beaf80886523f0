import type { ToolResult } from '../session/tool/call.js';
import type { Content } from '../session/tool/content.js';
import { checkOption } from '../values/options.js';
import { checks } from '../values/shape.js';
import { CONTENT } from './given.js';

/** The content as text: text blocks unchanged, other blocks as JSON, with a blank line between blocks. */
export function contentText(content: Content): string {
  if (typeof content === 'string') return content;
  checkOption('contentText(content)', content, CONTENT);
  return content.map((block) => (block.type === 'text' ? String(block['text']) : JSON.stringify(block))).join('\n\n');
}

/** The model's text for a call, never empty if it did not run: the hooks' version of its content, the reason of the denial, or its status. */
export function callText(result: ToolResult): string {
  checkOption('callText(result)', result, checks.object);
  const { name, status, content, reason } = result;
  const text = contentText(content);
  if (status === 'ran') return text;
  return text || reason || `The call of ${name} was ${status}.`;
}
