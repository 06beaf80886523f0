// docs/images/folders.svg: the folders of src/ and who imports whom, from the imports themselves (types included).
import { readSources } from '../test/package/sources.js';

const BOX = { width: 128, height: 34, gapX: 22, gapY: 46 };
const MARGIN = 16;
const SHIFT = 68;
/** Files that stand beside the folders and belong to no floor: what users import, and two small files below everything. */
const LEFT_OUT = new Set(['index', 'plain', 'errors', 'create-host']);

export function foldersPicture(): string {
  const imports = folderImports();
  const floors = floorsOf(imports);
  const widest = Math.max(...floors.map((floor) => floor.length));
  const width = 2 * MARGIN + widest * BOX.width + (widest - 1) * BOX.gapX + SHIFT;
  const height = 2 * MARGIN + floors.length * BOX.height + (floors.length - 1) * BOX.gapY;
  const places = new Map<string, { x: number; y: number }>();
  floors.forEach((floor, row) => {
    const line = floor.length * BOX.width + (floor.length - 1) * BOX.gapX;
    floor.forEach((folder, column) => {
      // Shifted, so that no arrow passes behind a box of the same column.
      const x = (width - SHIFT - line) / 2 + (row % 2) * SHIFT + column * (BOX.width + BOX.gapX);
      places.set(folder, { x, y: MARGIN + row * (BOX.height + BOX.gapY) });
    });
  });
  const arrows = [...imports].flatMap(([from, to]) =>
    direct(from, to, imports).map((other) => arrow(at(places, from), at(places, other))),
  );
  const boxes = [...places].map(
    ([folder, { x, y }]) =>
      `<rect x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="5"/><text x="${x + BOX.width / 2}" y="${y + 22}">${folder}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="The folders of src; an arrow leads from a folder to what it imports">
<style>rect{fill:#f6f8fa;stroke:#57606a}text{font:14px monospace;text-anchor:middle;fill:#1f2328}path{fill:none;stroke:#8c959f}polygon{fill:#8c959f}</style>
<rect x="0" y="0" width="${width}" height="${height}" style="fill:#fff;stroke:none"/>
${[...arrows, ...boxes].join('\n')}
</svg>
`;
}

/** Which folders each folder imports. */
function folderImports(): Map<string, Set<string>> {
  const imports = new Map<string, Set<string>>();
  for (const { name, imports: listed } of readSources()) {
    const from = name.split('/')[0] as string;
    // What users import is beside its folder, and may lead to those above it.
    if (LEFT_OUT.has(from) || !name.includes('/')) continue;
    const to = imports.get(from) ?? new Set();
    imports.set(from, to);
    for (const { file } of listed) {
      const other = file?.split('/')[0];
      if (other !== undefined && other !== from && !LEFT_OUT.has(other)) to.add(other);
    }
  }
  return imports;
}

/** Whoever imports stands above what it imports; the lowest come last. */
function floorsOf(imports: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const height = (folder: string): number =>
    1 + Math.max(-1, ...[...(imports.get(folder) ?? [])].map((other) => height(other)));
  const floors: string[][] = [];
  for (const folder of [...imports.keys()].sort()) {
    const floor = height(folder);
    floors[floor] = [...(floors[floor] ?? []), folder];
  }
  return floors.reverse();
}

/** Those of its imports that it does not reach by way of another one: the rest would only cover the picture with lines. */
function direct(from: string, to: ReadonlySet<string>, imports: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const reaches = (folder: string, wanted: string): boolean =>
    [...(imports.get(folder) ?? [])].some((other) => other === wanted || reaches(other, wanted));
  return [...to].filter((one) => ![...to].some((other) => other !== one && other !== from && reaches(other, one)));
}

function at(places: ReadonlyMap<string, { x: number; y: number }>, folder: string): { x: number; y: number } {
  const place = places.get(folder);
  if (!place) throw new Error(`${folder} has no place`);
  return place;
}

function arrow(from: { x: number; y: number }, to: { x: number; y: number }): string {
  const [x1, y1] = [from.x + BOX.width / 2, from.y + BOX.height];
  const [x2, y2] = [to.x + BOX.width / 2, to.y - 5];
  const bend = (y2 - y1) / 2;
  return `<path d="M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}"/><polygon points="${x2 - 4},${y2 - 3} ${x2 + 4},${y2 - 3} ${x2},${y2 + 5}"/>`;
}
