import { join } from 'node:path';
import { judgeConfigs } from '../../src/plugins/config-trust.js';
import { acceptTrust } from '../../src/trust/accept.js';
import { createTrustStore } from '../../src/trust/store.js';

/** Accepts the configuration of a folder for a user whose environment names a place for settings, as an embedder's code may. */
export async function acceptAll(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const store = createTrustStore(join(env['XDG_CONFIG_HOME'] as string, 'hookscope/trust.json'));
  for (const { request } of await judgeConfigs(folder, store)) acceptTrust(request, store);
}
