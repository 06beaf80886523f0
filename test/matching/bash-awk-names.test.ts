import { expect, test } from 'vitest';
import { compileRule } from '../../src/matching/rule.js';

const { rule } = compileRule('Bash(rm *)', { dialect: 'code', where: 'if' }) as ReturnType<typeof compileRule> & {
  readonly rule: { matches(call: unknown): boolean };
};
const asks = (command: string): boolean =>
  rule.matches({ tool_name: 'Bash', tool_input: { command }, cwd: '/' } as never);

test.each(['gawk', 'mawk', 'nawk', 'original-awk'])('%s is read as awk is', (name) => {
  const lines = [
    "@ '{ print $1 }' x",
    '@ -F: \'{ print > "out" }\' x',
    '@ \'BEGIN { system("rm x") }\'',
    '@ \'BEGIN { print "rm x" | "sh" }\'',
    '@ \'BEGIN { print "rm x" > "s" }\'; sh s',
    "echo 'rm x' > s.awk; @ -f s.awk",
    "cat x | xargs @ '{ print }'",
    "echo 'rm x' > f; @ '{ print }' f",
    '@ \'{ print > "f" }\' x; sh f',
    "@ '{ print > $1 }' x; sh f",
    "@ -i f '{ print }'; sh f",
    '@ "$prog" x',
    '@ "{ print }" "$file"',
  ];
  const as = (program: string): readonly boolean[] => lines.map((line) => asks(line.replace('@', program)));
  expect(as(name)).toEqual(as('awk'));
  expect(new Set(as('awk'))).toEqual(new Set([true, false]));
});
