import { connect } from 'node:net';
import { CONNECTABLE, tableOf } from '../../connect/agent-hooks.js';
import { unaskedWords } from '../../connect/client-version.js';
import { clip, plain } from '../../plain.js';
import { type ConnectedSettings, connectCommand, isAddress, placeOfCommand, readIfThere } from './connections.js';
import type { DoctorFinding } from './finding.js';
import { portIn, serveAgain } from './serve-again.js';
import { lastServed } from './served.js';

/** The file by which the system starts a server, and the command that lets it. */
export interface InstalledServer {
  readonly file: string;
  readonly start: string;
}

/** Problems of agents that ask by HTTP: nobody listens at their port, or something that is not known to be the server. */
export async function addressFindings(
  connections: readonly ConnectedSettings[],
  {
    isRunning,
    unit,
  }: {
    /** Whether the server answers on its socket. */
    readonly isRunning: boolean;
    readonly unit: InstalledServer | undefined;
  },
): Promise<DoctorFinding[]> {
  const served = lastServed();
  // Port 0 is any port, and without the file of the last start no port is known.
  const isUnknown = isRunning && (served === undefined || served.port === 0);
  const stop = isRunning ? 'stop the server, and then ' : '';
  const findings: DoctorFinding[] = [];
  for (const connection of connections) {
    const address = connection.handlers.find(isAddress);
    const port = address === undefined ? undefined : portIn(address);
    if (address === undefined || (isRunning && port !== undefined && port === served?.port)) continue;
    const start = `${stop}${startAt(address, unit)}`;
    const reconnect = `${connectCommand(connection)} --write --http --port`;
    const who = `${plain(connection.agent)} asks ${clip(address, 80)} about its calls`;
    if (port !== undefined && (await isTaken(port))) {
      if (isUnknown) continue;
      findings.push(
        problem(
          `${who}, and what listens there is not known to be your server: it is told of each call, with the token that fires events, and what it answers is obeyed.`,
          `End that program, and then ${start}. Or connect${placeOfCommand(connection)} with another port, at which the server then has to be started: ${reconnect} PORT. If the program is not yours, remove tokens.json of the state folder before that, and connect again.`,
        ),
      );
      continue;
    }
    const unasked = CONNECTABLE.includes(connection.agent) ? `: ${unaskedWords(tableOf(connection.agent))}` : '';
    const none = isRunning ? 'the server that runs does not listen there' : 'no server runs';
    const fix =
      isRunning && served?.port
        ? `Connect it again${placeOfCommand(connection)} with the port of the server: ${reconnect} ${served.port}. Or ${start}.`
        : `${start.charAt(0).toUpperCase()}${start.slice(1)}.`;
    findings.push(problem(`${who}, but ${none}${plain(unasked)}.`, fix));
  }
  // Several settings files of an agent may have the same address, and one command may help for all.
  return findings.filter(({ text, fix }, i) => findings.findIndex((one) => one.text === text && one.fix === fix) === i);
}

/** How the server is started at the port of an address, as the end of a sentence. */
function startAt(address: string, unit: InstalledServer | undefined): string {
  if (unit === undefined) return `start the server: ${serveAgain([address])}`;
  const port = portIn(address);
  if (port === undefined || namesPort(unit.file, port)) return `start the server: ${unit.start}`;
  return `install the server with that port: move ${plain(unit.file)} away, and run hookscope serve --install with the options that it has and --port ${port}`;
}

/** Whether a service file starts the server at this port: the words of a unit are in quotes, those of launchd in tags. */
const namesPort = (file: string, port: number): boolean =>
  new RegExp(`--port\\W+(?:string\\W+)*${port}\\b`).test(readIfThere(file) ?? '');

const problem = (text: string, fix: string): DoctorFinding => ({ level: 'problem', about: 'server', text, fix });

/** Milliseconds within which a program of this machine takes a connection. */
const PATIENCE = 2_000;

/** Whether a program listens at a port of this machine. Nothing is sent to it. */
function isTaken(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: PATIENCE });
    const end = (taken: boolean) => (): void => {
      socket.destroy();
      resolve(taken);
    };
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false));
  });
}
