import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { releaseNotes } from '../../scripts/release-notes.js';
import { ROOT } from './sources.js';

const FORGE = join(ROOT, '.github');
const files = (readdirSync(FORGE, { recursive: true }) as string[]).filter((file) => /\.\w+$/.test(file)).sort();
const text = (file: string): string => readFileSync(join(FORGE, file), 'utf8');

function read(file: string): unknown {
  const document = parseDocument(text(file), { uniqueKeys: true, strict: true });
  expect([...document.errors, ...document.warnings]).toEqual([]);
  return document.toJS();
}

const step = z.union([
  z.strictObject({
    uses: z.string().regex(/^actions\/[\w-]+@v\d+$/),
    with: z.record(z.string(), z.unknown()).optional(),
  }),
  z.strictObject({ name: z.string().optional(), run: z.string(), env: z.record(z.string(), z.string()).optional() }),
]);
const job = z.strictObject({
  name: z.string().optional(),
  'runs-on': z.string(),
  'timeout-minutes': z.number(),
  environment: z.string().optional(),
  permissions: z.record(z.string(), z.enum(['read', 'write'])).optional(),
  strategy: z
    .strictObject({ 'fail-fast': z.boolean(), matrix: z.strictObject({ node: z.array(z.number()) }) })
    .optional(),
  steps: z.array(step).min(1),
});
const workflow = z.strictObject({
  name: z.string(),
  on: z.record(z.string(), z.unknown()),
  permissions: z.strictObject({ contents: z.literal('read') }),
  concurrency: z.record(z.string(), z.unknown()).optional(),
  jobs: z.record(z.string(), job),
});
const field = z.strictObject({
  type: z.enum(['markdown', 'textarea', 'input', 'dropdown', 'checkboxes']),
  id: z.string().optional(),
  attributes: z.looseObject({ label: z.string().optional(), options: z.array(z.string()).optional() }),
  validations: z.strictObject({ required: z.boolean() }).optional(),
});
const form = z.strictObject({
  name: z.string(),
  description: z.string(),
  labels: z.array(z.string()),
  body: z.array(field).min(1),
});
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  engines: { node: string };
  version: string;
};

test('what is expected in a repository is there, and nothing else', () => {
  expect(files).toEqual([
    'ISSUE_TEMPLATE/bug.yml',
    'ISSUE_TEMPLATE/change.yml',
    'ISSUE_TEMPLATE/config.yml',
    'dependabot.yml',
    'pull_request_template.md',
    'workflows/ci.yml',
    'workflows/release.yml',
  ]);
});

describe('the workflows', () => {
  const runs = (file: string): string[] =>
    Object.values(workflow.parse(read(file)).jobs).flatMap(({ steps }) =>
      steps.flatMap((s) => ('run' in s ? s.run : [])),
    );

  test('the gate runs on every supported Node', () => {
    const { jobs, on } = workflow.parse(read('workflows/ci.yml'));
    expect(Object.keys(on)).toEqual(['push', 'pull_request']);
    const [gate] = Object.values(jobs);
    expect(gate?.strategy?.matrix.node).toEqual([20, 22, 24]);
    expect(manifest.engines.node).toContain(String(gate?.strategy?.matrix.node[0]));
    expect(gate?.steps.at(-1)).toEqual({ run: '.ci/run' });
    expect(gate?.steps).toContainEqual(
      expect.objectContaining({ with: expect.objectContaining({ 'node-version': `\${{ matrix.node }}` }) }),
    );
  });

  test('a release passes the gate, says where it was built and what has changed', () => {
    const { jobs } = workflow.parse(read('workflows/release.yml'));
    expect(jobs['release']?.permissions).toEqual({ contents: 'write', 'id-token': 'write' });
    const commands = runs('workflows/release.yml');
    const place = (part: string): number => commands.findIndex((command) => command.includes(part));
    expect(place('.ci/run')).toBe(0);
    expect(place('release-notes.ts')).toBeLessThan(place('npm publish --provenance'));
    expect(place('npm publish --provenance')).toBeLessThan(place('--notes-file'));
  });

  test.each(files.filter((file) => file.startsWith('workflows/')))(
    '%s: no text of others stands in a command',
    (file) => {
      for (const command of runs(file)) expect(command).not.toContain('${{');
    },
  );
});

test.each(files.filter((file) => /^ISSUE_TEMPLATE\/(?!config)/.test(file)))('%s is a form', (file) => {
  const { body } = form.parse(read(file));
  const ids = body.flatMap(({ id }) => id ?? []);
  expect(new Set(ids).size).toBe(ids.length);
  expect(body.filter(({ type }) => type !== 'markdown').every(({ id, attributes }) => id && attributes.label)).toBe(
    true,
  );
});

test('dependencies and actions are updated', () => {
  const { updates } = z
    .object({ version: z.literal(2), updates: z.array(z.looseObject({ 'package-ecosystem': z.string() })) })
    .parse(read('dependabot.yml'));
  expect(updates.map((update) => update['package-ecosystem'])).toEqual(['npm', 'github-actions']);
});

test('no address is named that does not exist yet', () => {
  for (const key of ['repository', 'homepage', 'bugs']) expect(manifest).not.toHaveProperty(key);
  for (const file of files) expect(text(file)).not.toMatch(/https?:\/\//);
});

describe('the text of a release', () => {
  const changelog =
    '# Changelog\n\n## 1.2.0 (2026-01-02)\n\n- New.\n\n## [1.1.0] - 2025-01-02\n\n- Old.\n\n## 1.0.0 (unreleased)\n\n- First.\n\n## 0.9.0\n';

  test.each([
    ['v1.2.0', '- New.\n'],
    ['1.1.0', '- Old.\n'],
  ])('of %s is its section', (tag, notes) => {
    expect(releaseNotes(changelog, tag)).toBe(notes);
  });

  test.each([
    ['v1.3.0', 'no section'],
    ['v1.2', 'no section'],
    ['v1.0.0', 'unreleased'],
    ['v0.9.0', 'says nothing'],
  ])('of %s there is none', (tag, message) => {
    expect(() => releaseNotes(changelog, tag)).toThrow(message);
  });

  test('the changelog has a section of this version', () => {
    const released = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8').replace(
      /^(## \S+) \(unreleased\)/m,
      '$1 (2026-01-01)',
    );
    expect(releaseNotes(released, `v${manifest.version}`)).toMatch(/^\S/);
  });
});
