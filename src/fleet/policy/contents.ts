import type { z } from 'zod';
import { HookscopeError } from '../../errors.js';
import { ON_FAILURE } from '../../events/failure.js';
import { parseOwnJson } from '../../files/json-file.js';
import { isTooDeep } from '../../files/nesting.js';
import { decodeText } from '../../files/utf8.js';
import { findProblem } from '../../values/problem.js';
import { schema, zod } from '../../values/zod.js';
import type { Bundle } from '../bundle/bundle.js';
import { NO_PROTO_KEY, protoKeyIn } from '../checked-file.js';

const handler = () => zod().looseObject({ type: zod().string() });
const hooks = () => zod().record(zod().string(), zod().array(zod().looseObject({ hooks: zod().array(handler()) })));

/** A policy file. The content of `hooks` is checked when it is registered, like all hooks. */
const fileSchema = schema(() =>
  zod().strictObject({
    $schema: zod().string().exactOptional(),
    description: zod().string().exactOptional(),
    hooks: hooks().exactOptional(),
    /** Hooks by agent type. */
    spawnHooks: zod().record(zod().string().min(1), hooks()).exactOptional(),
    onFailure: zod().enum(ON_FAILURE).exactOptional(),
    enforce: zod()
      .union([zod().boolean(), zod().number().min(0).max(1)])
      .exactOptional(),
    /** `name@version`, and its options. */
    plugins: zod()
      .array(zod().union([zod().string(), zod().tuple([zod().string(), zod().unknown()])]))
      .exactOptional(),
    redact: zod()
      .strictObject({
        keys: zod().array(zod().string()).exactOptional(),
        paths: zod().array(zod().string()).exactOptional(),
        patterns: zod().array(zod().string()).exactOptional(),
      })
      .exactOptional(),
  }),
);

/** One file of a bundle. */
export interface PolicyFile extends z.infer<ReturnType<typeof fileSchema>> {
  readonly path: string;
}

/** A handler as written in a file. */
export type DescribedHandler = Readonly<Record<string, unknown>> & { readonly type: string };

/** Reads a bundle's files. Rejects with BUNDLE_REFUSED if one is not a policy. */
export function readContents(bundle: Bundle): Promise<PolicyFile[]> {
  return Promise.all(
    [...bundle.files].map(([path, bytes]) =>
      readFile(path, bytes, (reason) => {
        throw new HookscopeError('BUNDLE_REFUSED', { bundle: bundle.name, reason: `${path} ${reason}` });
      }),
    ),
  );
}

async function readFile(path: string, bytes: Buffer, refuse: (reason: string) => never): Promise<PolicyFile> {
  if (!path.endsWith('.json')) refuse('is no policy: a bundle is data, files of JSON (.json)');
  const { text, wrong } = decodeText(bytes);
  if (wrong !== undefined) refuse(wrong.message);
  if (isTooDeep(text)) refuse('is nested too deeply');
  let value: unknown;
  try {
    // Of a key that stands twice, one half would be dropped, and with it the guards that are in it.
    value = await parseOwnJson(text, path);
  } catch (error) {
    refuse((error as HookscopeError<'FILE'>).details.problem);
  }
  const proto = protoKeyIn(value);
  if (proto !== undefined) refuse(`is not as it should be: ${proto}: ${NO_PROTO_KEY}`);
  const problem = findProblem(fileSchema(), value);
  if (problem !== undefined)
    refuse(
      `is not as it should be: ${problem.field === '' ? '' : `${problem.field}: `}expected ${problem.expected}, got ${problem.got}`,
    );
  return { ...(value as z.infer<ReturnType<typeof fileSchema>>), path };
}

/** All handlers of a file, with their places. */
export function* handlersIn({
  hooks = {},
  spawnHooks = {},
}: PolicyFile): Generator<{ handler: DescribedHandler; at: string }> {
  const all: [string, NonNullable<PolicyFile['hooks']>][] = [
    ['', hooks],
    ...Object.entries(spawnHooks).map(([type, own]): [string, typeof own] => [`spawnHooks.${type}.`, own]),
  ];
  for (const [where, own] of all)
    for (const [event, groups] of Object.entries(own))
      for (const [i, group] of groups.entries())
        for (const [j, handler] of group.hooks.entries()) yield { handler, at: `${where}${event}[${i}].hooks[${j}]` };
}
