import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { ROOT } from '../package/sources.js';

/** Chromium from npm, unpacked once per machine and version, with the libraries and fonts that it brings. */
function unpacked(): string {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules/@sparticuz/chromium/package.json'), 'utf8')) as {
    version: string;
  };
  const folder = join(process.env['HOOKSCOPE_TEST_TMP'] ?? tmpdir(), `hookscope-browser-${version}-${userInfo().uid}`);
  if (existsSync(join(folder, 'chromium'))) return folder;
  const own = mkdtempSync(`${folder}.`);
  const code = "import c from '@sparticuz/chromium'; c.setGraphicsMode = false; await c.executablePath();";
  execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: own, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' },
  });
  writeFileSync(join(own, 'fonts/fonts.conf'), fontsIn(folder));
  try {
    renameSync(own, folder);
  } catch {
    // Another process was faster.
    rmSync(own, { recursive: true, force: true });
  }
  return folder;
}

/** The package's own names folders that are not here: without any font a browser dies at the first letter. */
const fontsIn = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>
`;

/** Not the package's own arguments: those switch off what is tested here. */
const ARGS = ['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-dev-shm-usage', '--font-render-hinting=none'];

export async function startBrowser(): Promise<Browser> {
  const folder = unpacked();
  const start = (more: NodeJS.ProcessEnv): Promise<Browser> =>
    chromium.launch({
      executablePath: join(folder, 'chromium'),
      args: ARGS,
      env: { ...process.env, FONTCONFIG_PATH: join(folder, 'fonts'), ...more } as Record<string, string>,
    });
  try {
    return await start({});
  } catch {
    // A machine without the libraries of a browser.
    return start({ LD_LIBRARY_PATH: join(folder, 'al2023/lib') });
  }
}
