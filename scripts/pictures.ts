// Takes the picture of docs/page.md: npm run generate:pictures. It depends on a browser's pixels, so that nothing checks it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../test/package/sources.js';
import { startBrowser } from '../test/page/browser.js';

const folder = mkdtempSync(join(tmpdir(), 'hookscope-pictures-'));
const browser = await startBrowser();
try {
  const run = (...args: string[]) => execFileSync(process.execPath, args, { cwd: ROOT });
  const kept = join(folder, 'session.ndjson');
  const page = join(folder, 'session.html');
  run('examples/demo/record.mjs', 'test/fixtures/sessions/two-parallel-subagents.jsonl', kept);
  run('dist/cli/main.js', 'page', kept, '--out', page);
  const view = await browser.newPage({ viewport: { width: 1200, height: 680 } });
  await view.goto(`file://${page}`);
  await view.locator('canvas').press('n');
  await view.getByText('What came of it').waitFor();
  await view.screenshot({ path: join(ROOT, 'docs/images/page.png') });
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
