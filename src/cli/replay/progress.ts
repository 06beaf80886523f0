const WIDTH = 30;
/** Milliseconds between two updates. */
const PAUSE = 100;

/** A bar on standard error, where that is a terminal. */
export function progressBar(total: number): { at(file: number, share: number): void; end(): void } {
  const { stderr } = process;
  if (!stderr.isTTY) return { at: () => undefined, end: () => undefined };
  let last = 0;
  return {
    at(file, share) {
      const now = performance.now();
      if (now - last < PAUSE) return;
      last = now;
      const whole = Math.min(1, (file + share) / total);
      const full = Math.round(whole * WIDTH);
      stderr.write(`\r${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${Math.floor(whole * 100)} %\u001b[K`);
    },
    end: () => void stderr.write('\r\u001b[K'),
  };
}
