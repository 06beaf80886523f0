/** The files of a new plugin's package, by path. */
export function pluginFiles(name: string): Readonly<Record<string, string>> {
  return {
    'package.json': `${JSON.stringify(manifest(name), undefined, 2)}\n`,
    'tsconfig.json': `${JSON.stringify(TSCONFIG, undefined, 2)}\n`,
    'src/index.ts': source(name),
    'src/index.test.ts': TESTS,
    'README.md': readme(name),
    '.gitignore': 'node_modules\ndist\n',
  };
}

function manifest(name: string) {
  return {
    name,
    version: '0.1.0',
    description: 'Keeps agents from running commands that they should not run.',
    keywords: ['hookscope-plugin', 'hooks', 'ai-agents'],
    license: 'MIT',
    type: 'module',
    engines: { node: '>=20.19' },
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' }, './package.json': './package.json' },
    files: ['dist', '!dist/*.test.*'],
    // npm publishes a package with a scope in its name as private by default.
    ...(name.startsWith('@') ? { publishConfig: { access: 'public' } } : {}),
    scripts: {
      build: 'tsc',
      pretest: 'npm run build',
      test: 'node --test dist/index.test.js',
      prepack: 'npm run build',
    },
    dependencies: { zod: '^4.0.0' },
    // One copy of hookscope: the user's.
    peerDependencies: { hookscope: '>=0.1.0 <1' },
    devDependencies: { '@types/node': '^20', hookscope: '>=0.1.0 <1', typescript: '>=5.9' },
  };
}

const TSCONFIG = {
  compilerOptions: {
    target: 'es2023',
    module: 'nodenext',
    rootDir: 'src',
    outDir: 'dist',
    declaration: true,
    strict: true,
    types: ['node'],
  },
  include: ['src'],
};

const source = (name: string): string => `import { definePlugin, deny } from 'hookscope';
import { z } from 'zod';

/** Denies shell commands that contain one of the words. */
export default definePlugin({
  name: '${name}',
  options: z.strictObject({ words: z.array(z.string().min(1)).default(['--force']) }),
  apply(scope, { words }) {
    scope.register({
      PreToolUse: [
        {
          name: 'words',
          matcher: 'Bash',
          onFailure: 'block',
          hooks: [
            ({ tool_input }) => {
              // The model fills this: it may be anything.
              const command = (tool_input as { command?: unknown } | null)?.command;
              const word = typeof command === 'string' ? words.find((one) => command.includes(one)) : undefined;
              return word === undefined ? undefined : deny(\`Only a person may use \${word}.\`);
            },
          ],
        },
      ],
    });
  },
});
`;

const INDEX = './index.js';

const TESTS = `import { test } from 'node:test';
import { contract, expectFired, fireHook, payload } from 'hookscope/testing';
import plugin from '${INDEX}';

const force = payload.preToolUse.bash('git push --force');
const list = payload.preToolUse.bash('ls');

test('a command with one of the words is denied', async () => {
  expectFired(await fireHook(plugin, 'PreToolUse', force)).toDeny(/Only a person/);
  expectFired(await fireHook([plugin, { words: ['ls'] }], 'PreToolUse', list)).toDeny(/use ls/);
});

test('it leaves other commands alone', async () => {
  expectFired(await fireHook(plugin, 'PreToolUse', list)).toStaySilent();
  expectFired(await fireHook(plugin, 'PreToolUse', payload.preToolUse.read())).toBeSkipped('matcher');
});

for (const { name, run } of contract(plugin, { denies: [['PreToolUse', force]], passes: [['PreToolUse', list]] })) test(name, run);
`;

const readme = (name: string): string => `# ${name}

A plugin for [hookscope](https://www.npmjs.com/package/hookscope): keeps agents from running commands that they should not run.

\`\`\`ts
import { defineConfig } from 'hookscope';

export default defineConfig({ plugins: [['${name}', { words: ['--force'] }]] });
\`\`\`

| option | what |
| --- | --- |
| \`words\` | a command that contains one of them is denied; default \`--force\` |
`;
