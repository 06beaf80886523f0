import { connect } from 'node:net';
import { CONNECTABLE, tableOf } from '../../connect/agent-hooks.js';
import { unaskedWords } from '../../connect/client-version.js';
import { clip, plain } from '../../plain.js';
import { type ConnectedSettings, connectCommand, isAddress } from './connections.js';
import type { DoctorFinding } from './finding.js';
import { portIn } from './serve-again.js';
import { lastServed } from './served.js';

/** Problems of agents that ask by HTTP: nobody listens at their port, or something that is not known to be the server. */
export async function addressFindings(
  connections: readonly ConnectedSettings[],
  {
    isRunning,
    serve,
    start,
  }: {
    /** Whether the server answers on its socket. */
    readonly isRunning: boolean;
    /** The command that serves at the agents' port. */
    readonly serve: string;
    /** The command that starts the server. */
    readonly start: string;
  },
): Promise<DoctorFinding[]> {
  const served = lastServed();
  // Port 0 is any port, and without the file of the last start no port is known.
  const isUnknown = isRunning && (served === undefined || served.port === 0);
  const findings: DoctorFinding[] = [];
  for (const connection of connections) {
    const address = connection.handlers.find(isAddress);
    const port = address === undefined ? undefined : portIn(address);
    if (address === undefined || (isRunning && port !== undefined && port === served?.port)) continue;
    const who = `${plain(connection.agent)} asks ${clip(address, 80)} about its calls`;
    if (port !== undefined && (await isTaken(port))) {
      if (isUnknown) continue;
      findings.push(
        problem(
          `${who}, and what listens there is not known to be your server: it is told of each call, with the token that fires events, and what it answers is obeyed.`,
          `End that program, and then start the server: ${isRunning ? serve : start}. Or connect with another port, at which the server then has to be started: ${connectCommand(connection)} --write --http --port PORT. If the program is not yours, remove tokens.json of the state folder before that, and connect again.`,
        ),
      );
      continue;
    }
    const unasked = CONNECTABLE.includes(connection.agent) ? `: ${unaskedWords(tableOf(connection.agent))}` : '';
    const [none, fix] = isRunning
      ? ['the server that runs does not listen there', `Start it again: ${serve}.`]
      : ['no server runs', `Start it: ${start}.`];
    findings.push(problem(`${who}, but ${none}${plain(unasked)}.`, fix));
  }
  // Several settings files of an agent may have the same address.
  return findings.filter(({ text }, i) => findings.findIndex((one) => one.text === text) === i);
}

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
