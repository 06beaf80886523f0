const NEWLINE = 10;
/** Pieces of a line that are kept apart: a server that writes byte by byte must not cost an object a byte. */
const JOIN_AT = 256;

interface Listeners {
  onLine(line: string): void;
  /** A line is longer than the limit. From then on nothing is read. */
  onTooLong(): void;
}

/** Splits what comes in pieces into lines of at most `limit` bytes. What it costs is linear in what comes. */
export function createLines(limit: number, { onLine, onTooLong }: Listeners): (piece: Buffer) => void {
  let pieces: Buffer[] = [];
  let size = 0;
  const add = (piece: Buffer): void => {
    size += piece.length;
    pieces.push(piece);
    if (pieces.length >= JOIN_AT) pieces = [Buffer.concat(pieces)];
  };
  return (piece) => {
    let rest = piece;
    while (size <= limit) {
      const end = rest.indexOf(NEWLINE);
      add(end < 0 ? rest : rest.subarray(0, end));
      if (size > limit) {
        pieces = [];
        onTooLong();
      }
      if (end < 0 || size > limit) return;
      const line = Buffer.concat(pieces).toString('utf8');
      pieces = [];
      size = 0;
      rest = rest.subarray(end + 1);
      onLine(line);
    }
  };
}
