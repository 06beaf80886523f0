import { describe, expect, it } from 'vitest';
import { compileRule } from '../../src/matching/rule.js';

function matches(text: string, tool: 'Glob' | 'Grep', glob: string, path?: string): boolean {
  const { rule } = compileRule(text, { dialect: 'code', where: 'if' });
  const asked = tool === 'Glob' ? { pattern: glob } : { pattern: 'KEY', glob };
  const tool_input = path === undefined ? asked : { ...asked, path };
  return rule?.matches({ tool_name: tool, tool_input, cwd: '/home/dev/project' }) ?? true;
}

const RULES = [
  'Read(secret/**)',
  'Read(*.pem)',
  'Read(.env*)',
  'Read(package.json)',
  'Read(src/**/*.secret.ts)',
  'Read(~/.ssh/**)',
  'Read(.git/**)',
  'Read(**/credentials*)',
  'Read(//etc/**)',
  'Read(docs/internal/*.md)',
];

describe('a rule about files, on a search by a glob,', () => {
  it.each(['[$]', '?', '*', '@($|x)', '+($)', '{$}', '{$,x}', '?($)'])(
    'sees a name with %s in the place of any letter',
    (wild) => {
      const name = 'secret';
      const missed: string[] = [];
      for (let at = 0; at < name.length; at++) {
        const part = name.slice(0, at) + wild.replace('$', name[at] ?? '') + name.slice(at + 1);
        for (const glob of [`${part}/*`, `${part}/**`, `**/${part}/*.ts`, `./${part}`, `*/../${part}/x`])
          if (!matches('Read(secret/**)', 'Glob', glob)) missed.push(glob);
        if (!matches('Read(secret/**)', 'Grep', `*.md,**/${part}/*.ts`)) missed.push(`Grep ${part}`);
        if (!matches('Read(src/secret/**)', 'Glob', `${part}/x`, 'src')) missed.push(`${part} in src`);
        if (matches('Read(secrets/**)', 'Glob', `${part}/x`) && wild !== '*' && wild !== '+($)')
          missed.push(`secrets by ${part}`);
      }
      expect(missed).toEqual([]);
    },
  );

  it.each([
    ['Read(secret/**)', 'Glob', '**/secret/**'],
    ['Read(secret/**)', 'Glob', 's*/**'],
    ['Read(secret/**)', 'Glob', 'secret\\/**'],
    ['Read(app/secret/*.txt)', 'Glob', '**/secret/../../*/secret/*.t*'],
    ['Read(src/secret/**)', 'Glob', '**/secret/**'],
    ['Read(config/.env)', 'Glob', '**/.en?'],
    ['Read(secret/)', 'Grep', 'secret*'],
    ['Read(*.pem)', 'Grep', '*.pe?'],
    ['Read(*.pem)', 'Grep', '*.p*'],
    ['Read(*.pem)', 'Glob', 'keys/**/*.[p]em'],
    ['Read(.env*)', 'Grep', '.en[v]'],
    ['Read(.env*)', 'Glob', '**/.e*'],
    ['Read(package.json)', 'Glob', '**/pack*'],
    ['Read(~/.ssh/**)', 'Glob', '~/.s*/*'],
    ['Read(//etc/**)', 'Glob', '/e*/passwd'],
    ['Read(app/[id]/**)', 'Glob', 'ap?/*/x'],
  ] as const)('%s is about a %s of %s', (text, tool, glob) => {
    expect(matches(text, tool, glob)).toBe(true);
  });

  it.each([
    '**/*',
    '*',
    '*/*',
    '**/*.ts',
    'src/**/*.{ts,tsx}',
    '**/*.test.*',
    '*.md',
    'docs/**',
    '**/*.json',
    '?????/**',
    '!(x)/*',
    'test/**/*[0-9].ts',
  ])('asks about none that names nothing it is about: %s', (glob) => {
    for (const tool of ['Glob', 'Grep'] as const) expect(RULES.filter((text) => matches(text, tool, glob))).toEqual([]);
  });

  it('takes one that it would take too many steps to compare for one that names it', () => {
    for (const glob of [`${'{a,b}*'.repeat(6)}${'*a'.repeat(400)}`, `${'@(a|b)*'.repeat(6)}${'?x*'.repeat(200)}`])
      expect(matches('Read(*.pem)', 'Grep', glob)).toBe(true);
  });

  it.each([
    '{a,b,c}/{d,e,f}/{g,h,i}/*.{ts,tsx,js}',
    '**/{a,b,c,d,e}/**/{f,g,h,i,j}/**/*.{ts,js,tsx}',
    `packages/{${Array.from({ length: 30 }, (_, i) => `package-name-${i}`).join(',')}}/src/**/*.test.ts`,
  ])('compares every one that anybody writes: %s', (glob) => {
    for (const tool of ['Glob', 'Grep'] as const) expect(RULES.filter((text) => matches(text, tool, glob))).toEqual([]);
  });

  it('counts each comparison with a rule of many stars as many steps', () => {
    for (const text of ['Read(**/a/**/b/**/c)', 'Read(**/s*/b/**)']) {
      for (const glob of ['{x,y}'.repeat(6), '@(x|y)'.repeat(6)])
        expect(matches(text, 'Glob', `s/a/b/c/${glob}*`)).toBe(true);
      for (const tool of ['Glob', 'Grep'] as const)
        expect(matches(text, tool, '*.{ts,tsx,js,jsx,mjs,cjs,mts,cts}')).toBe(false);
    }
  });

  it.each([
    '{src,test,lib,packages}/**/*.{ts,tsx,js,jsx,json,md}',
    '**/{package,tsconfig,jest.config,vite.config}.{json,js,ts,mjs,cjs}',
    'src/{a,b,c,d,e}/**/*.{ts,tsx,js,jsx}',
    '{apps,packages,libs,services}/{web,api,core,ui}/src/**/*.{ts,tsx}',
    `src/*.{${Array.from({ length: 100 }, (_, i) => `e${i}`).join(',')}}`,
  ])('compares many choices with a rule of many stars: %s', (glob) => {
    const rules = ['**/*secret*', '**/secret/**/*.pem', '**/.ssh/**/id_*', '**/migrations/**/*.sql', '**/a/**/b/**/c'];
    for (const rule of rules)
      for (const tool of ['Glob', 'Grep'] as const)
        expect([rule, tool, matches(`Read(${rule})`, tool, glob)]).toEqual([rule, tool, false]);
  });

  it('needs no test of a path only where the pattern cannot be in it', () => {
    for (const [rule, path] of [
      ['**/*secret*', 'src/my-SECRET.ts'],
      ['**/*[s]ecret*', 'src/secret'],
      ['**/\\a*b*c*', 'x/a1b2c3'],
      ['a/**/b*/**', 'A/b'],
      ['a*b?c*d', 'x/a1b2c3d'],
      ['**/a/**/b/**/c', 'a/b/c'],
    ] as const)
      for (const glob of [path, `{${path},x/y}`])
        expect([rule, glob, matches(`Read(${rule})`, 'Glob', glob)]).toEqual([rule, glob, true]);
  });

  it('looks at long globs for a short while', () => {
    const rules = Array.from({ length: 100 }, (_, i) => `Read(s${i}*a*b*c*/**/*x*y*z*)`);
    const started = performance.now();
    for (const glob of ['*a'.repeat(450), '**/'.repeat(300), '{s,t}*'.repeat(6), '[s]?'.repeat(200), '*a/'.repeat(300)])
      for (const text of rules) matches(text, 'Grep', glob);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
