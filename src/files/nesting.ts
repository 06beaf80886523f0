/** Deeper than any real hook file, and shallow enough for the stack: parsers recurse, and so does the code that walks their result. */
const DEEPEST = 200;
/** In characters. Parsing some YAML texts takes quadratic time. */
const LONGEST_YAML = 64 * 1024;
/** `? ` begins a complex key. Each level of nested ones doubles the parsing time. */
const MOST_KEY_MARKS = 10;

/** Whether a JSON text is nested too deeply to be parsed. Scans by hand, because a regular expression overflows the stack in strings of some megabytes. */
export function isTooDeep(json: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let i = 0; i < json.length; i++) {
    const char = json[i];
    if (char === '"' || char === '\n') quoted = char === '"' && !quoted;
    else if (quoted) i += char === '\\' ? 1 : 0;
    else if (char === '[' || char === '{') {
      if (++depth > DEEPEST) return true;
    } else if (char === ']' || char === '}') depth--;
  }
  return false;
}

/** Why a frontmatter is not parsed, in words; undefined if it is safe to parse in reasonable time. */
export function whyNoFrontmatter(yaml: string, longest = LONGEST_YAML): string | undefined {
  if (yaml.length > longest) return `is longer than ${longest / 1024} KiB`;
  return isYamlTooDeep(yaml) ? 'is nested too deeply' : undefined;
}

/** An upper bound: brackets in quoted text count too. */
function isYamlTooDeep(yaml: string): boolean {
  let brackets = 0;
  let keyMarks = 0;
  for (const line of yaml.split('\n')) {
    const [lead = ''] = /^(?:[ \t]*(?:[-?:]|[&!][^ \t]*)(?=[ \t]|\r?$))*[ \t]*/.exec(line) ?? [];
    const marks = lead.match(/\S+/g) ?? [];
    keyMarks += marks.filter((mark) => mark === '?').length;
    if (lead.length > DEEPEST * 2 || marks.length > DEEPEST || keyMarks > MOST_KEY_MARKS) return true;
    for (const char of line) {
      if (char === '[' || char === '{') brackets++;
      else if (char === ']' || char === '}') brackets = Math.max(0, brackets - 1);
      if (brackets > DEEPEST) return true;
    }
  }
  return false;
}
