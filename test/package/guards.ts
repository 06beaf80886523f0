import ts from 'typescript';
import { CATALOGUE } from '../../src/events/catalogue.js';

/** A group of hooks in a document or an example that would let a call pass if it failed. */
export interface OpenGuard {
  readonly line: number;
  readonly text: string;
}

const SAYS_NO = /\b(?:deny|ask|block|stop)\(|permissionDecision|decision: 'block'|exit 2\b/;
const FROM_OUTSIDE =
  /\b(?:command|http|prompt|agent|mcpTool)\(|"?type"?: ["'](?:command|http|prompt|agent|mcp_tool)["']/;

/** Events whose hooks can keep something from happening, and where a failure may do so too. */
function canGuard(event: string): 'gate' | 'block' | undefined {
  const entry = Object.hasOwn(CATALOGUE, event) ? CATALOGUE[event as keyof typeof CATALOGUE] : undefined;
  if (entry === undefined || entry.failure !== 'policy') return undefined;
  return entry.fold === 'gate' || entry.fold === 'block' ? entry.fold : undefined;
}

/**
 * Finds the groups that hold a guard and do not say what its failure means: in the group, its handlers, the `register` or `use` call
 * around it, or the host's options. `language` is `json` for data, anything else is read as TypeScript.
 */
export function openGuards(text: string, language: string): OpenGuard[] {
  const code = language === 'json' ? `(${text})` : text;
  const file = ts.createSourceFile('block.ts', code, ts.ScriptTarget.Latest, true);
  if (closedHost(file)) return [];
  const found: OpenGuard[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && ts.isArrayLiteralExpression(node.initializer)) {
      const kind = canGuard(node.name.getText(file).replace(/^['"]|['"]$/g, ''));
      if (kind) {
        for (const group of node.initializer.elements) {
          if (isOpen(group, kind, file)) {
            const { line } = file.getLineAndCharacterOfPosition(group.getStart(file));
            found.push({ line: line + 1, text: group.getText(file).split('\n')[0] as string });
          }
        }
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** `createHost({ onFailure: 'block' })`, or a configuration that says so. */
function closedHost(file: ts.SourceFile): boolean {
  return /\b(?:createHost|defineConfig)\(\{\s*onFailure: '(?:block|ask)'/.test(file.text);
}

function isOpen(group: ts.Expression, kind: 'gate' | 'block', file: ts.SourceFile): boolean {
  if (!ts.isObjectLiteralExpression(group)) return false;
  const text = group.getText(file);
  // A matcher of the wire's own, with ids in place of hooks, is no registration.
  if (!/\bhooks"?:/.test(text) || /"?\bonFailure\b"?\s*[:,}]/.test(around(group, file))) return false;
  if (/phase: '(?:observe|rewrite)'|async"?: true|"?\benforce"?: false/.test(text)) return false;
  const all = withDeclarations(group, file);
  return SAYS_NO.test(all) || (kind === 'gate' && FROM_OUTSIDE.test(all));
}

/** The group, and the other arguments of the call that it is registered by. */
function around(group: ts.Node, file: ts.SourceFile): string {
  let text = group.getText(file);
  for (let node = group.parent; node !== undefined; node = node.parent) {
    if (!ts.isCallExpression(node)) continue;
    const others = node.arguments.filter((argument) => !(argument.pos <= group.pos && group.end <= argument.end));
    text += others.map((argument) => argument.getText(file)).join(' ');
    if (/\b(?:register|registerScoped|spawnHooks|use)$/.test(node.expression.getText(file))) break;
  }
  return text;
}

/** A group's own text, and that of the functions of the file that it names, and of those that these name. */
function withDeclarations(group: ts.Node, file: ts.SourceFile): string {
  const declared = new Map<string, ts.Node>();
  const collect = (node: ts.Node): void => {
    if ((ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node)) && node.name && ts.isIdentifier(node.name))
      declared.set(node.name.text, node);
    ts.forEachChild(node, collect);
  };
  collect(file);
  const seen = new Set<ts.Node>();
  const take = (node: ts.Node): void => {
    if (seen.has(node)) return;
    seen.add(node);
    const names = (child: ts.Node): void => {
      const isKey = ts.isPropertyAssignment(child.parent) && child.parent.name === child;
      const target = ts.isIdentifier(child) && !isKey ? declared.get(child.text) : undefined;
      if (target && !(ts.isVariableDeclaration(target) && isHost(target))) take(target);
      ts.forEachChild(child, names);
    };
    names(node);
  };
  take(group);
  return [...seen].map((node) => node.getText(file)).join('\n');
}

function isHost({ initializer }: ts.VariableDeclaration): boolean {
  return initializer !== undefined && /\bcreateHost\(/.test(initializer.getText());
}
