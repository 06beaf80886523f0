import { pathToFileURL } from 'node:url';

const TYPESCRIPT = /\.[cm]?ts$/;

/**
 * The default export of a file. TypeScript goes through jiti on every Node, so that a file means the same everywhere; the Node
 * floor cannot read it at all. Nothing is cached on disk: what runs is what the file says. Rejects with what the file throws.
 */
export async function importDefault(file: string): Promise<unknown> {
  const module = TYPESCRIPT.test(file) ? await importTypeScript(file) : await import(pathToFileURL(file).href);
  return (module as { default?: unknown }).default;
}

async function importTypeScript(file: string): Promise<unknown> {
  const { createJiti } = await import('jiti');
  const jiti = createJiti(file, { fsCache: false, moduleCache: false, interopDefault: false });
  return jiti.import(file);
}

/** The first line of what was thrown: syntax errors bring the source with them. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.trim().split('\n', 1)[0] as string).replace(/\.$/, '');
}
