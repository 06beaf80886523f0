// Which program the examples drive, and a scratch project for it to work in.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConnectOptions } from 'hookscope/claude-code';

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/**
 * The real Claude Code, where `CLAUDE` names it. Else the agent of examples/agent: it speaks the same protocol and plays a scenario,
 * so it needs neither a key nor a network.
 */
export function program(scenario: string): Pick<ConnectOptions, 'executable' | 'args' | 'env'> {
  const args = ['--permission-mode', 'acceptEdits'];
  const { CLAUDE, PATH = '', HOME = '' } = process.env;
  if (CLAUDE) return { executable: CLAUDE, args };
  // No key gets through: with one the agent would ask the real model.
  const env = { PATH, HOME };
  return { executable: path('../agent/agent.mjs'), args: [...args, '--scenario', path(scenario)], env };
}

/** A folder with these files: path -> text. */
export async function scratch(files: Readonly<Record<string, string>>) {
  const cwd = await mkdtemp(join(tmpdir(), 'project-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await writeFile(join(cwd, name), text);
  }
  return { cwd, remove: () => rm(cwd, { recursive: true, maxRetries: 3 }) };
}
