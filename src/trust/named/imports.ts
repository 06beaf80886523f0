const IMPORT =
  /\b(?:import|from|use|require|load|include|source|read)\b[\s('"]*([\w.:/@-]+)(?:[ \t]+import[ \t]+(\w+))?/g;

/** The names of files and modules that inline code imports. */
export function importsOf(text: string): string[] {
  return [...text.matchAll(IMPORT)].flatMap(([, name, part]) => [`${name}`, ...(part ? [`${name}.${part}`] : [])]);
}
