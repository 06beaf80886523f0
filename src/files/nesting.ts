/** Deeper than any hook file, and far from the end of the stack: parsers, and what looks at what they have read, recurse. */
const DEEPEST = 200;
/** Characters. Some texts of YAML take the square of their length to read. */
const LONGEST_YAML = 64 * 1024;
/** `? ` makes a key of what follows, and each one within another doubles what reading costs. */
const MOST_KEY_MARKS = 10;

/** Whether a JSON text is nested too deep to be looked at. By hand: a regular expression runs out of stack in a string of some megabytes. */
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

/** Why a frontmatter is not even read: what is wrong with it, in words. Undefined: nothing, its reader will come to an end with it. */
export function whyNoFrontmatter(yaml: string, longest = LONGEST_YAML): string | undefined {
  if (yaml.length > longest) return `is longer than ${longest / 1024} KiB`;
  return isYamlTooDeep(yaml) ? 'is nested too deeply' : undefined;
}

/** Counts more than a parser would, quoted text too. */
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
