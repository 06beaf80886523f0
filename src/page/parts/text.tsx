import { diffLines } from 'diff';
import { plainJson, plainLines } from '../../plain.js';
import { useSignal } from '../ui.js';

/** Characters that are shown before the user asks for more. */
const FIRST = 10_000;
/** The most characters that two texts have together if they are compared. */
const COMPARED = 200_000;

/** Text of hooks, tools and models. Invisible characters are written as escapes; all else is unchanged. */
export function Text({ text, label }: { readonly text: string; readonly label: string }) {
  const all = useSignal(false);
  const cut = !all.value && text.length > FIRST;
  return (
    <div class="text">
      <h4>{label}</h4>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys */}
      <pre tabIndex={0}>{plainLines(cut ? text.slice(0, FIRST) : text)}</pre>
      {cut && (
        <button
          type="button"
          onClick={() => {
            all.value = true;
          }}
        >
          Show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </div>
  );
}

export function jsonText(value: unknown): string {
  try {
    return plainJson(value, 2) ?? 'nothing';
  } catch {
    return 'It nests too deep to be shown.';
  }
}

/** A value, as JSON. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  return <Text text={typeof value === 'string' ? value : jsonText(value)} label={label} />;
}

interface DiffProps {
  readonly before: unknown;
  readonly after: unknown;
  readonly label: string;
}

/** The difference between two values, line by line. */
export function Diff({ before, after, label }: DiffProps) {
  const [old, now] = [before, after].map((value) => (typeof value === 'string' ? value : jsonText(value)));
  const parts = lineDiff(old as string, now as string);
  if (parts === undefined)
    return (
      <>
        <Text text={old as string} label={`${label}: before`} />
        <Text text={now as string} label={`${label}: after`} />
      </>
    );
  return (
    <div class="text">
      <h4>{label}</h4>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys */}
      <pre tabIndex={0} class="diff">
        {parts.map(({ added, removed, value }, i) => {
          const [mark, Tag] = added
            ? ['+ ', 'ins' as const]
            : removed
              ? ['- ', 'del' as const]
              : ['  ', 'span' as const];
          const lines = plainLines(value).replace(/\n$/, '').split('\n');
          return <Tag key={i}>{lines.map((line) => `${mark}${line}\n`).join('')}</Tag>;
        })}
      </pre>
    </div>
  );
}

/** Undefined if the comparison would take too long. */
function lineDiff(before: string, after: string) {
  if (before.length + after.length > COMPARED) return undefined;
  return diffLines(`${before}\n`, `${after}\n`, { maxEditLength: 1000 });
}
