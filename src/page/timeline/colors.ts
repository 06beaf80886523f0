import { OUTCOMES } from '../records/outcome.js';
import type { Colors } from './draw.js';

/** The colours of the style sheet, light or dark. */
export function colorsOf(element: Element): Colors {
  const style = getComputedStyle(element);
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    outcomes: OUTCOMES.map(color),
    text: color('text'),
    line: color('line'),
    back: color('back'),
    stripe: color('stripe'),
  };
}
