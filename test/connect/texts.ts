import fc from 'fast-check';
import type { AgentTable } from '../../src/agents/table.js';

/** What a user's own hook looks like in a file of this agent. */
function entryOf({ files }: AgentTable): fc.Arbitrary<unknown> {
  const handler = fc.record(
    {
      type: fc.constant('command'),
      command: fc.constantFrom('./guard.sh', 'echo "a\tb"', '/opt/it is/hook --as x', ''),
      [files.timeout.key]: fc.constantFrom(1, 30),
    },
    { requiredKeys: ['type', 'command'] },
  );
  if (files.shape === 'flat') return handler;
  const group = { matcher: fc.constantFrom('Bash', '*', '^a|b$'), hooks: fc.array(handler, { maxLength: 2 }) };
  return fc.record(group, { requiredKeys: ['hooks'] });
}

/**
 * A file as people write them for this agent: in any order, indentation and line ends, with or without hooks, comments and a mark where it
 * reads them. The text `MINE` stands in it once, as a value of the user's.
 */
export function filesOf(table: AgentTable): fc.Arbitrary<string> {
  const { files, connect } = table;
  const others =
    files.root.others === 'void'
      ? fc.constant({ description: 'MINE' })
      : fc
          .dictionary(fc.constantFrom('model', 'env', '$schema', 'a "key"'), fc.jsonValue({ maxDepth: 2 }), {
            maxKeys: 3,
          })
          .map((values) => ({ ...values, mine: 'MINE' }));
  const events = [...new Set(table.events.map(({ name }) => name)), 'OfAnotherVersion'];
  const hooks = fc.dictionary(fc.constantFrom(...events), fc.array(entryOf(table), { maxLength: 2 }), { maxKeys: 3 });
  const reads = (what: 'comments' | 'commas' | 'mark'): boolean =>
    connect.void === 'told' || (connect.reads?.includes(what) ?? true);
  return fc
    .record({
      others,
      hooks: fc.option(hooks),
      first: fc.boolean(),
      indent: fc.constantFrom('  ', '    ', '\t', ''),
      crlf: fc.boolean(),
      mark: reads('mark') ? fc.boolean() : fc.constant(false),
      end: fc.constantFrom('', '\n', '\n\n'),
      comment: reads('comments') ? fc.constantFrom('', '// its, "too"', '/* its, too */') : fc.constant(''),
      // Behind which lines comments stand, and commas too many.
      noted: reads('comments') ? fc.array(fc.boolean(), { maxLength: 20 }) : fc.constant([]),
      commas: reads('commas') ? fc.boolean() : fc.constant(false),
    })
    .map(({ others, hooks, first, indent, crlf, mark, end, comment, noted, commas }) => {
      const version = files.version === undefined ? {} : { version: files.version };
      const held = hooks === null ? {} : { hooks };
      const data = first ? { ...held, ...version, ...others } : { ...version, ...others, ...held };
      const plain = JSON.stringify(data, undefined, indent);
      // No string holds a line end.
      const open = commas ? plain.replace(/([^[{\s])(\n\s*[\]}])/g, '$1,$2') : plain;
      const lines = open.split('\n').map((line, i) => (noted[i] && indent !== '' ? `${line} // ${i}, "x"` : line));
      const json = lines.join('\n') + (end === '' && noted[lines.length - 1] ? '\n' : end);
      const text = comment === '' ? json : json.replace('{', `{ ${comment}\n`).replace(/\}(\s*)$/, `${comment}\n}$1`);
      return (mark ? '\uFEFF' : '') + (crlf ? text.replaceAll('\n', '\r\n') : text);
    });
}
