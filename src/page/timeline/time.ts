/** The most milliseconds from 1970 that a Date can hold; a record may contain any number. */
const MOST = 8.64e15;

/** Day and time of a moment in UTC, whatever the number is. */
function partsOf(at: number): readonly [day: string, time: string] {
  const held = Number.isNaN(at) ? 0 : Math.max(-MOST, Math.min(MOST, at));
  const [day = '', time = ''] = new Date(held).toISOString().split('T');
  return [day, time.slice(0, -1)];
}

export const spansDays = ([from, to]: readonly [number, number]): boolean => partsOf(from)[0] !== partsOf(to)[0];

/** A moment in UTC; `dated`: with its day. `step`: milliseconds between the moments that must be told apart. */
export function timeText(at: number, { dated, step = 1 }: { readonly dated: boolean; readonly step?: number }): string {
  const [day, time] = partsOf(at);
  if (step >= 864e5) return day;
  const shown = step < 1000 ? time : time.slice(0, 8);
  return dated ? `${day} ${shown}` : shown;
}
