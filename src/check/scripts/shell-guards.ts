import type { AndOr, Case, CaseItem, SyntaxNode, TestExpression, Word } from 'unbash';
import { HOOK_EVENTS } from '../../events/catalogue.js';
import { argsOf, type FoundCommand, type Shell } from './shell.js';

/** Whether a condition on the hook's input leads to this command, and not an error. */
export function isOnInput(shell: Shell, command: FoundCommand): boolean {
  const guards = GUARDS.get(shell) ?? new Guards(shell);
  GUARDS.set(shell, guards);
  return guards.isOnInput(command);
}

const GUARDS = new WeakMap<Shell, Guards>();

/** Commands that only print. */
const PRINTS = /^(echo|printf|logger|:|true)$/;
const FILTERS = /^(cat|jq|head|tail|sed|awk|gawk|tr|cut|sort|uniq|wc|tee|xargs|[ef]?grep|rg)$/;
const INTERPRETERS = /^(python3?|node|perl|ruby)$/;
const GREPS = /^([ef]?grep|rg)$/;
/** Commands whose output derives from their arguments. Other programs, such as linters or clients of a server, have a result of their own. */
const REWORKS = /^(basename|dirname|realpath|readlink|base64|rev|tac|expr|yq|\[|test|read|local|export|declare)?$/;
const COMPARES = /^(=|==|!=|=~|<|>|-eq|-ne|-gt|-ge|-lt|-le)$/;
/** Fields that every input has. Searching for one of them only tests whether there is an input. */
const FIELDS = /^["']*(tool_name|tool_input|command|file_path|session_id|hook_event_name|cwd|prompt)["']*$/;
/** Operands of comparisons that only test whether there is a value, its type, or which event it is. */
const NO_VALUE = new RegExp(`^(|null|undefined|object|string|array|number|boolean|${HOOK_EVENTS.join('|')})$`);
/** Comparing a length with these numbers only tests whether there is a value. */
const NONE = /^[0-2]$/;
const LENGTH = /\$\{#|\bwc\b|\blength\b/;
const JQ_COMPARES =
  /\b(test|match|capture|contains|inside|startswith|endswith|index|IN|any|all|select)\s*\(|[=!]=|[<>]/;
/** How many times assignments are evaluated: in a loop, a variable may depend on one that is assigned further down. */
const ROUNDS = 5;
/** Options of jq that take one value (`JQ_ONE`) or two (`JQ_TWO`). */
const JQ_ONE = /^(--indent|-L|-f|--from-file)$/;
/** How many commands of a substitution are examined. */
const MOST = 20;
const JQ_TWO = /^--(arg|argjson|slurpfile|rawfile)$/;

class Guards {
  readonly #shell: Shell;
  readonly #found: ReadonlyMap<SyntaxNode, FoundCommand>;
  /** Variables whose value comes from the hook's input. */
  readonly #told = new Set<string>();
  /** Those of them that hold a length. */
  readonly #lengths = new Set<string>();
  readonly #functions: ReadonlySet<string>;
  /** All commands, sorted by offset. */
  readonly #inOrder: readonly FoundCommand[];

  constructor(shell: Shell) {
    this.#shell = shell;
    this.#found = new Map(shell.commands.map((command) => [command.node, command]));
    this.#inOrder = shell.commands.toSorted((one, two) => one.node.pos - two.node.pos);
    this.#functions = new Set(shell.nodes.flatMap(({ node }) => (node.type === 'Function' ? node.name.value : [])));
    this.#findTold();
  }

  #findTold(): void {
    const inside = new Map<SyntaxNode, FoundCommand[]>();
    for (const command of this.#shell.commands) {
      const assignment = command.around.findLast(({ type }) => type === 'Assignment');
      if (assignment) inside.set(assignment, [...(inside.get(assignment) ?? []), command].slice(-20));
    }
    for (let before = -1, round = 0; before < this.#told.size && round < ROUNDS; round++) {
      before = this.#told.size;
      for (const { node } of this.#shell.nodes) {
        if (node.type === 'Assignment') {
          const isTold = this.#isTold(node) || inside.get(node)?.some((one) => this.#filters(one));
          if (!isTold || node.name === undefined || this.#asksOther(node)) continue;
          this.#told.add(node.name);
          if (LENGTH.test(this.#text(node))) this.#lengths.add(node.name);
        } else if (node.type === 'For' && node.wordlist?.some((word) => this.#isTold(word)))
          this.#told.add(node.name.value);
      }
      for (const command of this.#shell.commands)
        if (command.name === 'read' && this.#hears(command))
          for (const { value } of argsOf(command)) if (/^\w+$/.test(value)) this.#told.add(value);
    }
  }

  #text({ pos, end }: { readonly pos: number; readonly end: number }): string {
    return this.#shell.source.slice(pos, Math.min(end, pos + 2000));
  }

  /** Whether a node reads the hook's input or uses a variable that comes from it. */
  #isTold(node: SyntaxNode): boolean {
    const text = this.#text(node);
    if (/\$\(\s*(cat\s*(-|\/dev\/stdin)?|<\s*\/dev\/stdin)\s*\)/.test(text)) return true;
    const isNamed = [...text.matchAll(/\$\{?[#!]?(\w+)/g)].some(([, name]) => this.#told.has(name as string));
    return isNamed && !this.#asksOther(node);
  }

  /** Whether a node contains a command with a result of its own, such as a linter. */
  #asksOther({ pos, end }: SyntaxNode): boolean {
    let [low, high] = [0, this.#inOrder.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#inOrder[middle] as FoundCommand).node.pos < pos) low = middle + 1;
      else high = middle;
    }
    for (const { name, node } of this.#inOrder.slice(low, low + MOST)) {
      if (node.pos >= end) return false;
      const isOwn = [PRINTS, FILTERS, INTERPRETERS, REWORKS].some((one) => one.test(name)) || this.#functions.has(name);
      if (!isOwn && !name.startsWith('$')) return true;
    }
    return false;
  }

  /** Whether a command's standard input is the hook's input or derives from it. */
  #hears(command: FoundCommand): boolean {
    for (const [i, parent] of [...command.around.entries()].reverse()) {
      const child = command.around[i + 1] ?? command.node;
      if (parent.type === 'Pipeline' && parent.commands[0] !== child) {
        const first = this.#found.get(parent.commands[0] as SyntaxNode);
        return first !== undefined && this.#passesOn(first);
      }
      if (parent.type === 'Redirected' && !this.#isFedBy(parent.redirects)) return false;
    }
    return this.#isFedBy(command.node.redirects) && !this.#readsFiles(command);
  }

  #passesOn(first: FoundCommand): boolean {
    if (/^(echo|printf)$/.test(first.name)) return argsOf(first).some((word) => this.#isTold(word));
    return this.#filters(first);
  }

  /** Whether a command's output derives from the hook's input. */
  #filters(command: FoundCommand): boolean {
    const reads =
      FILTERS.test(command.name) ||
      (INTERPRETERS.test(command.name) && /stdin|readFileSync\(0/i.test(this.#text(command.node)));
    return reads && this.#hears(command);
  }

  #isFedBy(redirects: FoundCommand['node']['redirects']): boolean {
    return redirects.every((one) => {
      if (one.type === 'Redirect' && !one.operator.startsWith('<')) return true;
      return this.#isTold(one) || /\/dev\/stdin/.test(this.#text(one));
    });
  }

  #readsFiles(command: FoundCommand): boolean {
    const files = filesOf(command);
    return files.some((word) => !/^(-|\/dev\/stdin)$/.test(word.value));
  }

  isOnInput(command: FoundCommand): boolean {
    const { around } = command;
    for (let i = around.length - 1; i >= 0; i--) {
      const parent = around[i] as SyntaxNode;
      const child = around[i + 1] ?? command.node;
      if (/^(CommandExpansion|ProcessSubstitution|Function)$/.test(parent.type)) return false;
      if (parent.type === 'CaseItem') return this.#isChosen(parent, around[i - 1] as Case);
      if (parent.type === 'If' || parent.type === 'Elif') {
        if (child === parent.clause || child.type === 'Elif') continue;
        if (child === parent.then) return this.#asks(parent.clause, true);
        return parent.type === 'If' && this.#asks(parent.elif.at(-1)?.clause ?? parent.clause, false);
      }
      const before = parent.type === 'AndOr' ? this.#before(parent, child) : undefined;
      if (before) return this.#asks(before.node, before.isSo);
    }
    return false;
  }

  /** In a list of `&&` and `||`, the command that decides whether the one at this position runs. */
  #before({ commands, operators }: AndOr, { pos }: SyntaxNode): { node: SyntaxNode; isSo: boolean } | undefined {
    let [low, high] = [0, commands.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((commands[middle] as SyntaxNode).pos < pos) low = middle + 1;
      else high = middle;
    }
    for (let at = low - 1; at >= Math.max(0, low - 5); at--) {
      const node = commands[at] as SyntaxNode;
      if (!PRINTS.test(this.#found.get(node)?.name ?? '')) return { node, isSo: operators[at] === '&&' };
    }
    return undefined;
  }

  #isChosen({ pattern, body }: CaseItem, { word }: Case): boolean {
    if (!this.#isTold(word) && !/\bjq\b/.test(this.#text(word))) return false;
    const patterns = pattern.map(({ value }) => value);
    if (patterns.every((one) => NO_VALUE.test(one))) return false;
    // The default case `*` counts only if it prints something; otherwise it may just ignore other input.
    return patterns.some((one) => one !== '*') || /\b(echo|printf)\b/.test(this.#text(body));
  }

  /** Whether a condition is about the hook's input. `isSo`: the command runs if the condition is true. */
  #asks(node: SyntaxNode, isSo: boolean): boolean {
    switch (node.type) {
      case 'CompoundList': {
        const last = node.commands.at(-1);
        return last !== undefined && this.#asks(last.command, isSo);
      }
      case 'AndOr':
        // With `&&` alone, the last condition decides; otherwise any of them may.
        if (node.operators.every((one) => one === '&&')) return this.#asks(node.commands.at(-1) as SyntaxNode, isSo);
        return node.commands.slice(0, 20).some((one) => this.#asks(one, isSo));
      case 'Pipeline': {
        const isNot = node.prefixes.filter(({ type }) => type === 'Negation').length % 2 === 1;
        return this.#asks(node.commands.at(-1) as SyntaxNode, isSo !== isNot);
      }
      case 'Redirected':
        return this.#asks(node.command, isSo);
      case 'TestCommand':
        return this.#compares(node.expression);
      case 'ArithmeticCommand':
        return (
          /[<>=]/.test(node.body) &&
          !(this.#isLength(node.body) && /(^|[^\w])[0-2]\s*$/.test(node.body)) &&
          [...node.body.matchAll(/[A-Za-z_]\w*/g)].some(([name]) => this.#told.has(name))
        );
      case 'Command':
        return this.#commandAsks(this.#found.get(node), isSo);
      default:
        return false;
    }
  }

  #compares(test: TestExpression): boolean {
    switch (test.type) {
      case 'TestBinary':
        return COMPARES.test(test.operator) && this.#areCompared(test.left, test.right);
      case 'TestLogical':
        return test.operands.some((one) => this.#compares(one));
      case 'TestNot':
        return this.#compares(test.operand);
      case 'TestGroup':
        return this.#compares(test.expression);
      default:
        return false;
    }
  }

  #areCompared(left: Word | undefined, right: Word | undefined): boolean {
    if (left === undefined || right === undefined || [left, right].some(({ value }) => NO_VALUE.test(value)))
      return false;
    if (NONE.test(right.value) && this.#isLength(this.#text(left))) return false;
    return this.#isTold(left) || this.#isTold(right);
  }

  #isLength(text: string): boolean {
    return LENGTH.test(text) || [...text.matchAll(/[A-Za-z_]\w*/g)].some(([name]) => this.#lengths.has(name));
  }

  #commandAsks(command: FoundCommand | undefined, isSo: boolean): boolean {
    if (command === undefined) return false;
    const words = argsOf(command);
    if (command.name === '[' || command.name === 'test')
      return words.some((word, i) => COMPARES.test(word.value) && this.#areCompared(words[i - 1], words[i + 1]));
    if (!this.#hears(command)) return false;
    if (GREPS.test(command.name)) {
      const { value = '' } = operandsOf(command)[0] ?? {};
      return !(FIELDS.test(value) || /^[\^]?\.?[*+]?\$?$/.test(value));
    }
    if (command.name !== 'jq' || !words.some(({ value }) => /^(-[a-z]*e[a-z]*|--exit-status)$/.test(value)))
      return false;
    const { value = '' } = operandsOf(command)[0] ?? {};
    return JQ_COMPARES.test(value) ? !/\btype\s*[=!]=/.test(value) : isSo && !/^\s*(\.|empty)?\s*$/.test(value);
  }
}

/** The arguments that are not options: a pattern or filter, then files. */
function operandsOf(command: FoundCommand): Word[] {
  const words = argsOf(command);
  const operands: Word[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as Word;
    if (command.name === 'jq' && JQ_TWO.test(word.value)) i += 2;
    else if (command.name === 'jq' && JQ_ONE.test(word.value)) i += 1;
    else if (GREPS.test(command.name) && /^-[a-zA-Z]*[mABCf]$/.test(word.value)) i += 1;
    else if (!/^-./.test(word.value)) operands.push(word);
  }
  return operands;
}

function filesOf(command: FoundCommand): Word[] {
  if (GREPS.test(command.name) || command.name === 'jq') return operandsOf(command).slice(1);
  return /^(cat|head|tail)$/.test(command.name) ? operandsOf(command).filter(({ value }) => !/^\d+$/.test(value)) : [];
}
