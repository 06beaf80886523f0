import { isNameList } from '../matching/claude-matcher.js';
import { type CheckContext, commandSpan, type FileCheck } from './checking.js';
import type { HandlerNode, SourceFile } from './files/source-file.js';
import { entryOf, plainData, textAt } from './files/tree.js';

/** Reports equal hooks on the same event with overlapping matchers, within a file and across the settings files of a project. */
export const checkDuplicates: FileCheck = function* (file, { files, name }: CheckContext) {
  if (file.dialect === 'code') return;
  for (const handler of file.handlers) {
    const first = earlier(handler, file, files);
    if (first === undefined) continue;
    const { line } = first.file.lineOf(commandSpan(first.handler).start);
    const place = first.file === file ? `line ${line}` : `${name(first.file.path)}:${line}`;
    const message = `The same hook stands in ${place} for ${handler.event}; for a call that both match it runs once.`;
    yield { rule: 'duplicate', at: commandSpan(handler), where: handler.path, message };
  }
};

interface HandlerInFile {
  readonly handler: HandlerNode;
  readonly file: SourceFile;
}

function earlier(handler: HandlerNode, file: SourceFile, files: readonly SourceFile[]): HandlerInFile | undefined {
  const key = keyOf(handler);
  if (key === undefined) return undefined;
  for (const other of files) {
    if (other !== file && !(isSettings(other) && isSettings(file) && other.project === file.project)) continue;
    for (const one of other.handlers) {
      // Compares with earlier hooks only, so that the second of two is reported.
      if (one === handler) return undefined;
      if (one.event === handler.event && keyOf(one) === key && overlap(one.matcher, handler.matcher))
        return { handler: one, file: other };
    }
    if (other === file) return undefined;
  }
  return undefined;
}

const isSettings = ({ kind }: SourceFile): boolean => kind === 'project' || kind === 'local';

/** The key by which Claude Code finds duplicates; for http hooks it is the URL alone. */
function keyOf({ node, type }: HandlerNode): string | undefined {
  if (type === 'http') return textAt(node, 'url');
  if (type !== 'command') return undefined;
  const parts = ['command', 'args', 'shell', 'if'].map((key) => {
    const value = entryOf(node, key)?.value;
    return value === undefined ? null : plainData(value);
  });
  return JSON.stringify(parts);
}

function overlap(one: string | undefined, other: string | undefined): boolean {
  if (isAll(one) || isAll(other) || one === other) return true;
  if (one === undefined || other === undefined || !isNameList(one, false) || !isNameList(other, false)) return false;
  const names = new Set(namesOf(one));
  return namesOf(other).some((name) => names.has(name));
}

const isAll = (matcher: string | undefined): boolean => matcher === undefined || matcher === '' || matcher === '*';
const namesOf = (matcher: string): string[] => matcher.split(/[|,]/).map((name) => name.trim());
