import { existsSync } from 'node:fs';
import type { AgentTable } from '../../agents/table.js';
import { CONNECTABLE, settingsFile, tableOf } from '../../connect/agent-hooks.js';
import { clip, ended, plain } from '../../plain.js';
import { realOr } from '../../trust/consent.js';
import { messageOf } from '../../values/waiting/promises.js';
import { pasted } from '../history/again.js';
import { type ConnectedSettings, isAddress, placeOfCommand, readIfThere, wordsOf } from './connections.js';
import type { DoctorFinding } from './finding.js';
import { connectAgain, isMissing, writtenHooks } from './written.js';

interface FireTimes {
  /** When each agent fired last, in milliseconds since 1970. */
  readonly fired: ReadonlyMap<string, number>;
  /** Fires before this time were not read, in milliseconds since 1970. */
  readonly since: number;
  /** The Codex program, if the user named one. */
  readonly codex?: string | undefined;
}

/** Problems with connected agents. */
export async function agentFindings(
  connections: readonly ConnectedSettings[],
  known: FireTimes,
): Promise<DoctorFinding[]> {
  const findings: DoctorFinding[] = [];
  for (const connection of connections) {
    const table = CONNECTABLE.includes(connection.agent) ? tableOf(connection.agent) : undefined;
    const about = await connectionFindings(connection, table, known);
    findings.push(...about);
    // Fires from before the connection was written prove nothing about it.
    const isSilent = (known.fired.get(connection.agent) ?? 0) < Math.max(connection.at ?? 0, known.since);
    // Only if no other finding explains the silence.
    if (isSilent && about.every(({ level }) => level === 'remark'))
      findings.push(await silent(connection, table, known));
  }
  // Two files of one agent may share other settings, which would be reported twice.
  return findings.filter(({ text }, i) => findings.findIndex((one) => one.text === text) === i);
}

/** An agent that has fired nothing: a problem if it was started since it was connected, otherwise a remark. */
async function silent(
  { agent, file, at = 0 }: ConnectedSettings,
  table: AgentTable | undefined,
  known: FireTimes,
): Promise<DoctorFinding> {
  const since = Math.max(at, known.since);
  const moment = `${new Date(since).toISOString().slice(0, 16)}Z`;
  const when = at > known.since ? `since it was connected (${moment})` : `since ${moment}`;
  const what = `${plain(agent)} is connected (${plain(file)})`;
  const session = await sessionOf(table, file, since);
  if (session === undefined)
    return {
      level: 'remark',
      about: 'agent',
      text: `${what}. No fire of it was recorded ${when}, and nothing shows that it was started.`,
      fix: 'Start it, let it call a tool, and look again.',
    };
  return problem(
    `${what}, and has begun a session ${when} (${plain(session)}), but no fire of it was recorded.`,
    'If it was running when it was connected, start it again. Else its version may not read this file, or its hooks are switched off.',
  );
}

/** A session file that proves the agent was started. Undefined for a project's file: the agent may have been started elsewhere. */
async function sessionOf(table: AgentTable | undefined, file: string, since: number): Promise<string | undefined> {
  if (table === undefined) return undefined;
  if (realOr(settingsFile(table, 'user', process.cwd())) !== realOr(file)) return undefined;
  return (await import('../../connect/sessions.js')).sessionSince(table, since);
}

async function connectionFindings(
  connection: ConnectedSettings,
  table: AgentTable | undefined,
  { codex }: FireTimes,
): Promise<DoctorFinding[]> {
  const { agent, file, handlers } = connection;
  const again = `Connect it again${placeOfCommand(connection)}: ${connectAgain(connection)}.`;
  const text = readIfThere(file);
  if (text === undefined) {
    const what = existsSync(file) ? 'is no file of at most 16 MiB that can be read' : 'is gone';
    return [problem(`${plain(file)}, which connected ${plain(agent)}, ${what}.`, again)];
  }
  const findings: DoctorFinding[] = [];
  if (handlers.some(isAddress) && (await import('../../connect/claude-http.js')).othersMayRead(file))
    findings.push(
      problem(
        `${plain(file)} holds the token that fires events, and other users of this machine may read it.`,
        `Run: chmod 600 ${pasted(file)}. If others may have read it: stop the server, remove tokens.json of its state folder, start it, and connect again.`,
      ),
    );
  const kept = handlers.filter((one) => text.includes(JSON.stringify(one).slice(1, -1)));
  const gone = kept.flatMap(wordsOf).filter(isMissing);
  for (const path of new Set(gone))
    findings.push(problem(`${plain(file)} names ${plain(path)}, which is gone.`, `Put it back, or: ${again}`));
  const written = table === undefined ? [] : await writtenHooks(table, connection);
  // Of an earlier version, whose commands were others.
  const unread = written.length === 0 ? handlers.filter((one) => !kept.includes(one)) : [];
  if (unread.length > 0) findings.push(problem(`${plain(file)} ${takenOut(unread)}.`, again));
  if (table === undefined) return findings;
  const { fileAilments, switchedOff } = await import('../../connect/health.js');
  const ailments = [...(await fileAilments(table, file, written)), ...(await switchedOff(table, file, process.cwd()))];
  for (const { file: where, what, mend } of ailments) {
    const fix = mend ?? again;
    findings.push(problem(`${plain(where)} ${plain(what)}.`, fix));
  }
  const { guardSupport, guardWarning } = await import('../../connect/client-version.js');
  const lax = guardWarning(table, handlers.some(isAddress));
  const support = guardSupport(table);
  if (lax !== undefined && support?.does === 'ignores')
    findings.push({
      level: 'remark',
      about: 'agent',
      text: `${plain(lax)}.`,
      fix: `Install ${table.title} ${support.since} or later.`,
    });
  if (table.name === 'codex') findings.push(...(await codexFindings(connection, codex)));
  return findings;
}

/** What Codex itself reports about the hooks in the file; nothing if Codex is not found. */
async function codexFindings(
  { file, handlers }: ConnectedSettings,
  given: string | undefined,
): Promise<DoctorFinding[]> {
  const { askCodex, findCodex } = await import('../../connect/codex-trust.js');
  const program = given ?? findCodex();
  if (program === undefined) return [];
  const cwd = process.cwd();
  try {
    const { hooks, warnings } = await askCodex({ program, file, handlers, cwd });
    const waiting = hooks.filter(({ trust }) => trust !== 'trusted' && trust !== 'managed');
    const [first] = waiting;
    if (first === undefined) return [];
    const events = waiting.map(({ event }) => event).join(', ');
    const listed = `${waiting.length} of ${hooks.length} hooks in ${plain(file)} do not run in Codex: ${events}`;
    if (waiting.some(({ trust }) => trust === 'unlisted'))
      return [
        problem(
          ended(
            `${listed}. Codex does not know them${warnings[0] === undefined ? '' : `, and says: ${plain(warnings[0])}`}`,
          ),
          'Trust the project in Codex, or check whether its configuration switches hooks off.',
        ),
      ];
    return [
      problem(
        `${listed}. Codex does not trust them, and skips them without saying so.`,
        'Start codex in a terminal and choose "Trust all and continue", or look at them with /hooks.',
      ),
    ];
  } catch (error) {
    return [
      {
        level: 'remark',
        about: 'agent',
        text: `${plain(program)} could not be asked which hooks it trusts: ${plain(messageOf(error))}.`,
        fix: 'Start codex and look at them with /hooks.',
      },
    ];
  }
}

/** The text follows the file's name. */
function takenOut([first = '', ...more]: readonly string[]): string {
  return `no longer names ${clip(first, 160)}${more.length > 0 ? `, nor ${more.length} more: they were` : ': it was'} taken out`;
}

const problem = (text: string, fix: string): DoctorFinding => ({ level: 'problem', about: 'agent', text, fix });
