import { describe, expect, test } from 'vitest';
import { createHost } from '../../../src/create-host.js';
import type { HookRecord } from '../../../src/emit/record.js';
import { createRedactor } from '../../../src/emit/redact/redactor.js';
import type { RedactOptions } from '../../../src/index.js';

const record = (tool_input: object, more: object = {}): HookRecord =>
  ({
    ...{ type: 'hook_fire', seq: 4111, event: 'PreToolUse', decision: { verdict: 'none' } },
    ...{ input: { tool_name: 'Pay', tool_input }, handlers: [], ...more },
  }) as unknown as HookRecord;
const masked = (options: RedactOptions, of: HookRecord): string =>
  JSON.stringify(createRedactor(options).redact(of)).replace(/hmac:\w{16}/g, 'hmac:…');
const MASK = '[redacted secret hmac:…]';

describe('names of a user are names in texts, too', () => {
  test.each([
    ['{"iban":"DE1"}', `{"iban":"${MASK}"}`],
    [String.raw`{"t":"{\"iban\":\"DE5 x\"}"}`, String.raw`{"t":"{\"iban\":\"${MASK}\"}"}`],
    ['iban: DE6, {"IBAN":"DE7"} c', `iban: ${MASK}, {"IBAN":"${MASK}"} c`],
    ['X-Internal=abcdef ok', `X-Internal=${MASK} ok`],
    ['{"iban": 12345, "a": 1}', `{"iban": ${MASK}, "a": 1}`],
    ['{"iban":["DE1","DE2"]}', `{"iban":["${MASK}","${MASK}"]}`],
    ['pay --iban=DE8 -iban=DE9 user.iban=DE10', `pay --iban=${MASK} -iban=${MASK} user.iban=${MASK}`],
    ["'iban' => 'DE1'", `'iban' => '${MASK}'`],
    ['<iban>DE1</iban><a:IBAN x="1">DE2</a:IBAN>', `<iban>${MASK}</iban><a:IBAN x="${MASK}">${MASK}</a:IBAN>`],
    ['<entry key="iban">DE1</entry>', `<entry key="iban">${MASK}</entry>`],
    ['pay --iban DE8 -iban DE9 x', `pay --iban ${MASK} -iban ${MASK} x`],
    ['["pay", "--iban", "DE8"]', `["pay", "--iban", "${MASK}"]`],
    ['{"card no": 12, "a":1} card  No=7', `{"card no": ${MASK}, "a":1} card  No=${MASK}`],
    ['größe=4; {"GRÖSSE":"1","Größe":"XL"}', `größe=${MASK}; {"GRÖSSE":"1","Größe":"${MASK}"}`],
    [String.raw`{"gr\u00f6\u00dfe":"XL"}`, String.raw`{"gr\u00f6\u00dfe":"${MASK}"}`],
    ['<größe>XL</größe> 名前=x1', `<größe>${MASK}</größe> 名前=${MASK}`],
    ['{"a:b":"x","iban":"d"}', `{"a:b":"${MASK}","iban":"${MASK}"}`],
    ['{"iban":"null","card no":"$5"}', `{"iban":"${MASK}","card no":"${MASK}"}`],
    ['{"iban":"***1","a:b":"<b>"}', `{"iban":"${MASK}","a:b":"${MASK}"}`],
    ['{"iban":[12,"a"],"n":1}', `{"iban":[${MASK},"${MASK}"],"n":1}`],
    ['{"iban":{"v":"a","n":{"w":[7]}},"n":1}', `{"iban":{"v":"${MASK}","n":{"w":[${MASK}]}},"n":1}`],
    ['iban=DE12 3456 7890 and 2 more', `iban=${MASK} and 2 more`],
    ['iban: DE12 3456 7890 and 2 more', `iban: ${MASK}`],
    ['x-internal: Bearer abc def\na: 1', `x-internal: ${MASK}\na: 1`],
    ['my iban: DE1 of Bob, not his name: Bob', `my iban: ${MASK}, not his name: Bob`],
    ['curl -H "X-Internal: foo bar" u', `curl -H "X-Internal: ${MASK}" u`],
    ['iban:\n  - DE1\n  - a: DE2 x\nb: 1', `iban:\n  - ${MASK}\n  - a: ${MASK}\nb: 1`],
    ['iban: |\n  a: b\n\n  c\nb: 1', `iban: |\n  ${MASK}\nb: 1`],
    ['{iban: Bob Smith, age: 4}', `{iban: ${MASK}, age: 4}`],
    ['{"iban":\n"DE2", "a":\n"b"}', `{"iban":\n"${MASK}", "a":\n"b"}`],
    ["iban: 'it''s' x", `iban: '${MASK}' x`],
    [String.raw`{"iban":"C:\\","a":"b"}`, `{"iban":"${MASK}","a":"b"}`],
    [
      '<iban n="1"><v k="DE0">DE1</v> DE2</iban><v>x</v>',
      `<iban n="${MASK}"><v k="${MASK}">${MASK}</v> ${MASK}</iban><v>x</v>`,
    ],
    ['pay --iban \\\n  DE1 -x', `pay --iban \\\n  ${MASK} -x`],
    ['pay --iban -5 "--iban" "DE 1" y', `pay --iban ${MASK} "--iban" "${MASK}" y`],
    ['pay --iban "a\nb" --c d', `pay --iban "${MASK}" --c d`],
    ['iban=("a" b) c', `iban=("${MASK}" ${MASK}) c`],
    ['iban: [1/3] of a "b"', `iban: [${MASK}] of a "b"`],
    ['iban: "DE1\nb: "x", c: 1', `iban: "${MASK}\nb: "x", c: 1`],
    ['iban: {oops 1 2\nb 4 "five"', `iban: {oops ${MASK} ${MASK}\nb 4 "five"`],
    ['"iban":{"id":17,"t":["a"...\n2026 x "y"', `"iban":{"id":${MASK},"t":["${MASK}"...\n2026 x "y"`],
    ['iban: [ // don\'t\n "a",\n], b: "c"', `iban: [ // don't\n "${MASK}",\n], b: "c"`],
    ['pay [--iban DE1] [--iban IBAN] (--iban=DE2)', `pay [--iban ${MASK}] [--iban IBAN] (--iban=${MASK})`],
    ['pay --iban $(cat x) --iban "$(cat x)" y', 'pay --iban $(cat x) --iban "$(cat x)" y'],
    ['xs.map(iban => { send("a", iban.id, 42); })', 'xs.map(iban => { send("a", iban.id, 42); })'],
    ['["iban","DE1"]; set("iban", "DE1"); iban DE1', '["iban","DE1"]; set("iban", "DE1"); iban DE1'],
    ['iban=1', `iban=${MASK}`],
    ['iban="$IBAN" iban=$IBAN --iban "$IBAN" --iban -x', 'iban="$IBAN" iban=$IBAN --iban "$IBAN" --iban -x'],
    ['a <iban> b; discard no: 5, my card no', 'a <iban> b; discard no: 5, my card no'],
    ['{"iban":null,"ibans":"DE1","my_iban":"DE2"}', '{"iban":null,"ibans":"DE1","my_iban":"DE2"}'],
    ['the iban is DE1', 'the iban is DE1'],
  ])('%s', (text, shown) => {
    for (const shapes of [true, false]) {
      const redactor = createRedactor({ keys: ['iban', 'x-internal', 'card no', 'größe', '名前', 'a:b'], shapes });
      expect(redactor.text(text).replace(/hmac:\w{16}/g, 'hmac:…')).toBe(shown);
    }
  });
});

test.each([
  'iban DE1',
  '["iban","DE1"]',
  '| iban | DE1 |',
  'INSERT INTO t (iban) VALUES ("DE1")',
  '{"name":"iban","value":"DE1"}',
  'iban = f("DE1")',
])('where the name says nothing of a value, it is left: %s', (text) => {
  expect(createRedactor({ keys: ['iban'] }).text(text)).toBe(text);
});

describe('patterns of a user', () => {
  test.each([
    [{ card: 4111111111111111 }, { card: MASK }],
    [{ cards: [1, { n: 4111111111111111 }] }, { cards: [1, { n: MASK }] }],
    [{ card: '4111111111111111' }, { card: MASK }],
    [{ 'acct-777': 'x' }, { [MASK]: 'x' }],
    [{ a: [{ 'acct-7': 1 }] }, { a: [{ [MASK]: 1 }] }],
    [
      { 'no/acct-7/x': 1, b: 2 },
      { [`no/${MASK}/x`]: 1, b: 2 },
    ],
    [
      { n: 42, ok: true, none: null },
      { n: 42, ok: true, none: null },
    ],
  ])('are looked for in numbers and in names of fields: %j', (input, expected) => {
    const options = { patterns: [/\d{16}/, /acct-\d+/] };
    const { input: shown } = JSON.parse(masked(options, record(input)));
    expect(shown.tool_input).toEqual(expected);
  });

  test('are looked for wherever a record holds data', () => {
    const data = { 'acct-7': 4111111111111111 };
    const of = record(data, {
      final_input: { tool_input: data },
      versions: [data],
      handlers: [
        { output: { hookSpecificOutput: { updatedInput: data } }, answers: [{ judged: 0, output: { a: data } }] },
      ],
      decision: { updatedInput: data, value: { action: 'accept', content: data } },
      would_decide: { value: { content: data } },
    });
    const text = masked({ patterns: [/\d{16}/, /acct-\d+/] }, of);
    expect(text).not.toMatch(/acct-7|4111111111111111/);
    expect(JSON.parse(text).redacted.count).toBe(16);
  });

  test('are looked for in the answer of a hook that fills in a form', async () => {
    const records: HookRecord[] = [];
    const host = createHost({ logger: () => undefined });
    host.events$.subscribe((one) => records.push(one));
    const content = { card: 4111111111111111, 'acct-1': 'x' };
    host.on('Elicitation', () => ({
      hookSpecificOutput: { hookEventName: 'Elicitation', action: 'accept', content },
    }));
    const form = { mode: 'form', requested_schema: { type: 'object' } };
    await host.fire('Elicitation', { mcp_server_name: 's', message: 'which?', ...form, session_id: 's' } as never);
    await host.close();
    const fire = records.find(({ type }) => type === 'hook_fire') as HookRecord;
    const shown = masked({ patterns: [/\d{16}/, /acct-\d+|content/] }, fire);
    expect(shown).not.toMatch(/acct-1|4111111111111111/);
    expect(JSON.parse(shown).decision.value).toEqual({ action: 'accept', content: { card: MASK, [MASK]: 'x' } });
  });

  test('leave the numbers and names of a record itself as they are', () => {
    const own = { seq: 4111, handlers: [{ stage: 4111, duration_ms: 4111, name: 'x', exit_code: 4111 }] };
    const of = record({ command: 'ls' }, own);
    const shown = JSON.parse(masked({ patterns: [/4111|duration|stage|tool_name|command/] }, of));
    expect(shown).toMatchObject(own);
    expect(Object.keys(shown.input)).toEqual(['tool_name', 'tool_input']);
    expect(shown.input.tool_input).toEqual({ [MASK]: 'ls' });
  });

  test('are what counts there: no number and no name is looked at without', () => {
    const of = record({ 'acct-777': 4111111111111111 });
    expect(createRedactor().redact(of)).toBe(of);
    expect(createRedactor({ keys: ['x'] }).redact(of)).toBe(of);
  });
});
