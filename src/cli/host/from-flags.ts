import { AGENT_NAMES } from '../../agents/agents.js';
import { agentEvents } from '../../agents/own-events.js';
import type { Host } from '../../create-host.js';
import { HookscopeError } from '../../errors.js';
import type { CustomEvents } from '../../events/catalogue.js';
import { checkFile } from '../../files/folder.js';
import type { loadForeign } from '../../foreign/load.js';
import { servicesOf } from '../../host/internals.js';
import { nearest } from '../../values/nearest.js';
import { wrongOption } from '../../values/options.js';
import type { Flags } from '../options.js';

/** The options that name other agents' hook files. */
export type FromFlags = Flags<'from' | 'trust'>;

/** An agent and its hook file; without a file, the agent's usual places are searched. */
interface AgentSource {
  readonly agent: string;
  readonly file?: string;
}

const KNOWN = AGENT_NAMES.filter((name) => name !== 'claude-code');

/** The values of `--from`. Throws INVALID_OPTIONS, FILE. */
export function fromOf({ from = [] }: FromFlags): AgentSource[] {
  const all: AgentSource[] = [];
  for (const word of from) {
    const last = all.at(-1);
    if (KNOWN.includes(word)) all.push({ agent: word });
    else if (last === undefined) {
      const expected = `expected an agent, one of ${KNOWN.join(', ')}, and perhaps its file, got "${word}"`;
      throw wrongOption('--from', expected, nearest(word, KNOWN));
    } else {
      checkFile(word);
      if (last.file === undefined) all[all.length - 1] = { ...last, file: word };
      else all.push({ agent: last.agent, file: word });
    }
  }
  return all;
}

/** The events that these agents have of their own. */
export const eventsFrom = (flags: FromFlags): CustomEvents =>
  Object.assign({}, ...fromOf(flags).map(({ agent }) => agentEvents(agent)));

interface LoadHow {
  readonly projectDir: string;
  readonly checksOf?: Parameters<typeof loadForeign>[1];
  /** A file whose hooks are lost is an error unless it waits for consent. */
  readonly strict?: boolean | undefined;
  tell(text: string): void;
}

/** Registers the agents' hooks, and reports problems and files that are not accepted. */
export async function loadFromFlags<C extends CustomEvents>(
  host: Host<C>,
  flags: FromFlags,
  { tell, projectDir, checksOf, strict = false }: LoadHow,
): Promise<void> {
  const all = fromOf(flags);
  if (all.length === 0) return;
  const { loadForeign: load } = await import('../../foreign/load.js');
  const { formatForeign } = await import('../../foreign/format.js');
  for (const { agent, file } of all) {
    const trust = flags.trust === 'all' ? 'all' : 'stored';
    const loaded = await load({ host, agent, projectDir, trust, ...(file === undefined ? {} : { file }) }, checksOf);
    const lost = strict
      ? loaded.files.find(({ status, place }) => status === 'dropped' && (place !== 'project' || trust === 'all'))
      : undefined;
    if (lost) {
      const found = loaded.problems.find(({ file: of, level }) => of === lost.file && level === 'error');
      const { line, column, where = '', message = 'its hooks cannot be read' } = found ?? {};
      throw new HookscopeError('FILE', {
        file: line === undefined ? lost.file : `${lost.file}:${line}:${column}`,
        problem: where === '' ? message : `${where}: ${message}`,
      });
    }
    for (const problem of loaded.problems) tell(`${problem.level}: ${formatForeign(problem)}`);
    for (const held of loaded.held) {
      tell(`${held.state === 'never' ? 'held' : 'untrusted'}: ${held.why}`);
      // So that the next fire does not report it again.
      servicesOf(host).notices.skip(held.file);
    }
    for (const other of loaded.leftAlone) tell(`${agent} reads ${other} too: --claude-code runs its hooks here`);
    if (file === undefined && loaded.files.length === 0)
      tell(`no hook files are in the usual places of ${agent} (hookscope agents ${agent})`);
  }
}
