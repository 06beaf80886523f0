// `--allowedTools` and `--disallowedTools`: rules as Claude Code writes them.
import { relative, resolve } from 'node:path';
import { deny } from 'hookscope';
import { minimatch } from 'minimatch';

/** As they stand on a command line, `Bash(git log *),Read`: a comma or a space within parentheses is the rule's. */
export function readRules(/** @type {string | undefined} */ text = '') {
  return (text.match(/[^\s,(]+(\([^)]*\))?/g) ?? []).map((rule) => {
    const [, tool = rule, what] = /^([^(]+)\((.*)\)$/.exec(rule) ?? [];
    return { rule, tool, what: what === '*' ? undefined : what };
  });
}

/** @typedef {ReturnType<typeof readRules>} Rules */

/** Whether a rule is about all calls of a tool; `mcp__server` and `mcp__server__*` are about all tools of that server. */
const isWhole = (/** @type {Rules[number]} */ { tool, what }, /** @type {string} */ name) =>
  what === undefined &&
  (tool === name || (tool.startsWith('mcp__') && name.startsWith(`${tool.replace(/__\*$/, '')}__`)));

/** What is allowed without a question. A shell line that is more than one plain command may do anything: it is asked about. */
export function allowedBy(/** @type {Rules} */ allowed) {
  return (/** @type {any} */ input, /** @type {{ name: string, cwd: string }} */ { name, cwd }) => {
    const covers = (/** @type {string} */ what) => {
      if (name === 'Bash') return !/[;&|<>$`\\\n(){}]/.test(input.command) && wildcard(what).test(input.command.trim());
      const path = typeof input.file_path === 'string' ? relative(cwd, resolve(cwd, input.file_path)) : '..';
      return !path.startsWith('..') && minimatch(path, what.replace(/^\.?\//, ''));
    };
    return allowed.some((rule) => isWhole(rule, name) || (rule.tool === name && covers(rule.what ?? '')));
  };
}

/** `git *` and the older `git:*` are for `git` alone too. */
function wildcard(/** @type {string} */ what) {
  const escaped = what
    .replace(/:\*$/, ' *')
    .split('*')
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*').replace(/ \.\*$/, '( .*)?')}$`, 's');
}

/** Without the tools that are not for anybody: the model is not told of them. */
export function leaveOut(/** @type {string[]} */ names, /** @type {Rules} */ disallowed) {
  return names.filter((name) => !disallowed.some((rule) => isWhole(rule, name)));
}

/** Hooks that deny what the other rules are about; the host reads these as it reads every `if`. */
export function denials(/** @type {Rules} */ disallowed) {
  const own = disallowed.filter(({ what }) => what !== undefined);
  return own.map(({ rule, tool }) => ({
    matcher: tool,
    if: rule,
    name: `disallowed ${rule}`,
    onFailure: /** @type {const} */ ('block'),
    hooks: [() => deny(`${tool} is disallowed here by the rule ${rule}.`)],
  }));
}
