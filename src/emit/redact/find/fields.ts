import { nameKind } from './names.js';

/** Words for a field, behind what it is for: `Password field`, `API token input (required)`. */
const FIELD =
  /(?:[ _-]*(?:input|field|text[ -]?(?:box|field|area)|box|entry|edit|area|element|control|prompt|form)|[ \t]*(?:\([^()]{0,40}\)|[*:]))+$/i;
/** What follows it: `Password field on the login page`. */
const WHERE = /[ \t]+(?:on|in|of|for|at|under|below|inside|within)[ \t].*$/i;
/** What a selector is made of. */
const PARTS = /[\w-]{2,60}/g;

/** Whether a selector or a description is one of a field that takes one: `#password`, `Password field`. */
export function isFieldOfSecret(place: string): boolean {
  if (place.length > 200) return false;
  const described = place.replace(WHERE, '').replace(FIELD, '');
  return [described, ...(/[ \t]/.test(place.trim()) && /^[\w \t'"’()*:-]*$/.test(place) ? [] : partsOf(place))].some(
    isOne,
  );
}

/** The last names of a selector: `form.login > input#password` is no login. */
function partsOf(selector: string): readonly string[] {
  const last = selector.split(/[ \t]*[>~+][ \t]*|(?<=[\w\])])[ \t]+(?=[#.\w[])/).at(-1) ?? '';
  return (last.match(PARTS) ?? []).map((part) => part.replace(FIELD, ''));
}

function isOne(name: string): boolean {
  const kind = nameKind(name.trim());
  return (
    kind === 'password' ||
    kind === 'token' ||
    kind === 'short' ||
    /^(?:current|new)-password$|^(?:pin|otp)$/i.test(name.trim())
  );
}
