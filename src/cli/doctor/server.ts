import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { plain } from '../../plain.js';
import { defaultSocket, serverState } from '../../store/place.js';
import { configHome, homeFolder } from '../../values/user-folders.js';
import { addressFindings, type InstalledServer } from './addresses.js';
import {
  type ConnectedSettings,
  connectCommand,
  HOOK_OPTIONS,
  isAddress,
  placeOfCommand,
  readIfThere,
  wordsOf,
} from './connections.js';
import type { DoctorFinding } from './finding.js';
import type { StatelessFire } from './health.js';
import { serveAgain } from './serve-again.js';
import { missedFindings, placesFindings, servedFindings, servedLastFindings } from './served.js';

/** What records show of fires that were answered without a server. */
interface ServerlessFires {
  /** The last one. */
  readonly alone?: StatelessFire | undefined;
  /** How many there were since a server answered last. */
  readonly missed?: number;
}

/** Problems with the server, and with agents that ask it. */
export async function serverFindings(
  connections: readonly ConnectedSettings[],
  { alone, missed = 0 }: ServerlessFires,
): Promise<DoctorFinding[]> {
  const socket = defaultSocket();
  const state = await serverState(socket);
  const findings: DoctorFinding[] = [];
  const problem = (text: string, fix: string): void =>
    void findings.push({ level: 'problem', about: 'server', text, fix });

  const unit = installed();
  const addresses = connections.flatMap(({ handlers }) => handlers.filter(isAddress));
  const serve = serveAgain(addresses);
  const again = unit?.start ?? serve;
  const start = `Start it: ${again}.`;
  if (state === 'dead') problem(`A server left its socket behind, ${plain(socket)}, and nobody answers there.`, start);
  else if (state === 'stranger')
    problem(
      `What answers on the socket ${plain(socket)} does not prove that it is your server.`,
      `Find out which program that is, and start your server: ${again}.`,
    );
  else if (state === 'none' && unit !== undefined)
    problem(`A server is installed (${plain(unit.file)}) but does not run.`, start);
  else if (state === 'none') findings.push(...missedFindings(missed, serve));
  findings.push(...(await addressFindings(connections, { isRunning: state === 'runs', unit })));
  findings.push(...(await noHooksFindings(connections)));
  findings.push(...placesFindings());
  findings.push(...(state === 'runs' ? await servedFindings(alone) : servedLastFindings()));
  return findings;
}

/** Connected agents whose commands name no hooks, if there are no others for them to find. */
async function noHooksFindings(connections: readonly ConnectedSettings[]): Promise<DoctorFinding[]> {
  const isBare = (handler: string): boolean =>
    !isAddress(handler) && !wordsOf(handler).some((word) => HOOK_OPTIONS.includes(word));
  // Only where its settings still have them.
  const bare = connections.filter(({ handlers, file }) => {
    const text = readIfThere(file);
    return text && handlers.some((one) => isBare(one) && text.includes(JSON.stringify(one).slice(1, -1)));
  });
  const { findsNoHooks } = await import('../connect/no-hooks.js');
  if (bare.length === 0 || !(await findsNoHooks())) return [];
  return bare.map((connection) => ({
    level: 'problem',
    about: 'server',
    text: `${plain(connection.agent)} is connected (${plain(connection.file)}) without hooks, and no server is running: what can be denied is denied.`,
    fix: `Start hookscope serve --hooks FILE, or connect it${placeOfCommand(connection)} with hooks: ${connectCommand(connection)} --write --hooks FILE.`,
  }));
}

/** The service file, if a server is installed for this user, and the command that starts it. */
function installed(): InstalledServer | undefined {
  const agent = 'dev.hookscope.serve';
  return [
    { file: join(configHome(), 'systemd/user/hookscope.service'), start: 'systemctl --user start hookscope' },
    {
      file: join(homeFolder(), `Library/LaunchAgents/${agent}.plist`),
      start: `launchctl kickstart gui/$(id -u)/${agent}`,
    },
  ].find(({ file }) => existsSync(file));
}
