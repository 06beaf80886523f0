/** Programs of the table that have a `g` in front of their names where others have their own: `gtimeout` on macOS. */
export const GNU_NAMES =
  'env nice nohup stdbuf timeout chroot time xargs find sed tar split sort cp mv ln install dd tee';

/** Programs that print commands to be evaluated; those commands are not in the line. */
export const SAYS_ITSELF =
  /^\$\(((?:ssh-agent|dircolors|direnv|brew|pyenv|rbenv|nodenv|fnm|zoxide|starship|opam|keychain))(?: [\w -]*)?\)$/;

/** Builtins of the shell that look at no file's text; the shell expands some of their words once more: `[ -v 'a[$(rm x)]' ]`. */
export const EXPANDING: ReadonlySet<string> = new Set(
  '[ test let declare typeset local export readonly printf read unset set shift return exit wait getopts'.split(' '),
);

/** Variables whose values are folders, not commands. */
export const FOLDER_VARIABLES = /(?:PATH|HOME|DIR|ROOT)$/;

/** What variables, options and settings are called or end in whose values are names of other things than commands. */
const VALUES =
  'active app arch architecture branch channel ci color component db distro env environment example exclude features? format include kind labels? lang language ' +
  'level mode modules? module-?resolution names? namespace network output packages? platform pool profiles? projects? region repo repository reporters? ' +
  'scope selector stage status suffix tags? target template tests? theme tier title type user var-file version workspaces?';
export const VALUE_NAMES = new RegExp(`^(?:filter|driver|(?:.*[_-])?(?:${VALUES.replaceAll(' ', '|')}))$`, 'i');
/** Sections of settings (of git, of Mercurial) where any name has a command: `pager.branch=less`. */
export const COMMAND_SECTIONS = /^(?:-c)?(?:alias|filter|hooks|merge|pager)\./i;

/** Variables whose value is a command line of the shell. */
export const LINE_VARIABLES: ReadonlySet<string> = new Set(['PROMPT_COMMAND']);

/** Variables whose value is a program, by what they end in. */
export const PROGRAM_VARIABLES =
  /(?:^|_)(?:EDITOR|VISUAL|PAGER|SSH|ASKPASS|RSH|EXTERNAL_DIFF|BROWSER|SHELL|COMMAND|CMD|PROGRAM|WRAPPER|RUNNER|HELPER|HOOK|LESSOPEN|CC|CXX|LD)$/;

/** Variables that give programs other names. */
export const RENAMING_VARIABLES: ReadonlySet<string> = new Set(['BASH_ALIASES', 'BASH_CMDS']);

/** Variables whose value is the name of a file of commands. */
export const FILE_VARIABLES: ReadonlySet<string> = new Set(['BASH_ENV', 'ENV', 'ZDOTDIR']);

/** Programs that run no shell's files, for the files that they are given are of another kind, or are looked at. */
export const INTERPRETERS: ReadonlySet<string> = new Set(
  'node deno bun tsx ts-node python python3 ruby perl php lua Rscript make gmake gcc cc g++ clang less more vi vim nvim nano emacs code shellcheck shfmt'.split(
    ' ',
  ),
);

/** Programs that know files of commands by their endings, or by an option: others are data. */
export const DATA_PROGRAMS: ReadonlySet<string> = new Set(
  'awk gawk mawk nawk kubectl oc k helm pandoc aws gcloud az terraform psql mysql sqlite3 ansible-playbook'.split(' '),
);

/** Programs that run a command in the folder in which they are themselves, unless an option says otherwise. */
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

/** Subcommands of Docker and its like that group others, and those that print what they find as a template says. */
const GROUPS =
  'container image volume network system node service stack context secret config plugin pod machine compose builder';
const PRINTING =
  'ps ls list images inspect info version stats top events df search history port show status diff pods manifest inspecti inspectp statsp';
/** By program; after a `/`, the subcommands that group others. */
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
/** Options before a subcommand that take a value. */
const TAKING =
  /^(?:-[Hcns]|--(?:host|context|config|log-level|namespace|kubeconfig|kube-context|cluster|user|server|project-name|project-directory|url|connection))$/;

/** Whether the program of this name prints by a template, as its own subcommand in `given` says: not a plug-in's, nor a program that it runs. */
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
/** `docker ps --format '{{.ID}}'`. `option`: the word before. */
export const isTemplate = (text: string, option: string): boolean =>
  (/^(?:-f|--?format|--template)$/.test(option) || /^(?:-f|--?format=|--template=)/.test(text)) && text.includes('{{');

/** Programs of npm packages that run a command that they are given. */
export const PACKAGE_RUNNERS: ReadonlySet<string> = new Set(
  (
    'cross-env cross-env-shell dotenv dotenvx dotenv-cli env-cmd nodemon concurrently conc start-server-and-test npm-run-all run-s run-p ' +
    'onchange chokidar watchexec wireit c8 nyc'
  ).split(' '),
);

/** Programs that write no file that they name, or of which the table says which; and those that write none that is a word of its own. */
export const READERS: ReadonlySet<string> = new Set(
  (
    '[ test echo printf cat bat ls ll head tail less more wc stat file chmod chown touch mkdir rm rmdir cd pushd grep egrep fgrep rg diff cmp jq find fd ' +
    'cp mv ln install tee dd wget scp rsync git gh shellcheck shfmt'
  ).split(' '),
);
export const EDITORS: ReadonlySet<string> = new Set('sed awk gawk mawk nawk perl'.split(' '));
