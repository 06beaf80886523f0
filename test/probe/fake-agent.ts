import { chmodSync, writeFileSync } from 'node:fs';

/** What the stand-in is. It speaks as Codex: `codex exec`, `$CODEX_HOME`, OpenAI's Responses API. */
export interface FakeAgent {
  /** Which noes it hears: those of Codex 0.169.0; all, and what is broken; those of exit code 2 alone; none, since it asks no hook. */
  readonly hears: 'codex' | 'everything' | 'exit codes' | 'nothing';
  /** What `--version` prints. */
  readonly version?: string;
  /** In place of work. */
  readonly instead?: 'hang' | 'login' | 'end' | 'talk' | 'chatter' | 'refuse';
  /** Where it says what it has seen: its environment, the network, its folder. */
  readonly report?: string;
  /** It tries to connect to this port of the machine's loopback. */
  readonly port?: number;
  /** What each hook of hookscope's answered is kept in this file; what is in it already is repeated, without asking it again. */
  readonly answers?: string;
  /** It leaves a process behind that sleeps so long, in a session of its own. */
  readonly sleeps?: string;
}

/** Writes it to a file, as a program. */
export function writeFakeAgent(path: string, fake: FakeAgent): string {
  writeFileSync(path, `#!${process.execPath}\nconst fake = ${JSON.stringify(fake)};\n(${agent})();\n`);
  chmodSync(path, 0o700);
  return path;
}

declare const fake: FakeAgent;

/** Runs as the text that it is. */
async function agent(): Promise<void> {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const { appendFileSync, existsSync, readFileSync, writeFileSync } = process.getBuiltinModule('node:fs');
  const { connect } = process.getBuiltinModule('node:net');
  const { homedir, networkInterfaces } = process.getBuiltinModule('node:os');
  type Item = { type: string; call_id: string; name: string; arguments: string };

  if (process.argv.includes('--version')) {
    console.log(fake.version ?? 'codex-cli 0.169.0');
    return;
  }
  if (fake.sleeps) spawn('sleep', [fake.sleeps], { detached: true, stdio: 'ignore' }).unref();
  if (fake.report) {
    const connected = await new Promise<string>((resolve) => {
      if (!fake.port) return resolve('not tried');
      const socket = connect(fake.port, '127.0.0.1', () => {
        socket.destroy();
        resolve('connected');
      });
      socket.on('error', (error) => resolve(String((error as NodeJS.ErrnoException).code)));
    });
    const outside = await new Promise<string>((resolve) => {
      // Nobody's: an address of documentation.
      const socket = connect({ port: 9, host: '192.0.2.1' });
      socket
        .on('connect', () => resolve('connected'))
        .on('error', (error) => resolve((error as NodeJS.ErrnoException).code ?? ''));
      setTimeout(() => resolve('no answer'), 3000).unref();
    });
    const interfaces = Object.keys(networkInterfaces());
    const seen = {
      env: process.env,
      home: homedir(),
      cwd: process.cwd(),
      uid: process.getuid?.(),
      connected,
      outside,
      interfaces,
    };
    writeFileSync(fake.report, JSON.stringify(seen));
  }
  if (fake.instead === 'end') return;
  if (fake.instead === 'talk') return console.log('I think that nothing is to be done.');
  if (fake.instead === 'login') {
    console.error('You are not logged in. Run codex login.');
    process.exit(1);
  }
  if (fake.instead === 'hang') {
    process.on('SIGTERM', () => undefined);
    setInterval(() => undefined, 1000);
    return;
  }

  const home = process.env['CODEX_HOME'] as string;
  const base = /base_url = "([^"]+)"/.exec(readFileSync(`${home}/config.toml`, 'utf8'))?.[1];
  const { hooks } = JSON.parse(readFileSync(`${home}/hooks.json`, 'utf8')) as {
    hooks: { PreToolUse: { hooks: { command: string; timeout: number }[] }[] };
  };
  type Said = { command: string; code: number | null; out: string; err: string };
  const kept = new Map<string, Said>();
  if (fake.answers && existsSync(fake.answers)) {
    for (const line of readFileSync(fake.answers, 'utf8').trim().split('\n')) {
      const said: Said = JSON.parse(line);
      kept.set(said.command, said);
    }
  }
  const tools = ['exec_command', 'spawn_agent', 'wait_agent'].map((name) => ({ type: 'function', name }));

  /** What a hook says of a call: why it is refused, another command, or nothing. */
  function ask(command: string): Promise<{ no?: string; instead?: string }> {
    const [handler] = hooks.PreToolUse[0]?.hooks ?? [];
    if (fake.hears === 'nothing' || handler === undefined) return Promise.resolve({});
    const isOurs = handler.command.includes('hookscope-hook.sh');
    const again = isOurs ? kept.get(command) : undefined;
    if (again) {
      // As its script does.
      appendFileSync(`${home}/../asked`, `${/echo (\S+) ran/.exec(command)?.[1]}\n`);
      return Promise.resolve(heard(again.code, again.out, again.err));
    }
    return new Promise((resolve) => {
      const child = spawn('sh', ['-c', handler.command], { detached: true });
      const said = { out: '', err: '' };
      child.stdin.on('error', () => undefined);
      child.stdin.end(
        JSON.stringify({
          session_id: 's',
          hook_event_name: 'PreToolUse',
          tool_name: 'Bash',
          tool_use_id: command,
          tool_input: { command },
        }),
      );
      child.stdout.on('data', (piece: Buffer) => (said.out += piece));
      child.stderr.on('data', (piece: Buffer) => (said.err += piece));
      const late = setTimeout(() => {
        try {
          process.kill(-(child.pid as number), 'SIGKILL');
        } catch {}
        resolve(fake.hears === 'everything' ? { no: said.out || 'it is late' } : {});
      }, handler.timeout * 1000);
      // As Codex: until nobody holds its output open any more.
      child.on(fake.hears === 'everything' ? 'exit' : 'close', (code) =>
        setTimeout(() => {
          clearTimeout(late);
          if (isOurs && fake.answers)
            appendFileSync(fake.answers, `${JSON.stringify({ command, code, out: said.out, err: said.err })}\n`);
          resolve(heard(code, said.out, said.err));
        }, 50),
      );
    });
  }

  function heard(code: number | null, out: string, err: string): { no?: string; instead?: string } {
    if (fake.hears === 'exit codes') return code === 2 ? { no: err } : {};
    const all = fake.hears === 'everything';
    const lines = out.split('\n').filter((line) => line.startsWith('{'));
    if (all && code !== 0) return { no: `${out}${err}` };
    if (code === 2 && err !== '') return { no: err };
    if (code !== 0 || (lines.length !== 1 && !all)) return {};
    try {
      for (const line of lines) {
        const { hookSpecificOutput: mine = {}, decision, reason, continue: goesOn, ...more } = JSON.parse(line);
        if (all && goesOn === false) return { no: line };
        if (decision === 'block') return { no: reason };
        const { permissionDecision, permissionDecisionReason, updatedInput } = mine;
        const isDeny = permissionDecision === 'deny' || (all && permissionDecision === 'ask');
        if (isDeny && (all || (permissionDecisionReason && Object.keys(more).length === 0)))
          return { no: permissionDecisionReason ?? 'no' };
        if (updatedInput) return { instead: updatedInput.command };
      }
      return {};
    } catch {
      return all ? { no: 'it is no JSON' } : {};
    }
  }

  function run(command: string): Promise<string> {
    return new Promise((resolve) => {
      const child = spawn('sh', ['-c', command]);
      let out = '';
      child.stdout.on('data', (piece: Buffer) => (out += piece));
      child.on('close', () => resolve(out));
    });
  }

  async function call({ name, arguments: text }: Item): Promise<string> {
    const input = JSON.parse(text);
    if (name === 'spawn_agent') {
      await talk(input.message);
      return JSON.stringify({ agent_id: '01234567-89ab-cdef-0123-456789abcdef' });
    }
    if (name !== 'exec_command') return 'completed';
    const { no, instead } = await ask(input.cmd);
    if (no !== undefined || fake.instead === 'refuse') return `Command blocked by PreToolUse hook: ${no ?? 'policy'}`;
    return run(instead ?? input.cmd);
  }

  /** One thread, until the model has nothing more to do. */
  async function talk(prompt: string): Promise<void> {
    const input: object[] = [{ role: 'user', content: prompt }];
    for (;;) {
      const response = await fetch(`${base}/responses`, {
        method: 'POST',
        body: JSON.stringify({ input, tools, stream: true }),
      });
      const events = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
      const items = events.flatMap((line): Item[] => JSON.parse(line.slice(6)).item ?? []);
      const calls = items.filter(({ type }) => type === 'function_call');
      if (calls.length === 0 && fake.instead !== 'chatter') return;
      const results = await Promise.all(calls.map(call));
      input.push(
        ...items,
        ...calls.map(({ call_id }, i) => ({ type: 'function_call_output', call_id, output: results[i] })),
      );
    }
  }

  await talk(process.argv.at(-1) as string);
  console.log('{"type":"turn.completed"}');
}
