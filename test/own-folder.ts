import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

// The temporary folder of a file is its own, and gone with all that is in it when the file has ended.
const before = process.env['TMPDIR'];
process.env['HOOKSCOPE_TEST_TMP'] ??= tmpdir();
const own = mkdtempSync(join(tmpdir(), 'hs-'));
// Users without rights write there too, as into the machine's.
chmodSync(own, 0o1777);
process.env['TMPDIR'] = own;

afterAll(() => {
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  // Whoever still writes there has outlived its file.
  rmSync(own, { recursive: true, force: true, maxRetries: 5 });
});
