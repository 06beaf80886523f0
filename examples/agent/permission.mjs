// Who may do what: the harness's own rules, and the person at the terminal.
import { createInterface } from 'node:readline';

/** A command that only writes a file of this folder, which is an edit like any other. */
const WRITES = /^echo [\w .,:-]* > [\w-]+(\.\w+)?$/;

/** Rules are the harness's: what they deny stays denied, whatever a hook allowed. @returns {{ behavior: 'allow' | 'deny' | 'none', message?: string }} */
export function rules(
  /** @type {any} */ input,
  /** @type {{ name: string, permission_mode: string }} */ { name, permission_mode },
) {
  if (name !== 'Bash') return { behavior: 'none' };
  if (/\bgit\s+push\b/.test(input.command)) return { behavior: 'deny', message: 'This agent never pushes.' };
  return { behavior: permission_mode === 'acceptEdits' && WRITES.test(input.command) ? 'allow' : 'none' };
}

/** Questions one after the other, also when several agents ask at once; nobody there: the answer is no. */
export function createPerson({ input = process.stdin, output = process.stdout, yes = false } = {}) {
  /** @type {import('node:readline').Interface | undefined} */
  let terminal;
  let over = false;
  let turn = Promise.resolve();

  /** One line, or nothing when there are no more. @returns {Promise<string | undefined>} */
  const readLine = () =>
    new Promise((resolve) => {
      if (over) return resolve(undefined);
      terminal ??= createInterface({ input, terminal: false }).once('close', () => {
        over = true;
      });
      terminal.once('line', resolve).once('close', () => resolve(undefined));
    });

  /** @returns {Promise<{ behavior: 'allow' } | { behavior: 'deny', message: string }>} */
  const ask = async (
    /** @type {any} */ tool,
    /** @type {{ name: string, reason?: string, agent_type?: string }} */ call,
  ) => {
    if (yes) return { behavior: 'allow' };
    const why = call.reason ? ` (${call.reason})` : '';
    output.write(`\n? ${call.agent_type ?? 'main'} wants ${call.name} ${JSON.stringify(tool)}${why}  [y/N] `);
    const answer = await readLine();
    if (answer === undefined) output.write('\n');
    return /^y(es)?$/i.test(answer?.trim() ?? '')
      ? { behavior: 'allow' }
      : { behavior: 'deny', message: 'The person said no.' };
  };

  return {
    ask: (/** @type {any} */ tool, /** @type {any} */ call) => {
      const answer = turn.then(() => ask(tool, call));
      turn = answer.then(() => undefined);
      return answer;
    },
    close: () => terminal?.close(),
  };
}
