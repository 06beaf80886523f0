import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { command, createHost } from '../../src/index.js';
import { createFolder, type Folder } from '../plugins/folder.js';

/** What projects have; each of two folders has its own of every name. */
const FILES =
  `package.json package-lock.json tsconfig.json eslint.config.js .eslintrc.js .prettierrc.json biome.json vite.config.ts vitest.config.ts jest.config.js playwright.config.ts
webpack.config.js rollup.config.js .mocharc.js .lintstagedrc.js commitlint.config.js .dependency-cruiser.js .gitignore Makefile justfile Taskfile.yml deno.json deno.lock bunfig.toml main.py app.py manage.py conftest.py setup.py noxfile.py
tasks.py pyproject.toml mypy.ini ruff.toml .pylintrc requirements.txt tests/test_a.py tests/conftest.py src/app.py src/main.py src/index.ts src/app.ts src/a.js src/a.c src/A.kt src/A.pm src/A.java src/x.test.ts tests/a.test.ts tests/x.js tests/x.exs tests/a.bats
main.go go.mod .golangci.yml Cargo.toml src/main.rs build.rs Gemfile Rakefile .rubocop.yml spec/a_spec.rb spec/a_spec.sh app.rb composer.json phpcs.xml src/A.php index.php artisan bin/console .pre-commit-config.yaml build.gradle pom.xml
.env .env.local config/.env config/app.yml config/dev.env .envrc README.md CHANGELOG.md docs/plan.md data.json data.txt hooks/config.json hooks/rules.json rules.yml .semgrep.yml .gitleaks.toml bandit.yaml cspell.json .markdownlint.json codegen.yml
build/index.js dist/index.js docs/index.js server/index.ts lint/index.js test/index.js scripts/lint.sh scripts/deploy.sh deploy.sh run.sh guard.sh hooks/guard.sh hooks/guard.py .claude/hooks/guard.sh .claude/hooks/guard.py .claude/settings.json
.codex/hooks/g.sh .gemini/hooks/g.sh .gemini/hooks/x.js .cursor/hooks/g.sh hooks/format.sh hooks/format.py myenv/bin/activate .venv311/bin/activate .venv/bin/activate venv/bin/activate env/bin/activate .venv/bin/python .venv/bin/ruff venv/bin/python
node_modules/.bin/eslint node_modules/.bin/tsc vendor/bin/phpstan vendor/bin/pint vendor/bin/phpcs vendor/bin/php-cs-fixer vendor/bin/phpunit bin/rubocop bin/rails bin/rspec gradlew mvnw logs/out.txt logs/hook.log hooks/requirements.txt query.sql
x.sql x.lua x.js a/b/c/d/e/guard.sh a.awk terraform/main.tf Dockerfile docker-compose.yml cloudbuild.yaml`.split(/\s+/);

function twoFolders(): Folder {
  const folder = createFolder();
  for (const name of FILES)
    for (const side of ['mine', 'theirs']) folder.write(`${side}/${name}`, `# ${side}\n`, 0o755);
  return folder;
}

/** The lines that are refused in the other folder because a path of theirs is bound. */
async function refused(lines: readonly string[]): Promise<string[]> {
  const folder = twoFolders();
  try {
    const found: string[] = [];
    for (const line of lines) {
      await using host = createHost({ session: { cwd: `${folder.path}/mine` }, logger: () => undefined });
      host.register({ PreToolUse: [{ hooks: [command(line)] }] });
      const input = { tool_name: 'Bash', tool_input: { command: 'ls' }, cwd: `${folder.path}/theirs` };
      const { hooks } = await host.explain('PreToolUse', input);
      if (hooks.some(({ reason }) => reason === 'untrusted')) found.push(line);
    }
    return found;
  } finally {
    folder.remove();
  }
}

const linesOf = (name: string): string[] =>
  readFileSync(new URL(`../fixtures/lines/${name}.txt`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');

test('everyday lines that only read the files of a folder run in every folder', async () => {
  expect(await refused(linesOf('reads'))).toEqual([]);
});

test('everyday lines that run a script of the folder are bound to it', async () => {
  const lines = linesOf('runs');
  expect(await refused(lines)).toEqual(lines);
});

test('a document on the input of an interpreter is code in its own language, not lines of shell', async () => {
  const code = "require('./package.json');\n./guard.sh\nopen('hooks/guard.py')";
  const programs = ['node', 'python3', 'ruby', 'php', 'perl', 'deno run -', 'tsx -', 'cat | node'];
  const lines = programs.flatMap((program) => [
    `${program} <<'EOF'\n${code}\nEOF`,
    `{ ${program}; } <<EOF\n${code}\nEOF`,
  ]);
  expect(await refused(lines)).toEqual([]);
  const shells = ['sh', 'bash -e', 'bash -s x', 'cat | zsh', 'tcsh'].map(
    (shell) => `${shell} <<'EOF'\n./guard.sh\nEOF`,
  );
  expect(await refused(shells)).toEqual(shells);
});
