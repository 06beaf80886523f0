import { createHost } from '../../create-host.js';
import { HookscopeError } from '../../errors.js';
import { servicesOf } from '../../host/internals.js';
import type { Bundle } from '../bundle/bundle.js';
import { whyNotAllowed } from './allowed.js';
import { handlersIn } from './contents.js';
import { Managed } from './managed.js';
import { NO_PLUGINS, pluginsIn, whyNoEntry } from './plugins.js';
import { type PreparedPolicy, readPolicy } from './prepare.js';

/** What a bundle's author can learn before any host sees it: the policy, and what hosts must allow. Rejects with BUNDLE_REFUSED for anything that every host refuses. */
export async function checkPolicy(
  bundle: Bundle,
  folder: string,
): Promise<{ readonly policy: PreparedPolicy; readonly needs: readonly string[] }> {
  const { files, redact } = await readPolicy(bundle);
  const refuse = (reason: string): never => {
    throw new HookscopeError('BUNDLE_REFUSED', { bundle: bundle.name, reason });
  };
  const nothing = { file: 'fleet-allow.json', list: {} };
  const needs = files.flatMap((file) => [
    ...[...handlersIn(file)].flatMap(({ handler, at }) => {
      const why = whyNotAllowed(handler, nothing, folder);
      if (why === undefined) return [];
      const said = `${file.path}: ${at}: ${why}`;
      // A reason names the file that could allow it, where one could.
      return why.includes(nothing.file) ? [said] : refuse(said);
    }),
    ...pluginsIn(file).map(({ entry }) => {
      const why = whyNoEntry(entry);
      if (why !== undefined) refuse(`${file.path}: ${why}`);
      return `${file.path}: it uses the plugin ${entry}, which is to be installed beside fleet-allow.json and allowed there`;
    }),
  ]);
  const policy: PreparedPolicy = { bundle, files, folder, plugins: NO_PLUGINS, redact };
  const host = createHost({ logger: () => undefined });
  try {
    const managed = new Managed();
    managed.join(servicesOf(host));
    managed.replace('check', { policy });
  } finally {
    await host.close();
  }
  return { policy, needs };
}
