import { createHost } from 'hookscope';
import type { Candidate, Case } from './harness.js';
import { postToolUse } from './recorded.js';

let read = 0;

/** A fire about a tool that answered with that many bytes of JSON, of which the callback reads one field. */
function answerOf(name: string, bytes: number): Candidate {
  const files: { path: string; lines: string[] }[] = [];
  for (let size = 0; size < bytes; size += 128) files.push({ path: `src/file-${size}.ts`, lines: ['x'.repeat(80)] });
  const input = { ...postToolUse, tool_response: { stdout: 'done', files } };
  const host = createHost();
  const look = ({ tool_response }: { tool_response?: unknown }): void => {
    read += (tool_response as typeof input.tool_response).stdout.length;
  };
  host.register({ PostToolUse: [{ hooks: [look] }] });
  return { name, run: () => host.fire('PostToolUse', input) };
}

export const cases: Case[] = [
  {
    name: 'a tool_response of 1 MB',
    goal: 2.5,
    candidates: () => [answerOf('2 KB', 2_000), answerOf('1 MB', 1_000_000)],
    floor: '2 KB',
    subject: '1 MB',
  },
];

/** Keeps the reading from being optimised away. */
export const total = (): number => read;
