import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    sharedFolder: string;
  }
}

let folder = '';

/** One folder a run, for what several files need and one of them makes (`once` of `once.ts`). */
export function setup({ provide }: TestProject): void {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-shared-'));
  provide('sharedFolder', folder);
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
