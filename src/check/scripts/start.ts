import { basename } from 'node:path';
import { operandsOf, readerOf } from './interpreters.js';
import { type OptionTable, pastOptions } from './options.js';

/** Programs that run the command given as their arguments. */
const WRAPPERS: readonly OptionTable[] = [
  {
    names: /^env$/,
    flags: /^(?:-|--|-[0iv]+|-[0iv]*[Cu].+|--(?:ignore-environment|null|debug|(?:unset|chdir)=.*)|[A-Za-z_]\w*=.*)$/s,
    valued: /^(?:-[0iv]*[aCu]|--(?:argv0|chdir|unset))$/,
    folder: /^(?:-[0iv]*C|--chdir)/,
    otherPath: /^(?:PATH=.*|-|-[0v]*i[0iv]*|--ignore-environment)$/s,
  },
  {
    names: /^sudo$/,
    flags:
      /^(?:--|-[AbEHknPS]+|-[ugp].+|--(?:non-interactive|preserve-env|set-home|(?:user|group|chdir|preserve-env)=.*)|[A-Za-z_]\w*=.*)$/s,
    valued: /^(?:-[CDgpu]|--(?:chdir|group|user))$/,
    folder: /^(?:-D|--chdir)/,
    otherPath: /^sudo$/,
  },
  { names: /^exec$/, flags: /^-[cl]+$/, valued: /^-[cl]*a$/ },
  { names: /^command$/, flags: /^-p$/ },
  { names: /^(?:builtin|nohup)$/, flags: /^--$/ },
  { names: /^nice$/, flags: /^(?:-n?-?\d+|--adjustment=.*)$/, valued: /^(?:-n|--adjustment)$/ },
  { names: /^time$/, flags: /^-[apv]+$/, valued: /^-[fo]$/ },
  {
    names: /^timeout$/,
    flags:
      /^(?:-v|-[ks].+|--(?:foreground|preserve-status|verbose|(?:kill-after|signal)=.*)|[\d.]+(?:e\d+)?[smhd]?|inf(?:inity)?)$/,
    valued: /^(?:-[ks]|--(?:kill-after|signal))$/,
  },
  {
    names: /^stdbuf$/,
    flags: /^(?:-[eio].+|--(?:error|input|output)=.*)$/,
    valued: /^(?:-[eio]|--(?:error|input|output))$/,
  },
  { names: /^setsid$/, flags: /^(?:-[cfw]+|--(?:ctty|fork|wait))$/ },
];
/** Programs that run the program named after them and download it if it is not installed. */
const FETCHING: OptionTable = {
  names: /^(?:npx|bunx|pnpx|uvx|(?:npm|pnpm|yarn|bun) (?:exec|dlx|x)|(?:uv|poetry|pipenv|pdm|rye|hatch) run)$/,
  flags: /^(?:-[yqs]|--(?:yes|quiet|silent|bun)?|--(?:package|with|python|from)=.*)$/,
  valued: /^(?:-p|--package|--with|--python|--from)$/,
};

/** The name by which a program is known here, which may be called by its path: `/usr/bin/env`, `.venv/bin/python`. */
export const nameOf = (word: string): string => (/(?:^|\/)bin\/[^/]+$/.test(word) ? basename(word) : word);

/** What the words of a command start. */
export interface Start {
  /** The index of the program behind `env` and the like. */
  readonly program: number;
  /** The index of the word that may be an interpreter: in `npx tsx x.ts`, the one after the program that fetches it. */
  readonly reader: number;
  /** Whether an option on the way changes the folder. */
  readonly moves: boolean;
  /** Whether the program, and a script that a shell finds by its name, are looked for in another PATH than the hook's. */
  readonly elsewhere: boolean;
}

/** Undefined if the program is behind an option that is not known. */
export function startedBy(words: readonly (string | undefined)[]): Start | undefined {
  let program = 0;
  let moves = false;
  let elsewhere = false;
  for (;;) {
    const name = nameOf(words[program] ?? '');
    const wrapper = WRAPPERS.find(({ names }) => names.test(name));
    if (!wrapper || program + 1 >= words.length) {
      return { program, reader: readerAt(words, program), moves, elsewhere };
    }
    const { at, isKnown } = pastOptions(words, program + 1, wrapper);
    if (!isKnown) return undefined;
    const own = words.slice(program, at);
    moves ||= isAny(own, wrapper.folder);
    elsewhere ||= isAny(own, wrapper.otherPath);
    program = at;
  }
}

/** Whether one of the words is such an option: one that changes the folder, for instance. */
export const isAny = (words: readonly (string | undefined)[], option: RegExp | undefined): boolean =>
  option !== undefined && words.some((word = '') => option.test(word));

function readerAt(words: readonly (string | undefined)[], first: number): number {
  const verbs = [1, 2].find((count) => FETCHING.names.test(words.slice(first, first + count).join(' ')));
  const { at, isKnown } = pastOptions(words, first + (verbs ?? 0), FETCHING);
  return verbs !== undefined && isKnown && readerOf(words[at] ?? '') ? at : first;
}

/** What a word of a command is: the path of what starts, what may be code, or an argument. */
export type Role = 'path' | 'code' | 'argument';

/** The roles of the words of a command. Code is also looked for behind an interpreter that another program may start: `docker exec x sh -c CODE`. */
export function rolesOf(words: readonly (string | undefined)[]): Role[] {
  const start = startedBy(words);
  const roles = words.map((_, i): Role => (start !== undefined || i === 0 ? 'argument' : 'code'));
  if (start !== undefined && start.program < words.length) roles[start.program] = 'path';
  for (let i = 0; i < words.length; i++) {
    const reader = readerOf(basename(words[i] ?? ''));
    for (const { at, kind } of reader ? operandsOf(words, i + 1, reader) : []) {
      if (kind === 'unknown') return roles.fill('code', at);
      if (kind === 'code') roles[at] = 'code';
      else if (i === start?.reader) roles[at] = 'path';
      i = at - 1;
    }
  }
  return roles;
}
