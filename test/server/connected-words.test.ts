import { expect, test } from 'vitest';
import { wordsOf } from '../../src/cli/doctor/connections.js';
import { quoted } from '../../src/server/client/thin.js';

test('doctor reads the words of a command as connect has quoted them', () => {
  const words = [
    '/a/b',
    "/John's",
    "'",
    "''",
    'a "b" $C `d` \\e',
    'two  blanks',
    'a\nb',
    '--hooks',
    "it's /x; y|z",
    'é',
    '',
  ];
  expect(wordsOf(words.map(quoted).join(' '))).toEqual(words);
  expect(wordsOf(`PATH='/a b':/c /bin/sh '/John'\\''s/x.sh'`)).toEqual(['PATH=/a b:/c', '/bin/sh', "/John's/x.sh"]);
});
