// Writes what is made from the sources: docs/agents.md (its tables), docs/events.md, docs/errors.md, docs/failures.md, docs/lifecycle.md, docs/rules.md, docs/images/folders.svg, examples/README.md, src/server/client/hookscope-agents.sh, src/probe/recorded.ts and schemas/.
// With --check it writes nothing and exits with 1 if a file is not what it would be.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agentsPage } from './agents-page.js';
import { recordedFile } from './agents-runs.js';
import { agentsShell } from './agents-shell.js';
import { errorsPage } from './errors-page.js';
import { eventsPage } from './events-page.js';
import { examplesPage } from './examples-page.js';
import { failuresPage } from './failures-page.js';
import { foldersPicture } from './folders-picture.js';
import { lifecyclePage } from './lifecycle-page.js';
import { rulesPage } from './rules-page.js';
import { schemaFiles } from './schemas.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const wanted = new Map([
  ['docs/agents.md', agentsPage(await readFile(join(root, 'docs/agents.md'), 'utf8'))],
  ['src/server/client/hookscope-agents.sh', agentsShell()],
  ['src/probe/recorded.ts', recordedFile()],
  ['docs/events.md', eventsPage()],
  ['docs/errors.md', errorsPage()],
  ['docs/failures.md', failuresPage()],
  ['docs/rules.md', rulesPage()],
  ['docs/lifecycle.md', lifecyclePage()],
  ['docs/images/folders.svg', foldersPicture()],
  ['examples/README.md', examplesPage()],
  ...[...schemaFiles()].map(
    ([path, schema]) => [`schemas/${path}`, `${JSON.stringify(schema, undefined, 2)}\n`] as const,
  ),
]);

const present = (await readdir(join(root, 'schemas'), { recursive: true }).catch(absent)).filter((p) =>
  p.endsWith('.json'),
);
const stale = present.map((path) => `schemas/${path}`).filter((path) => !wanted.has(path));
const changed: string[] = [];
for (const [path, text] of wanted) {
  const now = await readFile(join(root, path), 'utf8').catch(absent);
  if (now !== text) changed.push(path);
}

if (process.argv.includes('--check')) {
  for (const path of [...changed, ...stale]) console.error(`${path} is out of date: npm run generate`);
  process.exitCode = changed.length + stale.length > 0 ? 1 : 0;
} else {
  for (const path of changed) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), wanted.get(path) as string);
  }
  for (const path of stale) await rm(join(root, path));
  console.log(`${wanted.size} files, ${changed.length} written, ${stale.length} removed`);
}

function absent(error: NodeJS.ErrnoException): never[] {
  if (error.code !== 'ENOENT') throw error;
  return [];
}
