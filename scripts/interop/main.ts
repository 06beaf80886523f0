// Shows both ends of the control protocol at work against the real programs.
//   npm run interop -- --claude PATH [--sdk PATH] [--only TEXT] [--markdown] [--reference]
//   npm run interop -- [--codex PATH] [--copilot PATH] [--gemini PATH] [--only TEXT] [--write]
// PATH of the CLI's executable, and of the folder of @anthropic-ai/claude-agent-sdk; or CLAUDE_PATH and CLAUDE_SDK_PATH.
// The second line, and --claude, drive the agents' programs as `hookscope doctor --probe` does; --write keeps what was seen for docs/agents.md (npm run generate).
// --reference runs the SDK's scenarios with the CLI too. Everything runs in temporary folders against a scripted model on loopback; nothing is sent anywhere else.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { playAgents } from './agents.js';
import { alarmScenarios } from './alarm-scenarios.js';
import { clientScenarios } from './client-scenarios.js';
import { designScenarios } from './design-scenarios.js';
import type { Scenario } from './scenario.js';
import { loadSdk, sdkScenarios } from './sdk-scenarios.js';
import { startScenarios } from './start-scenarios.js';
import { warmScenarios } from './warm-scenarios.js';

const { values } = parseArgs({
  options: {
    claude: { type: 'string', default: process.env['CLAUDE_PATH'] },
    sdk: { type: 'string', default: process.env['CLAUDE_SDK_PATH'] },
    codex: { type: 'string', default: process.env['CODEX_PATH'] },
    copilot: { type: 'string', default: process.env['COPILOT_PATH'] },
    gemini: { type: 'string', default: process.env['GEMINI_PATH'] },
    write: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    markdown: { type: 'boolean', default: false },
    reference: { type: 'boolean', default: false },
  },
});

interface Row {
  readonly name: string;
  readonly checked: string;
  readonly version: string;
  readonly result: string;
}
const rows: Row[] = [];

async function play<P>(scenarios: readonly Scenario<P>[], programs: P, version: string): Promise<void> {
  for (const { name, checked, run } of scenarios) {
    if (!name.toLowerCase().includes(values.only.toLowerCase())) continue;
    const failure = await run(programs).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)).replaceAll(/\s*\n\s*/g, ' '),
    );
    const result = failure === undefined ? 'ok' : 'FAILED';
    rows.push({ name, checked, version, result });
    console.log(`${result.padEnd(6)} ${name}: ${checked}${failure === undefined ? '' : `\n       ${failure}`}`);
  }
}

const { claude, sdk, codex, copilot, gemini } = values;
const agents = {
  ...(claude && { 'claude-code': claude }),
  ...(codex && { codex }),
  ...(copilot && { copilot }),
  ...(gemini && { gemini }),
};
if (!claude && !sdk && Object.keys(agents).length === 0) {
  console.log(
    'Skipped: nothing to run. Give the executable of Claude Code with --claude PATH or CLAUDE_PATH, ' +
      'the folder of @anthropic-ai/claude-agent-sdk with --sdk PATH or CLAUDE_SDK_PATH, ' +
      'and the executables of other agents with --codex, --copilot and --gemini.',
  );
}
let cli = '';
if (claude) {
  const { stdout } = await promisify(execFile)(claude, ['--version']);
  cli = `Claude Code ${stdout.trim().split(' ')[0]}`;
  console.log(`connectClaude with ${cli}`);
  await play(
    [...clientScenarios, ...startScenarios, ...alarmScenarios, ...designScenarios, ...warmScenarios],
    { claude },
    cli,
  );
}
if (sdk) {
  const { version, ...parts } = await loadSdk(sdk);
  if (claude && values.reference) {
    console.log(`Claude Agent SDK ${version} with ${cli}, for comparison`);
    await play(sdkScenarios, { ...parts, executable: claude }, `Agent SDK ${version}, ${cli}`);
  }
  console.log(`Claude Agent SDK ${version} with examples/agent`);
  const executable = fileURLToPath(new URL('../../examples/agent/agent.mjs', import.meta.url));
  await play(sdkScenarios, { ...parts, executable }, `Agent SDK ${version}, examples/agent`);
}

await playAgents(agents, values.only, values.write, (name, checked, version, problems) => {
  const result = problems.length === 0 ? 'ok' : 'FAILED';
  rows.push({ name, checked, version, result });
  console.log(`${result.padEnd(6)} ${name} ${version}: ${checked}${problems.map((one) => `\n       ${one}`).join('')}`);
});

const failed = rows.filter(({ result }) => result !== 'ok').length;
if (rows.length > 0) console.log(`${rows.length - failed} of ${rows.length} as expected.`);
if (values.markdown) {
  console.log('\n| scenario | what was checked | seen with | result |\n| --- | --- | --- | --- |');
  for (const name of new Set(rows.map((row) => row.name))) {
    const same = rows.filter((row) => row.name === name);
    const seen = same.map(({ version, result }) => (result === 'ok' ? version : `${version} (${result})`)).join('; ');
    console.log(
      `| ${name} | ${same[0]?.checked} | ${seen} | ${same.some(({ result }) => result !== 'ok') ? 'FAILED' : 'ok'} |`,
    );
  }
}
process.exitCode = failed > 0 ? 1 : 0;
