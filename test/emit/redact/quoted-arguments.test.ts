import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createRedactor } from '../../../src/emit/redact/redactor.js';
import { fire } from '../samples.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-quoted-'));
afterAll(() => rmSync(folder, { recursive: true }));
const redactor = createRedactor({ keyFile: join(folder, 'redact.key') });
const json = JSON.stringify;
const SECRET = 'hunterrabbit';

/** A program, a flag of it before a long argument, and what holds its password. */
const PROGRAMS: readonly (readonly [program: string, flag: string, password: readonly string[]])[] = [
  ['curl', '-d', ['-u', `admin:${SECRET}`]],
  ['curl', '-H', ['-sSu', `admin:${SECRET}`]],
  ['curl', '--data', ['--user', `admin:${SECRET}`]],
  ['mysql', '-e', ['-u', 'root', `-p${SECRET}`]],
  ['mysql', '--execute', [`--user=root`, `-p${SECRET}`]],
  ['sqlcmd', '-Q', ['-U', 'sa', '-P', SECRET]],
  ['redis-cli', '-x', ['-a', SECRET]],
  ['ldapsearch', '-b', ['-x', '-w', SECRET]],
  ['mongosh', '--eval', ['-u', 'me', '-p', SECRET]],
  ['smbclient', '-c', ['-U', `me%${SECRET}`]],
  ['aws ssm put-parameter', '--description', ['--type', 'SecureString', '--value', SECRET]],
  ['docker login', '--config', ['-u', 'me', '-p', SECRET]],
];
const LONG = 'a word of many '.repeat(50);
const BODIES: readonly string[] = [
  ...['; ', ' | ', ' && ', '\n', ' || '].flatMap((sign) => [`one${sign}two`, `one${sign}two${sign}${LONG}`]),
  ...['text/html; q=1', 'X11; Linux', 'https://h/?a=1|2', 'a;b', LONG, `${LONG}; mysql or curl -u x`, ' ; '],
  ...[`{"a":"it; is","b":[1,2]}`, `f("a"); g("b") | h`, `${LONG}f("a"); g`],
];

const ITEMS = Array.from({ length: 30 }, (_, id) => ({ id, text: 'some words' }));
/** Brackets that end no command: both are behind the program's name. */
const BRACKETED: readonly (readonly [program: string, password: string])[] = [
  [`mysql $(cat x) -h \${HOST} -e "a; b"`, `-p${SECRET}`],
  ['(cd x) && (mysql [a] -e "a; b"', `-p${SECRET})`],
  ['curl {a,b} -d "$(mysql -e \'c; d\')"', `-u me:${SECRET}`],
  ['curl -d $(mysql -e "c; d") -H "e; f"', `-u me:${SECRET}`],
  ['"docker" login --config "a; b c"', `-p ${SECRET}`],
  ['spawn("docker", ["login", f("x; y"), "-u", "me"', `"-p", "${SECRET}"])`],
  ['run(["mysql", "-u", "root", "-e", "use shop; select 1"] +', `["-p${SECRET}"])`],
  ['base = ("curl", "-H", "text/html; q=1") +', `("-u", "me:${SECRET}")`],
  [`['curl', '-H', 'a; b'].concat(`, `['-u', 'me:${SECRET}'])`],
  [`[...['curl', '-H', 'a; b'],`, `'-u', 'me:${SECRET}']`],
  [`{"command": ["mysql", "-e", "a; b"],`, `"args": ["-u", "root", "-p${SECRET}"]}`],
  ['$(which mysql 2>/dev/null) -u root -e "a; b"', `-p${SECRET}`],
  ['& (Get-Command sqlcmd -ErrorAction Stop) -Q "a; b"', `-U sa -P ${SECRET}`],
  [`curl -g https://h/x?f=a) -H 'a; b'`, `-u me:${SECRET}`],
  ['mysql -e "a; b" {x},{y} f(a), g(b)', `-p${SECRET}`],
  ['redis-cli -h $(kubectl get svc redis -o json | jq -r .spec.clusterIP)', `-a ${SECRET}`],
  ['mysql -h <(cat a; cat b) -P $(echo $((3306 + 1)) | cat)', `-p${SECRET}`],
  ['curl -o $(date +%F | tr - _).json $(docker port x | head -1)', `-u me:${SECRET}`],
  ['docker login $(aws ecr describe | jq -r .uri) -u me', `-p ${SECRET}`],
  ['$(which mysql 2>/dev/null) -h $(cat x | tr -d y)', `-p${SECRET}`],
  ['curl -X POST `cat url | head -1`', `-u me:${SECRET}`],
  ["`which mysql` -u root -e 'select 1; select 2'", `-p${SECRET}`],
  ['`which redis-cli` -o out.exe -e "a; b"', `-a ${SECRET}`],
  [`\`which redis-cli\` -h "\${HOST:-curl}" -e "a; b"`, `-a ${SECRET}`],
  ["`command -v curl` -H 'Accept: a; b'", `-u me:${SECRET} https://h`],
  [`curl -H 'X: a; b' "\${HOST:-mysql}"`, `-u me:${SECRET}`],
  [`redis-cli -h "\${HOST:-mysql}" -x "a; b"`, `-a ${SECRET}`],
  ['mysql -h "{net}" -e "a; b"', `-p${SECRET}`],
  [`docker exec x "\${MYSQL:-mysql}" -e "a; b"`, `-p${SECRET}`],
  [`docker exec $(docker ps -q -f name=db) "\${MYSQL:-mysql}" -e "a; b"`, `-p${SECRET}`],
  ['docker exec `docker ps -q -f name=db` $(which mysql) -e "a; b"', `-p${SECRET}`],
  ['HOST=`curl -s h/ip` $(command -v redis-cli) -h x', `-a ${SECRET}`],
  [`$(which redis-cli) ${'-h `az x` -p $(curl y) '.repeat(8)}-x "a; b"`, `-a ${SECRET}`],
  [`docker exec ${'-e `az x` -e $(curl y) '.repeat(8)}"\${R:-redis-cli}" -x "a; b"`, `-a ${SECRET}`],
  ['"$(which mysql)" -u root -e "a; b"', `-p${SECRET}`],
  ['sudo -E "$(command -v redis-cli)" -h r -x "a; b"', `-a ${SECRET}`],
  ['docker exec $(docker ps -q) "$(which curl)" -H "a; b"', `-u me:${SECRET}`],
  ['docker exec db $(find "$(brew --prefix)" -name mysql) -u root -e "select 1; select 2"', `-p${SECRET}`],
  ['docker exec db $(find "$(brew --prefix)" -name redis-cli) -x "a; b"', `-a ${SECRET}`],
  ['aws s3 cp x $(find "$(brew --prefix)" -name curl) -H "a; b"', `-u me:${SECRET} https://h`],
  ['docker run img $(realpath "$(pwd)" bin/mysql) -e "a; b"', `-p${SECRET}`],
  ['mysql -h `cat a; cat b` -e "c; d" -u root', `-p${SECRET}`],
  [`curl -H 'a; b' --data '{"text":"can'"'"'t (deploy"}'`, `-u me:${SECRET}`],
  [`curl --data '{"text":"can'"'"'t deploy)"}' -H 'a; b'`, `-u me:${SECRET}`],
  [`mysql --execute='select f(a, '"'"'$.b'"'"'); select 1' -u root`, `-p${SECRET}`],
  [`curl -d '{"msg":"can'\\''t (a; b"}' -H "c'd; e"`, `-u me:${SECRET}`],
];

test.each(BRACKETED)('behind brackets of the same command the password is masked: %s', (program, password) => {
  for (const all of [`${program} ${password}`, `[{"a":1}] ${program} ${password}`]) {
    expect(redactor.text(all)).not.toContain(SECRET);
    expect(redactor.text(json({ x: ['a'], command: all }))).not.toContain(SECRET);
  }
});

describe.each(PROGRAMS)('%s: behind a quoted argument of %s, the password is masked', (program, flag, password) => {
  const write = (body: string, quote: string, between: string): string =>
    [program, flag + between + quote + body + quote, ...password].join(' ');
  const texts = (body: string): string[] =>
    [`'`, '"'].flatMap((quote) =>
      body.includes(quote)
        ? []
        : [' ', ...(flag.startsWith('--') ? ['='] : [''])].map((between) => write(body, quote, between)),
    );
  const AROUND: readonly ((text: string) => string)[] = [
    (text) => text,
    (text) => json({ command: text }),
    (text) => json({ body: json({ command: text }) }),
    (text) => `ls; cd x && ${text} && ls -u a:b`,
    (text) => (text.includes('"') ? text : `sh -c "cd x; ${text}"`),
  ];

  test('in a text', () => {
    const left = BODIES.flatMap(texts).flatMap((text) =>
      AROUND.map((around) => around(text)).filter((all) => redactor.text(all).includes(SECRET)),
    );
    expect(left).toEqual([]);
  });

  test('in a list of arguments', () => {
    const masked = (tool_input: unknown): string => json(redactor.redact(fire(1, { input: { tool_input } as never })));
    const left = BODIES.flatMap((body) => {
      const [command = '', ...words] = program.split(' ');
      const args = [...words, flag, body, ...password];
      return [{ argv: [command, ...args] }, { command, args }, { argv: ['sudo', `/usr/bin/${command}`, ...args] }];
    }).filter((input) => masked(input).includes(SECRET));
    expect(left).toEqual([]);
  });
});

/** Beside a user's name `-p` has a password, whatever other program is named. */
test.each([
  'mytool --curl-path C:\\tools\\curl.exe -u me',
  'deploy.ps1 -Tool net.exe -u admin',
  `acme-cli login -u me --dl "\${DL:-curl}"`,
  'acme login -u me --with curl',
  'smbmap -u me',
  'smbclient -L h -U me',
  'ldapdomaindump -u me',
  'ldap-tool -u me',
  'snmp_tool --user me',
  'kadminx -u me',
  'HTTP Error 401 running acme login -u me',
  'http 401: acme login -u me',
  'https error while running acme login -u me',
  'curl failed: acme login -u me',
  'wget failed to run acme login -u me',
  'curl -o a h & acme login -u me',
  'git pull & acme login -u me',
  'acme login --env prod -u me',
  'acme --env=prod login -u me',
  'acme login --sort date -u me',
  'acme login --server git.acme.com -u me',
  'acme login node.acme.io -u me',
  'acme login -u me --patch 1',
  'acme --dir /srv/git login -u me',
  'sudo acme login -u me',
  'sudo -u root -E acme login --user me',
  'env X=1 acme login -u me',
  'A=1 sudo -n env -u B /opt/bin/acme login -u me',
  'npx acme login -u me',
  'npx -y -p acme1 acme login -u me',
  'npm run acme -- -u me',
  'docker exec -it c acme login -u me',
  'kubectl exec p -c git -- acme login -u me',
  'python3 tool.py -u me',
  'python3.12 -m acme login -u me',
  'node dist/cli.js login -u me',
  'perl -Ilib tool.pl -u me',
  'xargs -n 1 acme login -u me',
  String.raw`acme login -u 'D\me'`,
  'acme login -u D/me',
  'acme login -u me+x@h.de',
  'curl "https://h/?a=1&b=2" -o a& acme login -u me',
])('the flag of an unknown program is known: %s', (program) => {
  const text = `${program} -p Zq7xK2vLw9`;
  for (const one of [text, `ls; ${text}`, json({ command: text })])
    expect(redactor.text(one)).not.toContain('Zq7xK2vLw9');
});

/** Programs by the names of their files, and as the last word in brackets. */
test.each([
  ['mysql.exe -u root', `-p${SECRET}`],
  ['& "C:\\mysql\\bin\\MySQL.EXE" -u root -e "a; b"', `-p${SECRET}`],
  ['cmd /c curl.exe -H "a; b"', `-u me:${SECRET}`],
  ['sqlcmd.exe -S h -U sa', `-P ${SECRET}`],
  ['docker.exe login -u me', `-p ${SECRET}`],
  ['7z.exe a', `-p${SECRET}`],
  ['7zz a', `-p${SECRET}`],
  ['vault.exe login', SECRET],
  ['mysql -h notes.exe curl.exe -e "a; b"', `-p${SECRET}`],
  ['docker exec x $(which mysql) -e "a; b"', `-p${SECRET}`],
  [`\${MYSQL:-mysql} -u root`, `-p${SECRET}`],
  [`mysql -h f(net) -e "a; b" \${az} (http)`, `-p${SECRET}`],
  ['Command::new("mysql").args(["-u", "root", "-e", "a; b",', `"-p${SECRET}"])`],
])('the program is known: %s', (program, password) => {
  const text = `${program} ${password}`;
  for (const one of [text, `ls; ${text}`, json({ command: text })]) expect(redactor.text(one)).not.toContain(SECRET);
});

test.each([
  ['mysql.exe', ['-u', 'root', `-p${SECRET}`]],
  ['C:\\Program Files\\curl\\CURL.EXE', ['-H', 'a; b', '-u', `me:${SECRET}`]],
  ['vault.exe', ['login', SECRET]],
])('the program of a list of arguments is known by its file: %s', (command, args) => {
  for (const tool_input of [{ command, args }, { argv: [command, ...args] }])
    expect(json(redactor.redact(fire(1, { input: { tool_input } as never })))).not.toContain(SECRET);
});

test.each([
  `curl -d 'a; b' https://x; ssh -p wordsalone h`,
  `mysql -e "a; b" x && tar -pxf wordsalone`,
  `echo "mysql"; ls -pwordsalone`,
  `git commit -m "use curl; it's nice" && id -u me:them`,
  json({ command: 'mysql -u root', note: 'a; b', other: 'ls -pwordsalone' }),
  `curl -d '${LONG}' https://x\nid -u me:them`,
  `curl -d 'a; b' https://x; echo '${LONG}' -u me:them`,
  json({ keywords: ['mysql', 'curl'], items: ITEMS, args: ['-p', 'dist/folder'], id: ['-u', 'root:wheel'] }),
  json([
    { command: 'mysql', args: ['-e', 'a; b'] },
    { command: 'mkdir', args: ['-p', 'build/out'] },
  ]),
  json({
    jobs: [{ run: ['docker', 'login', 'host'] }, ...ITEMS, { run: ['docker', 'run', '-p', '8080:80', 'nginx'] }],
  }),
  json({
    body: json([
      { command: 'mysql', args: ['-e', 'a; b'] },
      { command: 'mkdir', args: ['-p', 'build/out'] },
    ]),
  }),
  `run('curl', 'a; b'), run('id', '-u', 'me:themselves')`,
  `az vm create --name "login; x" -p wordsalone`,
  `gh pr create --title "How to gh secret set; x" --body "some words of the body"`,
  `"dotnet" "test" "push; x" -p wordsalone`,
  `(mysql -e "a; b"; true); ls -pwordsalone`,
  `x = f(curl, "a; b"), g(ls, "-u", "me:themselves")`,
  `mkdir -p $(cat x | cut -d, -f1) && id -u me:them`,
  'rm curl.exe; id -u me:themselves',
  'docker run -v "$(which curl)" -e "x; y" -u me:themselves img',
  'p4 -u bruno -p ssl:server1:1666 changes -m 5',
  'ls; p4.exe -u bruno -p ssl:server1:1666 info',
  json({ command: 'wget --user me -r -p docs2.example.com/x1' }),
  'curl -x proxy:8080 -U me -p api2.example.com/v1',
  'ldapsearch -U me -p ldap1:389',
  'ldapmodify ldap1.example.com -U me -p ldap1:389',
  'snmpbulkwalk -v3 -u me -p udp:host1:161',
  'kadmin.local -u me/admin -p me/admin2@EXAMPLE.COM',
  'curl "https://h/?a=1&b=2" -x proxy:8080 -U me -p api2.example.com/v1 2>&1',
  'http PUT api.example.com/x -u me -p h2b',
  'wget localhost:8080/x --user me -p docs2.example.com/x1',
  'sudo -u me -p Password1: ls',
  'sudo -n -g staff -u me -p Password1: ls',
  'sudo -u me acme -p h2bXk81q',
  'python3 -u tool.py -p h2bXk81q',
  'docker exec -w /d -u me c acme -p h2bXk81q',
  'docker run -u me -p h2bXk81q:80 img',
  'sudo docker run --user me -p h2bXk81q:80 img',
  'sudo curl -x proxy:8080 -U me -p api2.example.com/v1',
  'sudo -n /usr/bin/ssh -u me -p h2bXk81q',
  'env LC_ALL=C tar.exe -u me -p h2bXk81q',
  '"$(which git)" -u me -p h2bXk81q',
  `\${GIT:-git} -u me -p h2bXk81q`,
  'run git -u me -p h2bXk81q',
  'xargs -I x mkdir -u me -p h2bXk81q',
  'python3 -m pytest -u me -p h2bXk81q',
  'PODS="$(kubectl get pods -l mysql )" run -e "x; y" -p wordsalone',
  'if (which("mysql")) run("mkdir", "-p", "build/out")',
  'notepad.exe -p words -u me:themselves',
  'with `mysql; curl` on the PATH, run `mkdir -p build/out`',
  json([
    { command: 'curl', about: 'a (b; c)' },
    { env: { a: ['x; y'] }, run: ['id', '-u', 'me:themselves'] },
  ]),
])('a flag of another command is kept: %s', (text) => {
  expect(redactor.text(text)).toBe(text);
});

test.each([
  ['mysql', '-e', "it's", '--protocol', 'tcp', '--port', '3306'],
  ['mysql', '-e', 'a "b" c', '--protocol=tcp', '--plugin-dir', '/x'],
  ['curl', '-d', '{"a":1}', '--url', 'https://x', '--user-agent', 'agent'],
  ['gh', 'issue', 'create', '--title', 'x "y"', '--body-file', 'z', '--web'],
  ['mongosh', '--eval', 'db.x("y")', '--port', '27017'],
])('the name of a long flag in a list of arguments is kept: %s %s %s %s', (...argv) => {
  const record = fire(1, { input: { tool_input: { argv } } as never });
  expect(redactor.redact(record)).toBe(record);
});
