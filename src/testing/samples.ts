import { CATALOGUE, type FireInput, HOOK_EVENTS, type HookEvent } from '../events/catalogue.js';

/** The events about one tool call. */
export type ToolEvent = {
  [E in HookEvent]: FireInput<E> extends { readonly tool_name: string } ? E : never;
}[HookEvent];

const PROJECT = '/home/dev/project';

/** A sample input for each event, without the base fields. Getters, because a test needs only a few. */
export const SAMPLES = Object.defineProperties(
  {},
  Object.fromEntries(HOOK_EVENTS.map((event) => [event, { enumerable: true, get: () => CATALOGUE[event].sample?.() }])),
) as { readonly [E in HookEvent]: FireInput<E> };

/** A call of one tool, and the tool's response. */
export interface ToolSample {
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, unknown>>;
  readonly tool_response: unknown;
}

function bashResponse(stdout: string) {
  return { stdout, stderr: '', interrupted: false, isImage: false, noOutputExpected: false };
}

export function toolSample(
  tool_name: string,
  tool_input: Readonly<Record<string, unknown>>,
  tool_response: unknown = 'done',
): ToolSample {
  return { tool_name, tool_input, tool_response };
}

/** For each builder: the number of its arguments, and a function that makes the call. */
export const toolSamples: Readonly<Record<string, { arity: number; make(...words: string[]): ToolSample }>> = {
  bash: { arity: 1, make: (command = 'ls') => toolSample('Bash', { command }, bashResponse('README.md\n')) },
  read: {
    arity: 1,
    make: (file_path = `${PROJECT}/README.md`) => {
      const content = '# Project\n';
      const file = { filePath: file_path, content, numLines: 1, startLine: 1, totalLines: 1 };
      return toolSample('Read', { file_path }, { type: 'text', file });
    },
  },
  write: {
    arity: 2,
    make: (file_path = `${PROJECT}/notes.md`, content = 'A note.\n') =>
      toolSample(
        'Write',
        { file_path, content },
        { type: 'create', filePath: file_path, content, structuredPatch: [] },
      ),
  },
  edit: {
    arity: 3,
    make: (file_path = `${PROJECT}/src/index.ts`, old_string = 'before', new_string = 'after') => {
      const response = { filePath: file_path, oldString: old_string, newString: new_string, replaceAll: false };
      return toolSample('Edit', { file_path, old_string, new_string }, { ...response, structuredPatch: [] });
    },
  },
  notebookEdit: {
    arity: 2,
    make: (notebook_path = `${PROJECT}/notes.ipynb`, new_source = 'print(1)') =>
      toolSample('NotebookEdit', { notebook_path, new_source }, { new_source, edit_mode: 'replace' }),
  },
  glob: {
    arity: 1,
    make: (pattern = '**/*.ts') =>
      toolSample('Glob', { pattern }, { filenames: ['src/index.ts'], numFiles: 1, truncated: false }),
  },
  grep: {
    arity: 2,
    make: (pattern = 'TODO', path = PROJECT) =>
      toolSample('Grep', { pattern, path }, { mode: 'content', content: 'src/index.ts:1: TODO', numLines: 1 }),
  },
  webFetch: {
    arity: 1,
    make: (url = 'https://example.com/') =>
      toolSample('WebFetch', { url, prompt: 'What does it say?' }, { url, code: 200, result: 'An example.' }),
  },
  webSearch: {
    arity: 1,
    make: (query = 'hookscope') => toolSample('WebSearch', { query }, { query, results: [] }),
  },
  agent: {
    arity: 2,
    make: (subagent_type = 'reviewer', prompt = 'Review the change.') => {
      const content = [{ type: 'text', text: 'Nothing to complain about.' }];
      return toolSample('Agent', { description: 'Review', prompt, subagent_type }, { status: 'completed', content });
    },
  },
};
