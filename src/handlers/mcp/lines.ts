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
  /** What comes before the pieces. Never joined again until the line ends: that would cost the square of its length. */
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
