import { warn } from '../plain.js';

/**
 * Thrown by functions of folders that are loaded when they are first needed (`LATE` in `scripts/bundle.js`): under a running program the file may be gone, not readable, or of
 * another build, and there may be no descriptor left to open it with. The next call tries again.
 */
export class NotLoaded extends Error {
  override readonly name = 'NotLoaded';

  constructor(file: string, cause: unknown) {
    // Node's own message goes on with the list of who required it.
    super(
      `${file} of hookscope cannot be loaded: ${String(cause instanceof Error ? cause.message : cause).split('\n', 1)[0]}`,
      { cause },
    );
  }
}

const told = new Set<string>();

/** What `read` answers; `otherwise` if its code cannot be loaded, which a process warning says once for each cause. */
export function loadedOr<Answer>(read: () => Answer, otherwise: Answer, meaning: string): Answer {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof NotLoaded)) throw error;
    const message = `${error.message}; until it can, ${meaning}`;
    if (!told.has(message)) warn(message);
    told.add(message);
    return otherwise;
  }
}
