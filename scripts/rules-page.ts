import { KIND_WORDS } from '../src/check/files/kinds.js';
import { LEVELS, type Level } from '../src/check/rules/rule.js';
import { RULE_IDS, RULES, type RuleId } from '../src/check/rules/rules.js';

const LEVEL_WORDS: Readonly<Record<Level, string>> = {
  error: 'it cannot work as it is written; the command exits 1',
  warning: 'it does not do what it seems to, or not everywhere',
  info: 'worth knowing; it may well be meant',
};

/** docs/rules.md: what `hookscope check` looks for. */
export function rulesPage(): string {
  return [
    '# Rules of hookscope check',
    'This page lists the rules of `hookscope check [PATH…]`, which reads hook files and the scripts they name, and runs nothing. `--off RULE` leaves a rule out; `--level warning` leaves out findings of level `info`. Generated from `src/check/rules/*.ts` by `npm run generate`.',
    `These are read: ${Object.values(KIND_WORDS).join('; ')}. A folder is searched for the names such files usually have; a file's kind is taken from its name and folder. A file for \`--hooks\` is given to \`check --hooks\` too, since its matchers are globs.`,
    ['| Level | |', '| --- | --- |', ...LEVELS.map((level) => `| ${level} | ${LEVEL_WORDS[level]} |`)].join('\n'),
    ['| Rule | Level | Finds |', '| --- | --- | --- |', ...RULE_IDS.map(row)].join('\n'),
    ...RULE_IDS.map(section),
  ]
    .join('\n\n')
    .concat('\n');
}

function row(id: RuleId): string {
  const { level, about } = RULES[id];
  return `| [${id}](#${id}) | ${level} | ${about.replaceAll('|', '\\|')} |`;
}

function section(id: RuleId): string {
  const { level, about, why, fix, bad, good } = RULES[id];
  return [
    `## ${id}`,
    `${about} (${level}).`,
    why,
    fix,
    ['| Instead of | write |', '| --- | --- |', `| ${code(bad)} | ${code(good)} |`].join('\n'),
  ].join('\n\n');
}

/** In a table a bar ends the cell, in code too; words around code stay words. */
function code(text: string): string {
  const marks = text.includes('`') ? '``' : '`';
  return `${marks}${text.replaceAll('|', '\\|')}${marks}`;
}
