/** A user's name before `-p X` of an unknown program: `-u me -p X`. */
const USER = /[ \t]-(?:u|U|user|-user|-username|login|-login)[= \t]+\\*["']?[\w@.+/\\-]{1,64}\\*["']?(?:[ \t][^\n]*)?$/;

/** A word is a whole word of the shell, by itself or in a folder of programs, and no value of a long option: `--sort date`. */
const BEGINS = String.raw`(?<![\w./@=%+]|(?<!:)[-:]|--[\w-]{1,40}[ \t]{1,4})(?:[^\s"'\x60=,:]{0,100}/bin/)?`;
const ENDS = String.raw`(?:\.[eE][xX][eE])?(?![\w/@:=%+-]|\.\w)`;

/** A program that runs another one, with its options; those with the letters `valued` take a value. */
const runner = (names: string, valued: string): string =>
  String.raw`(?:${names})${ENDS}(?:[ \t]+(?:-[A-Za-z]*[${valued}][ \t]+[^-\s]\S*|-\S+|\w+=\S*))*`;
const RUNNERS = [
  runner('sudo|doas', 'ugpCDhRrtTU'),
  runner('env', 'uCS'),
  runner('npx', 'pc'),
  // `docker exec -u me` too.
  runner('exec', 'aewunc'),
  runner('xargs', 'IndPLEsa'),
  runner('runuser', 'ugGsw'),
  runner(String.raw`python[\d.]*`, 'WX'),
  runner('node|perl', 'rCI'),
].join('|');
/** What stands before the program that a flag belongs to: a command in the background, runners, and the command of one that ends its options. */
const BACKGROUND = /^.*(?:[ \t]&(?!>)|&(?=[ \t]))/s;
const RUNNER = new RegExp(`^.*${BEGINS}(?:${RUNNERS})`, 's');
const RUN = /^.*[ \t]--(?=[ \t])/s;

/** Programs whose `-p` is something else, wherever in the command they are. */
const NAMES =
  'mkdir|ssh|scp|sftp|rsync|cp|docker|podman|kubectl|git|tar|ps|lsof|install|nc|ncat|nmap|pip3?|virtualenv|sed|read|make|pytest|tmux|' +
  String.raw`screen|date|diff|patch|su|psql|pg_\w+|mount|crontab`;
const OTHERS = new RegExp(`${BEGINS}(?:${NAMES})${ENDS}`);
const LDAP = 'search|add|modify|modrdn|delete|passwd|compare|whoami|exop|url';
const SNMP = 'walk|get|getnext|bulkget|bulkwalk|set|table|trap|inform|status|translate|test|delta|df|netstat|usm|vacm';
/** The same before an option, a variable, a URL or a host; of others, they may be an argument, and in a message the subject. */
const OTHERS_FIRST = new RegExp(
  String.raw`^[\s{]*(?:\\*"\w+\\*":\s*)?\\*["']?(?:p4|wget|curl|https?|xh|ldap(?:${LDAP})|snmp(?:${SNMP})|kadmin(?:\.local)?)(?:\.[eE][xX][eE])?` +
    String.raw`\s+(?:[A-Z]+\s+)?\\*["']?(?:[-$:/]|localhost\b|\w[\w+-]*:\/\/|[\w-]+\.[\w.-]*\w|[\w-]+(?::\d|\/))(?!.*(?:\s&(?!>)|&\s))`,
);

/** Whether the `-p` behind this line is the password of an unknown program: there is a user's name, and no program for which it is something else. */
export function isBesideUser(line: string): boolean {
  if (!USER.test(line)) return false;
  let command = line;
  for (const before of [BACKGROUND, RUN]) {
    const behind = command.replace(before, '');
    if (USER.test(behind)) command = behind;
  }
  command = command.replace(RUNNER, '');
  return USER.test(command) && !OTHERS.test(command) && !OTHERS_FIRST.test(command);
}
