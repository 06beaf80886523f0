/** The key in the session storage, which holds the token for this tab and this server until the tab is closed. */
const KEY = 'hookscope.read';
const TOKEN = /^[\w-]{43}$/;

export const isToken = (text: string): boolean => TOKEN.test(text);

/** The token after the `#` of the address, which no request contains, or the stored one. It is removed from the address and the history at once. */
export function takeToken(): string | undefined {
  const found = decode(location.hash.slice(1));
  if (location.hash !== '') history.replaceState(null, '', location.pathname);
  if (isToken(found)) keepToken(found);
  return storedToken();
}

export function keepToken(token: string): void {
  try {
    sessionStorage.setItem(KEY, token);
  } catch {
    // Without a storage, the page asks for the token again.
  }
}

export function forgetToken(): void {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Without a storage, there is no token.
  }
}

function storedToken(): string | undefined {
  try {
    const found = sessionStorage.getItem(KEY) ?? '';
    return isToken(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
