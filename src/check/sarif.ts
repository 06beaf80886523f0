import { pathToFileURL } from 'node:url';
import type { HookFinding, HookReport } from './check.js';
import type { Level } from './rules/rule.js';
import { RULE_IDS, RULES } from './rules/rules.js';

const LEVEL: Readonly<Record<Level, 'error' | 'warning' | 'note'>> = {
  error: 'error',
  warning: 'warning',
  info: 'note',
};

/** The report as a SARIF 2.1.0 log, for code scanning services. */
export function toSarif({ findings }: HookReport, version: string): object {
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'hookscope', semanticVersion: version, rules: RULE_IDS.map(describe) },
        },
        columnKind: 'utf16CodeUnits',
        results: findings.map(toResult),
      },
    ],
  };
}

function describe(id: (typeof RULE_IDS)[number]): object {
  const { about, why, fix, level } = RULES[id];
  return {
    id,
    shortDescription: { text: `${about}.` },
    fullDescription: { text: why },
    help: { text: fix },
    defaultConfiguration: { level: LEVEL[level] },
  };
}

function toResult({ rule, level, file, line, column, endLine, endColumn, where, message, fix }: HookFinding): object {
  const region = { startLine: line, startColumn: column, endLine, endColumn };
  return {
    ruleId: rule,
    ruleIndex: RULE_IDS.indexOf(rule),
    level: LEVEL[level],
    message: { text: `${message} ${fix}` },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: uriOf(file) }, region },
        ...(where === '' ? {} : { logicalLocations: [{ fullyQualifiedName: where }] }),
      },
    ],
  };
}

/** A relative reference with slashes, or the URL of a file outside the working directory. */
function uriOf(file: string): string {
  if (/^([A-Za-z]:)?[/\\]/.test(file)) return pathToFileURL(file).href;
  return file.split(/[/\\]/).map(encodeURIComponent).join('/');
}
