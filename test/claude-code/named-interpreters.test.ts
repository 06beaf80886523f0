import { expect, test } from 'vitest';
import { shell } from '../../src/matching/bash/kinds.js';
import { DATA_PROGRAMS, EDITORS, NO_SHELLS } from '../../src/matching/bash/names.js';
import { TABLE } from '../../src/matching/bash/programs.js';
import { namedFiles } from '../../src/trust/named/named-files.js';
import { programOf } from '../../src/trust/named/programs.js';

/** Programs of the lists of `matching/bash` that run no code of a file that they are given, or only with an option that names it by a path. */
const NO_INTERPRETERS =
  'gcc cc g++ clang less more nano code shellcheck shfmt kubectl oc k helm pandoc aws gcloud az terraform mysql ansible-playbook';

const namesOf = (entry: object): string[] =>
  Object.entries(TABLE).flatMap(([names, program]) => (program === entry ? names.split(' ') : []));
const SHELLS = namesOf(shell);
const AWKS = namesOf(TABLE['awk gawk mawk nawk original-awk'] as object);

test('consent knows every interpreter that the rules know', () => {
  const known = new Set([...SHELLS, ...AWKS, ...NO_SHELLS, ...DATA_PROGRAMS, ...EDITORS]);
  for (const name of NO_INTERPRETERS.split(' ')) expect(known.delete(name), name).toBe(true);
  const unknown = (purpose: 'consent' | 'place') =>
    [...known].filter((name) => programOf([name], purpose) === undefined);
  expect([...SHELLS, ...AWKS].length).toBeGreaterThan(20);
  expect([unknown('consent'), unknown('place')]).toEqual([[], []]);
});

const bound = (command: string): readonly string[] =>
  namedFiles({ type: 'command', command }, { projectDir: '/p' }).files;

test.each(AWKS)('the program of %s is bound, however its option is written', (name) => {
  for (const before of ['', '-v x=1 ', '-F: ', '-F : ', '-vx=1 -F, '])
    for (const option of ['-f', '-f ', '--file=', '--file '])
      for (const program of [name, `/usr/bin/${name}`]) {
        const line = `${program} ${before}${option}guard data.txt`;
        expect(bound(line), line).toContain('guard');
      }
});

test.each(SHELLS)('the script of %s is bound, and those that its line names', (name) => {
  for (const line of [`${name} guard`, `${name} < guard`, `/bin/${name} ./guard`, `${name} -c '. ./guard'`])
    expect(bound(line), line).toContain('guard');
});
