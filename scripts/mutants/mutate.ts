import { createHash } from 'node:crypto';
import ts from 'typescript';

/** One small change of one source file. */
export interface Mutant {
  /** Relative to the project. */
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** What stands there, and what would instead. */
  readonly from: string;
  readonly to: string;
  /** Names it as long as the file stays the same. */
  readonly id: string;
}

type Change = readonly [node: ts.Node, to: string];

const OPERATORS: Readonly<Record<string, readonly string[]>> = {
  '===': ['!=='],
  '!==': ['==='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '&&': ['||'],
  '||': ['&&'],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '+=': ['-=', '='],
  '-=': ['+=', '='],
  '??=': ['='],
  '||=': ['='],
};

/** Methods that are exchanged for another, or (null) not called at all. */
const METHODS: Readonly<Record<string, string | null>> = {
  some: 'every',
  every: 'some',
  find: 'findLast',
  findLast: 'find',
  indexOf: 'lastIndexOf',
  lastIndexOf: 'indexOf',
  push: 'unshift',
  unshift: 'push',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  min: 'max',
  max: 'min',
  filter: null,
  slice: null,
  sort: null,
  toSorted: null,
  reverse: null,
  toReversed: null,
  trim: null,
  trimEnd: null,
  trimStart: null,
  toLowerCase: null,
};

/** Every change of a file that we know of, in the order of the file. */
export function mutantsOf(file: string, text: string): Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  const found: Mutant[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    for (const [at, to] of changesOf(node)) {
      const [start, end] = [at.getStart(source), at.end];
      const from = text.slice(start, end);
      const id = createHash('sha1').update([file, text, start, end, to].join('\0')).digest('hex').slice(0, 12);
      found.push({ file, line: source.getLineAndCharacterOfPosition(start).line + 1, start, end, from, to, id });
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  return found;
}

/** The file's text with the change. */
export function mutated(text: string, { start, end, to }: Mutant): string {
  return text.slice(0, start) + to + text.slice(end);
}

function changesOf(node: ts.Node): Change[] {
  if (ts.isBinaryExpression(node)) return binary(node);
  if (ts.isIfStatement(node)) return [...negated(node.expression), ...(leaves(node) ? [removed(node)] : [])];
  if (ts.isConditionalExpression(node)) return negated(node.condition);
  if (ts.isWhileStatement(node)) return negated(node.expression);
  if (ts.isPrefixUnaryExpression(node)) return prefix(node);
  if (ts.isCallExpression(node)) return call(node);
  if (ts.isPropertyAccessExpression(node) && node.questionDotToken) return [[node.questionDotToken, '!.']];
  if (ts.isAwaitExpression(node)) return [[node, node.expression.getText()]];
  if (ts.isExpressionStatement(node) && !ts.isStringLiteral(node.expression)) return [removed(node)];
  if (ts.isThrowStatement(node) || ts.isContinueStatement(node) || ts.isBreakStatement(node)) return [removed(node)];
  return literal(node);
}

function binary(node: ts.BinaryExpression): Change[] {
  const { operatorToken: operator, left, right } = node;
  if (operator.kind === ts.SyntaxKind.QuestionQuestionToken) {
    return [
      [node, `(${left.getText()})`],
      [node, `(${right.getText()})`],
    ];
  }
  return (OPERATORS[operator.getText()] ?? []).map((to) => [operator, to] as const);
}

function prefix(node: ts.PrefixUnaryExpression): Change[] {
  const { operator, operand } = node;
  if (operator === ts.SyntaxKind.ExclamationToken) return [[node, operand.getText()]];
  if (operator === ts.SyntaxKind.MinusToken) return [[node, operand.getText()]];
  if (operator === ts.SyntaxKind.PlusPlusToken) return [[node, `--${operand.getText()}`]];
  return [];
}

function call(node: ts.CallExpression): Change[] {
  const callee = node.expression;
  if (!ts.isPropertyAccessExpression(callee)) return [];
  const name = callee.name.text;
  const other = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
  if (other === undefined) return [];
  return other === null ? [[node, callee.expression.getText()]] : [[callee.name, other]];
}

function literal(node: ts.Node): Change[] {
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [[node, 'false']];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [[node, 'true']];
  if (ts.isNumericLiteral(node)) return [[node, `${Number(node.text.replaceAll('_', '')) + 1}`]];
  const isName = ts.isPropertyAssignment(node.parent) && node.parent.name === node;
  if ((ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) && !isName) {
    return [[node, node.text === '' ? "'mutant'" : "''"]];
  }
  if (ts.isTemplateExpression(node)) return [[node, '``']];
  return [];
}

const negated = (condition: ts.Expression): Change[] => [[condition, `!(${condition.getText()})`]];
const removed = (node: ts.Node): Change => [node, ';'];

/** An `if` without an `else` that ends in a return, throw, continue or break: to be left out as a whole. */
function leaves({ thenStatement, elseStatement }: ts.IfStatement): boolean {
  if (elseStatement) return false;
  const last = ts.isBlock(thenStatement) ? thenStatement.statements.at(-1) : thenStatement;
  return (
    last !== undefined && (ts.isReturnStatement(last) || ts.isThrowStatement(last) || ts.isContinueStatement(last))
  );
}
