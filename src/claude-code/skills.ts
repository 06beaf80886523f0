import type { Origin } from '../host/register/origin.js';
import type { Registrar } from '../host/register/registrar.js';
import type { Undo } from '../host/types.js';
import { isObject, isText } from '../values/shape.js';

/** The hooks of a skill or command, which are registered when it is invoked. */
export interface SkillHooks {
  /** The names by which it can be invoked. */
  readonly names: readonly string[];
  readonly hooks: unknown;
  readonly origin: Origin;
}

/**
 * Registers a skill's hooks in a session when its main thread invokes the skill, by a slash command or the Skill tool. They stay
 * until the session ends. Returns a function that undoes everything.
 */
export function watchSkills(registrar: Registrar, skills: readonly SkillHooks[]): Undo {
  const active = new Map<string, Map<SkillHooks, Undo>>();
  const invoke = (session: unknown, agent: unknown, name: unknown): void => {
    if (!isText(session) || agent !== undefined || !isText(name)) return;
    const own = active.get(session) ?? new Map<SkillHooks, Undo>();
    active.set(session, own);
    for (const skill of skills) {
      if (!skill.names.includes(name.replace(/^\//, '')) || own.has(skill)) continue;
      own.set(skill, registrar.register({ session }, skill.hooks, skill.origin));
    }
  };
  const end = (session: unknown): void => {
    for (const undo of active.get(String(session))?.values() ?? []) undo();
    active.delete(String(session));
  };
  const watch = (look: (input: Readonly<Record<string, unknown>>) => void, matcher?: string) => ({
    ...(matcher === undefined ? {} : { matcher }),
    phase: 'observe',
    hooks: [(input: Readonly<Record<string, unknown>>): void => look(input)],
  });
  const undo = registrar.register(
    undefined,
    {
      UserPromptExpansion: [watch((i) => invoke(i['session_id'], i['agent_id'], i['command_name']))],
      PostToolUse: [watch((i) => invoke(i['session_id'], i['agent_id'], skillOf(i['tool_input'])), 'Skill')],
      SessionEnd: [watch((i) => end(i['session_id']))],
    },
    { name: 'skills', source: { kind: 'skill', name: 'skills' } },
  );
  return () => {
    undo();
    for (const session of active.keys()) end(session);
  };
}

function skillOf(input: unknown): unknown {
  return isObject(input) ? (input['skill'] ?? input['command']) : undefined;
}
