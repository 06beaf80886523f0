import type { Terminal } from '../terminal.js';

/** The result of one example or probe. */
export interface TestOutcome {
  readonly place: string;
  readonly title: string;
  /** The differences, in lines; absent: none. */
  readonly problem?: string | undefined;
}

const indented = (text: string, by: string): string => text.replaceAll(/^(?=.)/gm, by);

/** TAP version 14: https://testanything.org/tap-version-14-specification.html */
export function tap(outcomes: readonly TestOutcome[]): string {
  // A `#` begins a directive.
  const clean = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll('\\', '\\\\').replaceAll('#', '\\#');
  const lines = outcomes.flatMap(({ place, title, problem }, i) => [
    `${problem === undefined ? 'ok' : 'not ok'} ${i + 1} - ${clean(`${place} ${title}`)}`,
    ...(problem === undefined ? [] : ['  ---', '  message: |', indented(problem, '    '), '  ...']),
  ]);
  return ['TAP version 14', `1..${outcomes.length}`, ...lines].join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** What XML 1.0 does not allow: all other control characters, and lone surrogates. */
const NOT_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;
const xml = (text: string): string =>
  text.replaceAll(NOT_XML, '\uFFFD').replaceAll(/[&<>"]/g, (char) => ENTITIES[char] as string);

/** JUnit XML, the form that CI systems read. */
export function junit(outcomes: readonly TestOutcome[]): string {
  const failures = outcomes.filter(({ problem }) => problem !== undefined).length;
  const cases = outcomes.map(({ place, title, problem }) => {
    const head = `    <testcase classname="${xml(place.replace(/:\d+$/, ''))}" name="${xml(`${place} ${title}`)}"`;
    if (problem === undefined) return `${head}/>`;
    const [first = ''] = problem.split('\n');
    return `${head}>\n      <failure message="${xml(first)}">${xml(problem)}</failure>\n    </testcase>`;
  });
  const counts = `tests="${outcomes.length}" failures="${failures}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="hookscope test" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

/** For people: the differences, and how many examples differ. */
export async function tellOutcomes(outcomes: readonly TestOutcome[], terminal: Terminal): Promise<void> {
  for (const { place, title, problem } of outcomes) {
    if (problem === undefined) await terminal.print(`ok    ${place}  ${title}`);
    else await terminal.print(`FAIL  ${place}  ${title}\n${indented(problem, '      ')}`);
  }
  const failed = outcomes.filter(({ problem }) => problem !== undefined).length;
  const count = (n: number): string => `${n} example${n === 1 ? '' : 's'}`;
  await terminal.print(
    failed === 0
      ? `${count(outcomes.length)}, all as expected`
      : `${failed} of ${count(outcomes.length)} came out otherwise`,
  );
}
