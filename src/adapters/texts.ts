import type { ToolResult } from '../session/tool/call.js';
import type { Content } from '../session/tool/content.js';

/** The content in words: texts as they are, a blank line between each, every other block as JSON. */
export function contentText(content: Content): string {
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? String(block['text']) : JSON.stringify(block))).join('\n\n');
}

/** The model's text for a call, never empty if it did not run: the hooks' version of its content, the reason of the denial, or its status. */
export function callText({ name, status, content, reason }: ToolResult): string {
  const text = contentText(content);
  if (status === 'ran') return text;
  return text || reason || `The call of ${name} was ${status}.`;
}
