const IMPORT =
  /\b(?:import|from|use|require|load|include|source|read)\b[\s('"]*([\w.:/@-]+)(?:[ \t]+import[ \t]+(\w+))?/g;

/** What code in another language names as code to load. */
export function importsOf(text: string): string[] {
  return [...text.matchAll(IMPORT)].flatMap(([, name, part]) => [`${name}`, ...(part ? [`${name}.${part}`] : [])]);
}
