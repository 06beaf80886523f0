import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeError } from '../../files/json-file.js';
import { plainLines } from '../../plain.js';
import { bindServed } from '../../server/bound/bind-set.js';
import { serveArguments, serviceFile } from '../../server/client/service.js';
import type { ServerSettings } from '../../server/worker.js';
import { makeFolder } from '../../values/make-folder.js';
import { wrongOption } from '../../values/options.js';
import { checkNamed, claudeFiles, hasClaudeFlags } from '../host/claude-flags.js';
import { fromOf } from '../host/from-flags.js';
import { namedErrors } from '../host/named-problems.js';
import type { HostFlags } from '../host/open-host.js';
import type { Terminal } from '../terminal.js';

/** Writes the file that starts the server with these options when its user logs in, and shows it. Nothing is started. */
export async function installService(serving: ServerSettings, terminal: Terminal): Promise<number> {
  // A server that cannot start would be started at every login.
  await checkNames(serving.set);
  const argv = [process.execPath, process.argv[1] as string, ...serveArguments(serving)];
  const file = serviceFile({ platform: process.platform, env: process.env, argv, cwd: serving.cwd });
  if (file === undefined) throw wrongOption('--install', 'there is neither systemd nor launchd here');
  const { path, text, start } = file;
  await terminal.print(`${path}:\n\n${plainLines(text)}`);
  if (existsSync(path) && readFileSync(path, 'utf8') !== text) {
    terminal.tell(
      `${path} is there and says something else; it is left as it is. Move it away to have this one written`,
    );
    return 1;
  }
  try {
    makeFolder(dirname(path));
    writeFileSync(path, text, { mode: 0o600 });
  } catch (error) {
    throw writeError(path, error);
  }
  await terminal.print(`Written, and nothing is started. To start it now and at every login:\n\n  ${start}`);
  return 0;
}

/** Rejects if a named file is missing or wrong, so that no server can start with it. */
export async function checkNames(set: HostFlags): Promise<void> {
  // First, because the others would wait for a pipe.
  await bindServed(set, process.cwd());
  const [error] = await namedErrors(set);
  if (error !== undefined) throw error;
  if (hasClaudeFlags(set)) checkNamed(claudeFiles(set));
  fromOf(set);
}
