/** GNU programs that also exist with a `g` before their names, such as `gtimeout` on macOS. */
export const GNU_NAMES =
  'env nice nohup stdbuf timeout chroot time xargs find sed tar split sort cp mv ln install dd tee';

/** Programs that print shell code for `eval`, which is not in the line. */
export const SAYS_ITSELF =
  /^\$\(((?:ssh-agent|dircolors|direnv|brew|pyenv|rbenv|nodenv|fnm|zoxide|starship|opam|keychain))(?: [\w -]*)?\)$/;

/** Shell builtins that read no files. The shell expands some of their words a second time: `[ -v 'a[$(rm x)]' ]`. */
export const EXPANDING: ReadonlySet<string> = new Set(
  '[ test let declare typeset local export readonly printf read unset set shift return exit wait getopts'.split(' '),
);

/** Variables whose values are folders, not commands. */
export const FOLDER_VARIABLES = /(?:PATH|HOME|DIR|ROOT)$/;

/** Names, or endings of names, of variables, options and settings whose values are not commands. */
const VALUES =
  'active app arch architecture branch channel ci color component db distro env environment example exclude features? format include kind labels? lang language ' +
  'level mode modules? module-?resolution names? namespace network output packages? platform pool profiles? projects? region repo repository reporters? ' +
  'scope selector stage status suffix tags? target template tests? theme tier title type user var-file version workspaces?';
export const VALUE_NAMES = new RegExp(`^(?:filter|driver|(?:.*[_-])?(?:${VALUES.replaceAll(' ', '|')}))$`, 'i');
/** Sections of git's and Mercurial's settings in which every value is a command: `pager.branch=less`. */
export const COMMAND_SECTIONS = /^(?:-c)?(?:alias|filter|hooks|merge|pager)\./i;

/** Variables whose value is a command line of the shell. */
export const LINE_VARIABLES: ReadonlySet<string> = new Set(['PROMPT_COMMAND']);

/** Endings of variables whose value is a program. */
export const PROGRAM_VARIABLES =
  /(?:^|_)(?:EDITOR|VISUAL|PAGER|SSH|ASKPASS|RSH|EXTERNAL_DIFF|BROWSER|SHELL|COMMAND|CMD|PROGRAM|WRAPPER|RUNNER|HELPER|HOOK|LESSOPEN|CC|CXX|LD)$/;

/** Variables that define what a command name means. */
export const RENAMING_VARIABLES: ReadonlySet<string> = new Set(['BASH_ALIASES', 'BASH_CMDS']);
/** Words that may set one: `printf -v 'BASH_CMDS[ls]' /bin/rm`, `declare -n r=BASH_CMDS`. */
export const RENAMING = new RegExp(`(?:^|=)(?:${[...RENAMING_VARIABLES].join('|')})\\b`);

/** Variables whose value is the name of a file of commands. */
export const FILE_VARIABLES: ReadonlySet<string> = new Set(['BASH_ENV', 'ENV', 'ZDOTDIR']);

/** Programs that run a file argument, in another language than the shell's. */
const RUNNING = 'node deno bun tsx ts-node python python3 ruby perl php lua Rscript make gmake'.split(' ');
export const INTERPRETERS: ReadonlySet<string> = new Set(RUNNING);
/** The name by which an interpreter is known here: `python` of `python3.12` and `pypy3`, `node` of `nodejs`. */
export const withoutVersion = (name: string): string =>
  name.replace(/^(?:(node|python|ruby|perl|php|lua)(?:js)?|pypy)[\d.]*$/, (_, known = 'python') => known);
/** Programs that do not run a file argument as a shell script: also those that only show, edit or compile it. */
export const NO_SHELLS: ReadonlySet<string> = new Set([
  ...RUNNING,
  ...'gcc cc g++ clang less more vi vim nvim nano emacs code shellcheck shfmt'.split(' '),
]);
/** Whether a program is one of these, in whatever version. */
export const isNoShell = (name: string): boolean => NO_SHELLS.has(withoutVersion(name));

/** Programs for which a file argument is data, unless its ending or an option says that it is a script. */
export const DATA_PROGRAMS: ReadonlySet<string> = new Set(
  'awk gawk mawk nawk original-awk kubectl oc k helm pandoc aws gcloud az terraform psql mysql sqlite3 ansible-playbook'.split(
    ' ',
  ),
);

/** Programs that run a command in the current folder, unless an option says otherwise. */
export const STAYING: ReadonlySet<string> = new Set(
  (
    'sh bash rbash zsh dash ash ksh mksh pdksh oksh yash osh posh rksh fish csh tcsh elvish nu xonsh ' +
    'eval trap alias exec command builtin noglob nocorrect coproc hash jobs repeat sudo doas gosu su-exec setuidgid chpst sg env timeout gtimeout time ' +
    'nice nohup catchsegv setarch linux32 linux64 prlimit choom eatmydata ifne stdbuf setsid ionice chrt taskset flock unshare script strace ltrace ' +
    'valgrind perf fakeroot xvfb-run faketime arch busybox toybox xargs gxargs parallel find gfind fd fdfind watch entr watchexec nodemon hyperfine ' +
    'concurrently unbuffer caffeinate chronic dotenv cross-env cross-env-shell npx npm yarn pnpm bun uv poetry pipenv bundle rye pdm conda mamba ' +
    'micromamba direnv mise devbox hatch pixi tox asdf rbenv pyenv nodenv goenv rustup volta fnm nvm'
  ).split(' '),
);

/** Subcommands of Docker and similar programs that group others, and those that print their results by a template. */
const GROUPS =
  'container image volume network system node service stack context secret config plugin pod machine compose builder';
const PRINTING =
  'ps ls list images inspect info version stats top events df search history port show status diff pods manifest inspecti inspectp statsp';
/** The printing subcommands by program; after the `/`, those that group others. */
const TEMPLATES: Readonly<Record<string, string>> = {
  'docker podman nerdctl docker-compose podman-compose buildah skopeo crictl': `${PRINTING}/${GROUPS}`,
  'kubectl oc k': 'get describe version create apply patch label annotate/config',
  minikube: 'status version list/profile config addons service',
  helm: 'version list ls status get history search show/',
  go: 'list/',
};
const PRINTS = new Map<string, readonly [prints: ReadonlySet<string>, groups: ReadonlySet<string>]>();
for (const [names, known] of Object.entries(TEMPLATES)) {
  const [prints = '', groups = ''] = known.split('/');
  for (const name of names.split(' ')) PRINTS.set(name, [new Set(prints.split(' ')), new Set(groups.split(' '))]);
}
/** Options with a value that may precede a subcommand. */
const TAKING =
  /^(?:-[Hcns]|--(?:host|context|config|log-level|namespace|kubeconfig|kube-context|cluster|user|server|project-name|project-directory|url|connection))$/;

/** Whether the program prints by a template, judging by its own subcommand in `given`, not a plug-in's or that of a program it runs. */
export function printsByTemplate(program: string, given: (at: number) => string | undefined): boolean {
  const [prints, groups] = PRINTS.get(program) ?? [];
  if (prints === undefined || groups === undefined) return false;
  let isInGroup = false;
  for (let at = 0; ; at++) {
    const word = given(at) ?? '';
    if (word.startsWith('-')) at += TAKING.test(word) ? 1 : 0;
    else if (prints.has(word)) return true;
    else if (isInGroup || !groups.has(word)) return false;
    else isInGroup = true;
  }
}
/** Whether a word is a template, as in `docker ps --format '{{.ID}}'`. `option` is the word before. */
export const isTemplate = (text: string, option: string): boolean =>
  (/^(?:-f|--?format|--template)$/.test(option) || /^(?:-f|--?format=|--template=)/.test(text)) && text.includes('{{');

/** Tools of packages that run a program, and what stands before its name: `npx -y tsx`, `npm exec -- tsx`, `pnpm dlx tsx`. */
export const PACKAGE_TOOLS = /^(?:npx|npm|pnpm|yarn|bun)$/;
export const BEFORE_PROGRAM = /^(?:exec|x|dlx|run|--|-y|--yes|-q|--quiet|-s|--silent|--bun|-p|--package|--\S+=.*)$/s;
export const PACKAGE_OPTION = /^(?:-p|--package)$/;
/** Programs of npm packages that run a command from their arguments. */
export const PACKAGE_RUNNERS: ReadonlySet<string> = new Set(
  (
    'cross-env cross-env-shell dotenv dotenvx dotenv-cli env-cmd nodemon concurrently conc start-server-and-test npm-run-all run-s run-p ' +
    'onchange chokidar watchexec wireit c8 nyc'
  ).split(' '),
);

/** READERS write no file that they name, except as the table says. EDITORS write no file that is a word of its own. */
export const READERS: ReadonlySet<string> = new Set(
  (
    '[ test echo printf cat bat ls ll head tail less more wc stat file chmod chown touch mkdir rm rmdir cd pushd grep egrep fgrep rg diff cmp jq find fd ' +
    'cp mv ln install tee dd wget scp rsync git gh shellcheck shfmt'
  ).split(' '),
);
export const EDITORS: ReadonlySet<string> = new Set('sed awk gawk mawk nawk original-awk perl'.split(' '));
