import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../package/sources.js';

/** Accepts the configuration of a folder, as an embedder's code may. */
export async function acceptAll(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const code = `
    const { judgeConfigs } = await import(${JSON.stringify(join(ROOT, 'src/plugins/config-trust.ts'))});
    const { acceptTrust } = await import(${JSON.stringify(join(ROOT, 'src/trust/accept.ts'))});
    const { createTrustStore } = await import(${JSON.stringify(join(ROOT, 'src/trust/store.ts'))});
    const store = createTrustStore();
    for (const { request } of await judgeConfigs(${JSON.stringify(folder)}, store)) acceptTrust(request, store);
  `;
  await promisify(execFile)(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], {
    cwd: ROOT,
    env,
  });
}
