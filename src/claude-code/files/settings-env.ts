import { isObject } from '../../values/shape.js';

/** A variable in the `env` of a settings file. Claude Code passes it to hooks, hookscope does not: see docs/limitations.md. */
export interface SettingsVariable {
  readonly name: string;
  readonly value: string;
  readonly file: string;
}

/** The variables that one settings file sets. */
export function envOf(settings: unknown, file: string): SettingsVariable[] {
  const env = isObject(settings) ? settings['env'] : undefined;
  return isObject(env) ? Object.entries(env).map(([name, value]) => ({ name, value: String(value), file })) : [];
}

const USES = /(\\*)\$(?:\{[!#]?)?([A-Za-z_]\w*)/g;

/**
 * The variables that a hook's texts use but that the hook does not get with this value, because the environment has another value or none
 * and the text does not set the variable. If several files set a variable, the last one counts.
 */
export function lackingIn(
  texts: readonly string[],
  variables: readonly SettingsVariable[],
  environment: Readonly<Record<string, string | undefined>>,
): SettingsVariable[] {
  if (variables.length === 0) return [];
  const byName = new Map(variables.map((variable) => [variable.name, variable]));
  const whole = texts.join('\n');
  const used = new Set(
    [...whole.matchAll(USES)].filter(([, escapes]) => (escapes as string).length % 2 === 0).map(([, , name]) => name),
  );
  return [...used].flatMap((name) => {
    const variable = byName.get(name as string);
    const isSet = new RegExp(String.raw`(?<![\w$-])${name}=`).test(whole);
    return variable === undefined || isSet || environment[variable.name] === variable.value ? [] : variable;
  });
}

export const sayLacking = ({ name }: SettingsVariable, file: string): string =>
  `$${name} is set by env.${name} of ${file}, which hooks do not get here; set it where the host runs, or in the command`;
