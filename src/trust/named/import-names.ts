const IMPORT =
  /\b(?:import|from|use|require|load|include|source|read)\b[\s('"]*([\w.:/@-]+)(?:[ \t]+import[ \t]+(\w+))?/g;

/** The files and modules that code in another language loads. */
export function importsOf(text: string): string[] {
  return [...text.matchAll(IMPORT)].flatMap(([, name, part]) => [`${name}`, ...(part ? [`${name}.${part}`] : [])]);
}
