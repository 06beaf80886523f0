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

/** Programs that print what they find as a template says. */
export const TEMPLATES: ReadonlySet<string> = new Set(
  'docker podman nerdctl kubectl oc k docker-compose podman-compose buildah skopeo crictl minikube helm go'.split(' '),
);
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
