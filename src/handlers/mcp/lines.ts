const NEWLINE = 10;
/** How many pieces of a line are collected before they are joined. A server that writes byte by byte must not cost one object per byte. */
const JOIN_AT = 256;

interface LineListeners {
  onLine(line: string): void;
  /** Called when a line exceeds the limit. Nothing is read after that. */
  onTooLong(): void;
}

/** Splits incoming pieces into lines of at most `limit` bytes, in linear time. */
export function createLines(limit: number, { onLine, onTooLong }: LineListeners): (piece: Buffer) => void {
  /** The line's bytes before `pieces`. They are joined only at its end: joining them repeatedly would take quadratic time. */
  let joined: Buffer[] = [];
  let pieces: Buffer[] = [];
  let size = 0;
  const join = (): void => {
    joined.push(Buffer.concat(pieces));
    pieces = [];
  };
  const add = (piece: Buffer): void => {
    size += piece.length;
    pieces.push(piece);
    if (pieces.length >= JOIN_AT) join();
  };
  return (piece) => {
    let rest = piece;
    while (size <= limit) {
      const end = rest.indexOf(NEWLINE);
      add(end < 0 ? rest : rest.subarray(0, end));
      if (size > limit) {
        joined = [];
        pieces = [];
        onTooLong();
      }
      if (end < 0 || size > limit) return;
      join();
      const line = Buffer.concat(joined).toString('utf8');
      joined = [];
      size = 0;
      rest = rest.subarray(end + 1);
      onLine(line);
    }
  };
}
