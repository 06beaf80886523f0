import { HookscopeError } from '../../errors.js';
import { plainLines } from '../../plain.js';
import { whyChanged } from '../../server/bound/binding.js';
import { fateOf, isNamedGone } from '../../server/bound/files.js';
import { callServer, isSocketThere } from '../../server/client/ask.js';
import { placesOf, type ServerPaths } from '../../server/places.js';
import { readServed } from '../../server/served.js';
import { readTokens } from '../../server/tokens.js';
import { isObject, isText } from '../../values/shape.js';
import type { Terminal } from '../terminal.js';

/** Shows which files have changed since the running server was started, and asks whether it is to serve them as they are now. */
export async function acceptChanges(terminal: Terminal): Promise<number> {
  const places = placesOf();
  const { admin } = readTokens(places) ?? {};
  if (admin === undefined)
    throw new HookscopeError('FILE', { file: places.tokens, problem: 'no server was ever started' });
  const call = async (path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>> => {
    const how = body === undefined ? {} : { method: 'POST', body };
    const answer = await callServer(places, { path, token: admin, ...how });
    return isObject(answer.body) ? answer.body : {};
  };
  if (!isSocketThere(places)) throw await notRunning(places);
  const { changes, shown, state } = await call('/admin/changes?show=1').catch(async (error: NodeJS.ErrnoException) => {
    throw error.code === 'ECONNREFUSED' ? await notRunning(places) : error;
  });
  const files = Array.isArray(changes) ? changes.map(String) : [];
  if (files.length === 0) {
    await terminal.print('Nothing has changed since the server was started.');
    return 0;
  }
  const bound = readServed(places)?.bindings.files ?? {};
  for (const [i, file] of files.entries()) {
    const what: unknown = Array.isArray(shown) ? shown[i] : undefined;
    terminal.tell(`${fateOf(file, bound[file])}: ${file}`);
    if (isText(what)) await terminal.print(plainLines(what).replace(/^/gm, '  '));
  }
  // Nothing can be loaded by a name that leads nowhere, so nobody is asked.
  const gone = files.filter((file) => isNamedGone(file, bound[file]));
  for (const file of gone) terminal.tell(whyChanged(file, { bound: bound[file] }));
  if (gone.length > 0) return 1;
  if (terminal.ask === undefined) {
    terminal.tell('only a person at a terminal can accept it');
    return 1;
  }
  if (!/^y(?:es)?$/i.test((await terminal.ask('Look at them. Serve them as they are now? [y/N] ')).trim())) return 1;
  const { ok, error } = await call('/admin/accept', { state, by: 'terminal' });
  if (ok !== true) terminal.tell(`not accepted: ${String(error)}`);
  return ok === true ? 0 : 1;
}

/** The error where no server could accept anything: the start of one asks the same. */
async function notRunning({ socket }: ServerPaths): Promise<HookscopeError> {
  const { serveAgain } = await import('../doctor/serve-again.js');
  const problem = `no server runs that could accept anything; started in a terminal, it asks about what has changed: ${serveAgain()}`;
  return new HookscopeError('FILE', { file: socket, problem });
}
