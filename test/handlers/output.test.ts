import { describe, expect, test } from 'vitest';
import { CATALOGUE, HOOK_EVENTS, type HookEvent } from '../../src/events/catalogue.js';
import type { OnFailure } from '../../src/events/failure.js';
import { readOutput } from '../../src/events/output/outcome.js';
import type { Reply } from '../../src/handlers/handler.js';
import { readShellOutput, type ShellHow, type ShellResult } from '../../src/handlers/output.js';

interface Shell extends Partial<ShellResult> {
  readonly onFailure?: OnFailure;
  readonly how?: Partial<ShellHow>;
}

function read(event: HookEvent, { onFailure = 'continue', how, ...result }: Shell): Reply {
  return readShellOutput(
    { spec: CATALOGUE[event], eventName: event, onFailure },
    { stdout: '', stderr: '', exitCode: 0, ...result },
    { commandText: 'guard', shell: true, outputLimit: 1000, ...how },
  );
}

/** What the event's schema makes of a reply's output. */
function outcomeOf(event: HookEvent, reply: Reply) {
  const result = readOutput(CATALOGUE[event], reply.output, { eventName: event, nameRequired: true });
  if ('bad' in result) throw new Error(result.bad);
  return result.outcome;
}

const specific = (hookEventName: string, rest: Record<string, unknown>, top: Record<string, unknown> = {}): string =>
  JSON.stringify({ ...top, hookSpecificOutput: { hookEventName, ...rest } });
const deny = (reason = 'JSON-R'): string =>
  specific('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: reason });
const allow = specific('PreToolUse', { permissionDecision: 'allow', permissionDecisionReason: 'fine' });
const block = JSON.stringify({ decision: 'block', reason: 'JSON-R' });

describe('exit 2', () => {
  const expected: Record<string, HookEvent[]> = {
    deny: ['PreToolUse', 'PreModelSwitch'],
    block: [
      'PostToolUse',
      'PostToolUseFailure',
      'PostToolBatch',
      'UserPromptSubmit',
      'UserPromptExpansion',
      'Stop',
      'SubagentStop',
      'PreCompact',
      'TeammateIdle',
      'TaskCreated',
      'TaskCompleted',
      'ConfigChange',
    ],
    decline: ['Elicitation', 'ElicitationResult'],
    fails: ['WorktreeCreate'],
    user: [
      'SessionStart',
      'SessionEnd',
      'Setup',
      'SubagentStart',
      'PostCompact',
      'CwdChanged',
      'DirectoryAdded',
      'FileChanged',
    ],
    nothing: [
      'PermissionRequest',
      'PermissionDenied',
      'StopFailure',
      'PostModelSwitch',
      'Notification',
      'MessageDisplay',
      'InstructionsLoaded',
      'WorktreeRemove',
    ],
  };

  function effectOf(event: HookEvent): string {
    const reply = read(event, { exitCode: 2, stderr: ' NO \n' });
    expect(reply).toMatchObject({ exitCode: 2, stderr: ' NO \n' });
    if (reply.failure) {
      expect(reply.failure).toEqual({ cause: 'exit_code', message: 'It exited with code 2: NO' });
      return CATALOGUE[event].failure === 'fails' ? 'fails' : 'user';
    }
    if (!reply.output) return 'nothing';
    const outcome = outcomeOf(event, reply);
    expect(outcome.reason).toBe('NO');
    if (outcome.verdict) return outcome.verdict;
    if (outcome.value) return (outcome.value as { action: string }).action;
    return outcome.block ? 'block' : 'nothing';
  }

  test('means on each of the events what the table says', () => {
    const effects: Record<string, HookEvent[]> = {};
    for (const event of HOOK_EVENTS) {
      const effect = effectOf(event);
      effects[effect] = [...(effects[effect] ?? []), event];
    }
    const sorted = (all: Record<string, HookEvent[]>) =>
      Object.fromEntries(Object.entries(all).map(([effect, events]) => [effect, [...events].sort()]));
    expect(sorted(effects)).toEqual(sorted(expected));
  });

  test('without stderr says so, and does not take stdout for the reason', () => {
    const outcome = outcomeOf('PreToolUse', read('PreToolUse', { exitCode: 2, stdout: 'STDOUT' }));
    expect(outcome).toMatchObject({ verdict: 'deny', reason: 'No stderr output' });
  });

  test.each([
    ['PreToolUse', deny()],
    ['PreToolUse', block],
    ['Stop', block],
    ['PostToolUse', '{"decision":"deny","reason":"JSON-R"}'],
  ] as const)('on %s takes its reason from the blocking JSON %s', (event, stdout) => {
    expect(outcomeOf(event, read(event, { exitCode: 2, stderr: 'ERR', stdout })).reason).toBe('JSON-R');
  });

  test.each([
    ['an allow', allow],
    ['an ask', specific('PreToolUse', { permissionDecision: 'ask', permissionDecisionReason: 'sure?' })],
    ['an approve', '{"decision":"approve","reason":"fine"}'],
    ['a deny without a reason', specific('PreToolUse', { permissionDecision: 'deny' })],
    ['a wish to be async', '{"async":true}'],
    ['broken JSON', '{"decision":'],
    ['an array', '[1]'],
  ])('is not taken back by %s', (_what, stdout) => {
    const outcome = outcomeOf('PreToolUse', read('PreToolUse', { exitCode: 2, stderr: 'ERR', stdout }));
    expect(outcome).toMatchObject({ verdict: 'deny', reason: 'ERR' });
    expect(outcome.async).toBeUndefined();
  });

  test('keeps what the JSON says beside its verdict, and drops what would undo or rewrite', () => {
    const stdout = specific(
      'PreToolUse',
      { permissionDecision: 'allow', updatedInput: { a: 1 }, additionalContext: 'CTX' },
      { systemMessage: 'SYS', continue: false, stopReason: 'END', suppressOutput: true, metrics: 1 },
    );
    const outcome = outcomeOf('PreToolUse', read('PreToolUse', { exitCode: 2, stderr: 'ERR', stdout }));
    expect(outcome.output).toEqual({
      systemMessage: 'SYS',
      continue: false,
      stopReason: 'END',
      suppressOutput: true,
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        additionalContext: 'CTX',
        permissionDecision: 'deny',
        permissionDecisionReason: 'ERR',
      },
    });
  });

  test('a key of a wrong type is left out and takes neither the block nor the other keys with it', () => {
    const stdout = specific('PreToolUse', { additionalContext: 5 }, { systemMessage: 'SYS', suppressOutput: 'yes' });
    const outcome = outcomeOf('PreToolUse', read('PreToolUse', { exitCode: 2, stderr: 'ERR', stdout }));
    expect(outcome).toMatchObject({ verdict: 'deny', reason: 'ERR', systemMessage: 'SYS' });
    expect(outcome.additionalContext).toBeUndefined();
  });

  test.each(['{"continue":false}', '{"preventContinuation":true}'])(
    'on Stop is a block that does not undo %s, which ends the loop',
    (stdout) => {
      for (const exitCode of [2, 3]) {
        const printed = exitCode === 2 ? stdout : stdout.replace('{', '{"decision":"block","reason":"ERR",');
        const reply = read('Stop', { exitCode, stderr: 'ERR', stdout: printed, onFailure: 'block' });
        expect(outcomeOf('Stop', reply)).toMatchObject({ block: true, reason: 'ERR', continue: false });
      }
    },
  );

  test('keeps suppressOriginalPrompt, which says how to block', () => {
    const stdout = specific('UserPromptSubmit', { suppressOriginalPrompt: true });
    const outcome = outcomeOf('UserPromptSubmit', read('UserPromptSubmit', { exitCode: 2, stderr: 'ERR', stdout }));
    expect(outcome).toMatchObject({ block: true, specific: { suppressOriginalPrompt: true } });
  });

  test('blocks before a size failure, whatever the failure policy', () => {
    for (const onFailure of ['continue', 'block', 'ask'] as const) {
      const reply = read('PreToolUse', { exitCode: 2, stderr: 'ERR', stdout: deny(), tooLarge: true, onFailure });
      expect(reply.failure).toBeUndefined();
      expect(outcomeOf('PreToolUse', reply)).toMatchObject({ verdict: 'deny', reason: 'ERR' });
    }
  });

  describe('with words of an interpreter', () => {
    const LINT = ['sh -n "$f" || exit 2', './lint.sh', 'sh lint.sh', 'sh -n deploy.sh || exit 2', 'lint deploy.sh'];
    const SAID = ['2: Syntax error: ")" unexpected', "line 2: syntax error near unexpected token `)'"];
    const isDoubted = (stderr: string, commandText: string): boolean => {
      const reply = read('PreToolUse', { exitCode: 2, stderr, how: { commandText } });
      expect(outcomeOf('PreToolUse', reply).verdict).toBe('deny');
      if (reply.warnings === undefined) return false;
      expect(reply.warnings).toEqual([
        `Exit 2 blocked, but it looks like an error of the interpreter, not of the hook: ${stderr}`,
      ]);
      return true;
    };

    test.each(['sh', '/bin/sh', 'bash', '/usr/bin/dash', 'python3', '/opt/my/bin/python3.11'])(
      'has a warning if %s begins them',
      (name) => {
        const said = [
          ...SAID,
          '0: cannot open x.sh: No such file',
          "can't open file '/x/y.py': [Errno 2] No such file",
          "-c: line 1: syntax error near `x'",
        ];
        for (const words of said)
          for (const command of LINT) expect([words, isDoubted(`${name}: ${words}`, command)]).toEqual([words, true]);
      },
    );

    test.each([
      'deploy.sh',
      './deploy.sh',
      '/p/deploy.sh',
      '/a b/deploy.sh',
      'bash.sh',
      'push',
      'refresh',
      'my sh',
      '/p/sh/x',
      'xlint.sh',
    ])('has none if they are of %s, which the hook does not run', (name) => {
      for (const words of [...SAID, '3: cannot open y'])
        for (const command of LINT)
          expect([words, command, isDoubted(`${name}: ${words}`, command)]).toEqual([words, command, false]);
    });

    test.each([
      ['./guard.sh', './guard.sh'],
      ['guard.sh Bash', '/usr/bin/guard.sh'],
      ['sh hooks/guard.sh', 'hooks/guard.sh'],
      ['/bin/bash hooks/guard.sh x', '/p/hooks/guard.sh'],
      ['"$CLAUDE_PROJECT_DIR"/.claude/guard.sh', '/p/.claude/guard.sh'],
      [`bash "\${CLAUDE_PLUGIN_ROOT}/guard"`, '/p q/guard'],
      ['~/guard.sh', '/home/x/guard.sh'],
      ['sh -eu guard.sh', 'guard.sh'],
      ['bash -e ./guard.sh', './guard.sh'],
      ['timeout 5 sh guard.sh', 'guard.sh'],
      ['cd . && ./guard.sh', './guard.sh'],
      ['cd /p; FOO=1 ./guard.sh', './guard.sh'],
      ['exec ./guard.sh', './guard.sh'],
      ['test -t 0 || sh guard.sh', 'guard.sh'],
    ])('has a warning if %s runs the file that they are of', (command, name) => {
      for (const words of SAID) {
        expect([words, isDoubted(`${name}: ${words}`, command)]).toEqual([words, true]);
        expect([words, isDoubted(`It begins.\n${name}: ${words}`, command)]).toEqual([words, true]);
      }
    });

    test.each([
      'deploy.sh does not parse:\nsh: 2: Syntax error',
      'Found by sh: 2: Syntax error',
      'Syntax error in your tool call',
    ])('has none if they are not the first words: %s', (stderr) => expect(isDoubted(stderr, './guard.sh')).toBe(false));
  });

  test('where it only reaches the user, JSON still decides', () => {
    const stdout = specific('SessionStart', { additionalContext: 'CTX' });
    const reply = read('SessionStart', { exitCode: 2, stderr: 'ERR', stdout });
    expect(reply.failure).toBeUndefined();
    expect(outcomeOf('SessionStart', reply).additionalContext).toBe('CTX');
  });

  test('on PermissionRequest does nothing by itself, and a printed deny stands', () => {
    const stdout = specific('PermissionRequest', { decision: { behavior: 'deny', message: 'NO' } });
    expect(read('PermissionRequest', { exitCode: 2, stderr: 'ERR', onFailure: 'block' }).failure).toBeUndefined();
    const outcome = outcomeOf('PermissionRequest', read('PermissionRequest', { exitCode: 2, stdout }));
    expect(outcome).toMatchObject({ verdict: 'deny', reason: 'NO' });
  });
});

describe('JSON on stdout', () => {
  test.each([0, 1, 3, 126, 127, 255])('decides at exit code %i', (exitCode) => {
    const reply = read('PreToolUse', { exitCode, stdout: `\uFEFF \n${deny()}\n`, stderr: 'ERR' });
    expect(reply.failure).toBeUndefined();
    expect(outcomeOf('PreToolUse', reply)).toMatchObject({ verdict: 'deny', reason: 'JSON-R' });
  });

  test.each(['block', 'ask'] as const)(
    'under onFailure %s a code is a failure first, and only a deny stands',
    (onFailure) => {
      const allowed = read('PreToolUse', { exitCode: 1, stdout: allow, onFailure });
      expect(allowed).toMatchObject({ failure: { cause: 'exit_code' } });
      expect(allowed.output).toBeUndefined();
      const stdout = specific('PreToolUse', {
        permissionDecision: 'deny',
        permissionDecisionReason: 'R',
        updatedInput: {},
      });
      const denied = read('PreToolUse', { exitCode: 1, stdout, onFailure });
      expect(denied).toMatchObject({ failure: { cause: 'exit_code' } });
      expect(outcomeOf('PreToolUse', denied)).toMatchObject({ verdict: 'deny', reason: 'R' });
      expect(outcomeOf('PreToolUse', denied).rewrite).toBeUndefined();
      expect(read('PreToolUse', { exitCode: 0, stdout: allow, onFailure }).failure).toBeUndefined();
      expect(read('PreToolUse', { exitCode: 127, stdout: allow, onFailure }).failure?.cause).toBe('spawn_failed');
    },
  );

  test('of a PermissionRequest: under onFailure block its deny stands, its allow does not', () => {
    const say = (decision: object) => specific('PermissionRequest', { decision });
    const run = (decision: object) =>
      read('PermissionRequest', { exitCode: 1, stdout: say(decision), onFailure: 'block' });
    expect(run({ behavior: 'allow' }).output).toBeUndefined();
    expect(outcomeOf('PermissionRequest', run({ behavior: 'deny', message: 'M' }))).toMatchObject({
      verdict: 'deny',
      reason: 'M',
    });
  });

  test.each<readonly [string, object, string | undefined]>([
    [
      'the legacy word beside another name',
      { decision: 'block', reason: 'R', hookSpecificOutput: { hookEventName: 'Setup' } },
      'R',
    ],
    ['the legacy word beside what is no object', { decision: 'block', reason: 'R', hookSpecificOutput: 'x' }, 'R'],
    [
      'a deny under another name',
      { hookSpecificOutput: { hookEventName: 'Setup', permissionDecision: 'deny' } },
      undefined,
    ],
    ['a deny without a name', { hookSpecificOutput: { permissionDecision: 'deny' } }, undefined],
  ])('a deny of a gate stands at any exit code and policy: %s', (_, json, reason) => {
    for (const exitCode of [1, 2, 3])
      for (const onFailure of ['continue', 'ask', 'block'] as const) {
        const reply = read('PreToolUse', { exitCode, stdout: JSON.stringify(json), onFailure });
        if (exitCode !== 2 && onFailure === 'continue') expect(reply.output).toEqual(json);
        else expect(outcomeOf('PreToolUse', reply)).toMatchObject({ verdict: 'deny', ...(reason && { reason }) });
      }
  });

  test('of a hook that a signal killed is trusted only where it denies', () => {
    const killed = { exitCode: undefined, signal: 'SIGSEGV' };
    expect(read('PreToolUse', { ...killed, stdout: allow })).toMatchObject({ failure: { cause: 'signal' } });
    expect(read('PreToolUse', { ...killed, stdout: allow }).output).toBeUndefined();
    expect(outcomeOf('PreToolUse', read('PreToolUse', { ...killed, stdout: deny() })).verdict).toBe('deny');
    expect(read('PreToolUse', { ...killed, stdout: deny() }).failure?.message).toBe('It was killed by SIGSEGV.');
  });

  test.each([0, 1, 127])('that does not parse is bad_json at exit code %i on any event', (exitCode) => {
    for (const event of ['PreToolUse', 'UserPromptSubmit', 'SessionEnd'] as const) {
      const reply = read(event, { exitCode, stdout: '{not json}' });
      expect(reply.failure?.cause).toBe('bad_json');
      expect(reply.output).toBeUndefined();
    }
  });

  test('two objects are bad_json', () => {
    expect(read('PreToolUse', { stdout: `${deny()}\n${allow}` }).failure?.cause).toBe('bad_json');
  });

  test('is handed on as it is, unknown keys and wrong names too: the schema judges them', () => {
    const stdout = '{"foo":1,"hookSpecificOutput":{"hookEventName":"Other"}}';
    expect(read('PreToolUse', { stdout }).output).toEqual(JSON.parse(stdout));
  });

  test('that was cut off is plain text with a warning, and on a gate bad_json too', () => {
    const cut = '{"hookSpecificOutput": {bad';
    const gate = read('PreToolUse', { stdout: cut });
    expect(gate).toMatchObject({ failure: { cause: 'bad_json' } });
    // Nothing is said to be read that is not.
    expect(gate.warnings).toEqual(['Stdout starts with { but does not end with }.']);
    const prompt = read('UserPromptSubmit', { stdout: cut });
    expect(prompt.failure).toBeUndefined();
    expect(prompt.warnings).toEqual([expect.stringContaining(': read as plain text.')]);
    expect(outcomeOf('UserPromptSubmit', prompt).additionalContext).toBe(cut);
    expect(read('PreToolUse', { stdout: cut, exitCode: 1 }).failure?.cause).toBe('exit_code');
  });

  test('over the limit is too_large, whatever was kept of it and whatever the code', () => {
    for (const exitCode of [0, 1]) {
      const reply = read('PreToolUse', { stdout: deny(), tooLarge: true, exitCode });
      expect(reply.failure).toEqual({ cause: 'too_large', message: 'It printed more than 1000 bytes on stdout.' });
      expect(reply.output).toBeUndefined();
    }
  });
});

describe('plain text on stdout', () => {
  const asContext: HookEvent[] = ['SessionStart', 'UserPromptSubmit', 'UserPromptExpansion', 'PreCompact'];

  test('is context on the events that say so, and nothing on the others', () => {
    const found = HOOK_EVENTS.filter((event) => read(event, { stdout: '\uFEFF  a\nb \n\n' }).output !== undefined);
    expect(found.sort()).toEqual([...asContext, 'WorktreeCreate'].sort());
    for (const event of asContext) {
      expect(outcomeOf(event, read(event, { stdout: '\uFEFF  a\nb \n\n' })).additionalContext).toBe('  a\nb');
    }
  });

  test('keeps what a terminal would colour', () => {
    const red = '\u001b[31mred\u001b[0m';
    expect(outcomeOf('SessionStart', read('SessionStart', { stdout: `${red}\n` })).additionalContext).toBe(red);
  });

  test.each(['', '  \n', '\uFEFF'])('that is empty (%j) is no opinion', (stdout) => {
    const reply = read('UserPromptSubmit', { stdout });
    expect(reply.output).toBeUndefined();
    expect(reply.failure).toBeUndefined();
  });

  test('at another exit code is dropped and the code is the failure', () => {
    const reply = read('UserPromptSubmit', { stdout: 'OUT', stderr: 'ERR', exitCode: 1 });
    expect(reply.output).toBeUndefined();
    expect(reply.failure).toEqual({ cause: 'exit_code', message: 'It exited with code 1: ERR' });
  });

  test('before JSON makes all of it plain text', () => {
    expect(read('PreToolUse', { stdout: `noise\n${deny()}` }).output).toBeUndefined();
    expect(read('PreToolUse', { stdout: '[1,2]' }).output).toBeUndefined();
  });

  describe.each([
    ['a line before it', `checking\n${deny()}`],
    ['lines before and behind it', `checking\n${deny()}\ndone`],
    ['a fence around it', `\`\`\`json\n${deny()}\n\`\`\``],
    ['a list around it', `[${deny()}]`],
    ['colours around it', `\u001b[0m${deny()}`],
    ['written over lines', `ok\n${JSON.stringify(JSON.parse(block), null, 2)}`],
    ['behind another key', `ok\n{"reason":"no","decision":"block"}`],
    [
      'behind another key, in the long form',
      `ok\n{"systemMessage":"x","hookSpecificOutput":{"permissionDecision":"deny"}}`,
    ],
    ['in colours', `ok\n\u001b[1m{\n  \u001b[34m"decision"\u001b[0m: \u001b[32m"block"\u001b[0m\n}`],
    ['that stops', `ok\n{"continue": false}`],
    ['that stops, with a reason before', `ok\n{"stopReason":"no","continue":false}`],
    ['that stops, behind texts', `ok {"systemMessage":"say \\"{no}\\", {","reason":"x" , "continue" : false} done`],
    ['that stops, over lines', `ok\n{\n  "suppressOutput": true,\n  "continue": false,\n  "stopReason": "policy"\n}`],
    ['that stops, in colours', `ok\n{\u001b[34m"decision"\u001b[0m:"approve",\u001b[34m"continue"\u001b[0m: false}`],
    ['that stops, in the older spelling', `ok\n{"reason":"no","preventContinuation":true}`],
    ['that defers', `ok\n{"permissionDecisionReason":"later","permissionDecision":"defer"}`],
  ])('that holds an answer: %s', (_, stdout) => {
    test('is plain text with a warning, and a failure where failures count', () => {
      const heard = read('PreToolUse', { stdout });
      expect(heard).toMatchObject({ warnings: [expect.stringContaining('holds an answer within other text')] });
      expect([heard.output, heard.failure]).toEqual([undefined, undefined]);
      for (const onFailure of ['block', 'ask'] as const)
        expect(read('PreToolUse', { stdout, onFailure }).failure?.cause).toBe('bad_json');
    });

    test('says nothing in the background', () => {
      const reply = read('PreToolUse', { stdout, onFailure: 'block', how: { background: true } });
      expect([reply.output, reply.failure, reply.warnings]).toEqual([undefined, undefined, undefined]);
    });

    test('is context where the event takes text', () => {
      const reply = read('UserPromptSubmit', { stdout, onFailure: 'block' });
      expect([reply.failure, reply.warnings]).toEqual([undefined, undefined]);
    });
  });

  test('that only speaks of a decision says nothing', () => {
    const found = `a.json:3:  "decision": "deny",`;
    const logs = [
      'INFO call {"tool":"Bash","decision":"allow","ms":3}',
      'ok {"rules":{},"continue":false}',
      'ok {"ms":3,"continue":false}',
      'ok {"tool":"Bash","permissionDecision":"defer"}',
      'ok {"reason":"x\\","continue":false}',
      'ok {"continue":true,"preventContinuation":false}',
      'ok {"continue": falsey}',
      'a.json:4:  "x": 1, "continue": false',
    ];
    for (const stdout of ['decision: deny', 'the "decision" was made', 'permissionDecision=deny', found, ...logs])
      expect(read('PreToolUse', { stdout, onFailure: 'block' })).toEqual({ stdout, stderr: '', exitCode: 0 });
  });

  test('of WorktreeCreate: the last line that is not empty is the path', () => {
    const reply = read('WorktreeCreate', { stdout: 'Preparing\r\n/tmp/my tree\r\n \n' });
    expect(outcomeOf('WorktreeCreate', reply).value).toBe('/tmp/my tree');
  });

  test('of WorktreeCreate with any other code is a failure, JSON or not', () => {
    const stdout = specific('WorktreeCreate', { worktreePath: '/w' });
    expect(outcomeOf('WorktreeCreate', read('WorktreeCreate', { stdout })).value).toBe('/w');
    for (const exitCode of [1, 2, 3]) {
      const reply = read('WorktreeCreate', { stdout, exitCode });
      expect(reply.failure?.cause).toBe('exit_code');
      expect(reply.output).toBeUndefined();
    }
  });

  test('of a background run says nothing, while its JSON does', () => {
    const how = { background: true };
    expect(read('UserPromptSubmit', { stdout: 'text', how }).output).toBeUndefined();
    const stdout = specific('UserPromptSubmit', { additionalContext: 'CTX' });
    expect(read('UserPromptSubmit', { stdout, how }).output).toEqual(JSON.parse(stdout));
  });
});

describe('codes of a program that could not be started', () => {
  test.each([
    [126, 'guard could not be started: a program is not executable (exit code 126): ERR'],
    [127, 'guard could not be started: a program was not found (exit code 127): ERR'],
  ])('%i is spawn_failed in shell form and an ordinary code in exec form', (exitCode, message) => {
    expect(read('PreToolUse', { exitCode, stderr: 'ERR' }).failure).toEqual({ cause: 'spawn_failed', message });
    const inExecForm = read('PreToolUse', { exitCode, stderr: 'ERR', how: { shell: false } });
    expect(inExecForm.failure?.cause).toBe('exit_code');
  });
});
