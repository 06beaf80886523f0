import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { styleText } from 'node:util';
import { AGENT_NAMES } from '../agents/agents.js';
import { checkHookFiles, type HookFinding, type HookReport } from '../check/check.js';
import { KIND_WORDS } from '../check/files/kinds.js';
import { LEVELS, type Level } from '../check/rules/rule.js';
import { RULE_IDS } from '../check/rules/rules.js';
import { toSarif } from '../check/sarif.js';
import { MODEL_KINDS } from '../events/handler-kinds.js';
import { plain, plainJson } from '../plain.js';
import { isCodeFile, judgeConfigs } from '../plugins/config-trust.js';
import { ownVersion } from '../plugins/manifest.js';
import { createTrustStore } from '../trust/store.js';
import { wrongOption } from '../values/options.js';
import { homeFolder } from '../values/user-folders.js';
import { wordOf } from './option-values.js';
import type { Flags } from './options.js';
import type { Terminal } from './terminal.js';

type CheckFlags = Flags<'hooks' | 'off' | 'level' | 'json' | 'sarif' | 'model' | 'as'>;

/** Exits with 1 if there is an error among the findings. */
export async function checkCommand(args: readonly string[], flags: CheckFlags, terminal: Terminal): Promise<number> {
  const { level: least = 'info' } = flags;
  const off = (flags.off ?? []).map((id) => wordOf(...RULE_IDS)(id, '--off'));
  if (flags.json && flags.sarif) throw wrongOption('--json', 'one of --json and --sarif, not both');
  const { hooks = [] } = flags;
  const paths = args.length > 0 ? args : hooks.length > 0 ? [] : ['.'];
  const as = flags.as === undefined ? undefined : wordOf(...AGENT_NAMES.filter(isOther))(flags.as, '--as');
  const whole = await checkHookFiles({
    paths,
    hooksFiles: hooks,
    home: homeFolder(),
    ...(as === undefined ? {} : { as }),
  });
  const findings = whole.findings.filter(({ rule, level }) => !off.includes(rule) && isAtLeast(level, least));
  const report = { ...whole, findings };
  if (flags.sarif) await terminal.print(plainJson(toSarif(report, await ownVersion()), 2));
  else if (flags.json) await terminal.print(plainJson(report, 2));
  else
    await terminal.print(
      [format(report, terminal.color), ...needs(report, flags), ...(await notRead(paths))].join('\n'),
    );
  return findings.some(({ level }) => level === 'error') ? 1 : 0;
}

/** Lines about configurations that are code: they are not checked, because a check runs nothing. */
async function notRead(paths: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  for (const folder of paths.filter((path) => statSync(path).isDirectory()))
    for (const { file, held } of await judgeConfigs(folder, createTrustStore())) {
      if (!isCodeFile(file) || held?.state === 'gone') continue;
      const name = plain(relative(process.cwd(), file));
      const why =
        held === undefined
          ? ''
          : `, and is not accepted${held.state === 'changed' ? ' as it is now' : ''} (hookscope trust)`;
      lines.push(
        `${name} runs as code, which a check does not${why}: hookscope list --config ${name} says what it registers.`,
      );
    }
  return lines;
}

/** Claude Code is not a value of `--as`: its files are checked without the option. */
const isOther = (name: string): boolean => name !== 'claude-code';

/** What the hooks need that hookscope itself does not provide. */
function needs({ kinds }: HookReport, { model }: CheckFlags): string[] {
  const count = (...names: readonly string[]): number => names.reduce((sum, name) => sum + (kinds?.[name] ?? 0), 0);
  const [asking, calling] = [count(...MODEL_KINDS), count('mcp_tool')];
  return [
    ...(asking > 0 && model === undefined
      ? [
          `Prompt and agent hooks (${asking}) cannot run in hookscope: there is no model to ask; name one with --model anthropic:NAME.`,
        ]
      : []),
    ...(calling > 0
      ? [
          `MCP tool hooks (${calling}) run in hookscope only on servers of .mcp.json or settings that are accepted (hookscope trust).`,
        ]
      : []),
  ];
}

const isAtLeast = (level: Level, least: Level): boolean => LEVELS.indexOf(level) <= LEVELS.indexOf(least);

const STYLE = { error: 'red', warning: 'yellow', info: 'cyan' } as const satisfies Record<Level, string>;

function format({ files, findings, others = [], notSearched = [] }: HookReport, color: boolean): string {
  const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
    color ? styleText(style, text, { validateStream: false }) : text;
  const lines = findings.flatMap((found) => [
    `${paint('bold', placeOf(found))}  ${paint(STYLE[found.level], found.level)}  ${found.rule}`,
    `  ${plain(found.message)}`,
    `  ${paint('dim', 'why:')} ${plain(found.why)}`,
    `  ${paint('dim', 'fix:')} ${plain(found.fix)}`,
    '',
  ]);
  const alone = others.map(
    ({ file, agent }) => `${plain(file)} is ${agent}'s, which is not read here: it is left alone.`,
  );
  const end = notSearched.length === 0 ? [] : [`Not searched, name them to check them: ${some(notSearched)}.`];
  return [...lines, ...alone, summary(files, findings, others.length > 0), ...end].join('\n');
}

/** The most names on one line. */
const MOST = 8;

function some(files: readonly string[]): string {
  const more = files.length > MOST ? ` and ${files.length - MOST} more` : '';
  return `${files.slice(0, MOST).map(plain).join(', ')}${more}`;
}

function placeOf({ file, line, column, where, hookFile }: HookFinding): string {
  const place = `${plain(file)}:${line}:${column}`;
  const hook = [...(hookFile === undefined ? [] : [plain(hookFile)]), ...(where === '' ? [] : [plain(where)])].join(
    ' ',
  );
  return hook === '' ? place : `${place} (${hook})`;
}

function summary(files: HookReport['files'], findings: readonly HookFinding[], others: boolean): string {
  const [only] = files;
  if (!only) return others ? 'No other files with hooks were found.' : 'No files with hooks were found.';
  const where = files.length === 1 ? `${plain(only.file)} (${KIND_WORDS[only.kind]})` : `${files.length} files`;
  const hooks = files.reduce((sum, file) => sum + file.hooks, 0);
  const count = (level: Level, word: string): string => {
    const number = findings.filter((found) => found.level === level).length;
    return number === 0 ? '' : `${number} ${word}${number === 1 ? '' : 's'}`;
  };
  const counts = [count('error', 'error'), count('warning', 'warning'), count('info', 'remark')].filter(
    (c) => c !== '',
  );
  return `${counts.length === 0 ? 'No mistakes' : counts.join(', ')} in ${where} with ${hooks} hook${hooks === 1 ? '' : 's'}.`;
}
