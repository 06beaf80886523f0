/** What an agent reads in a file of hooks. */
export interface Layout {
  /** The agent, as people call it. */
  readonly title: string;
  /** The only keys at its root; another one voids the file. */
  readonly keys?: readonly string[];
  /** The number that `version` must be, where there is one. */
  readonly version?: number;
  /** What may stand there beside plain JSON; absent: nobody has tried. */
  readonly reads?: readonly ('comments' | 'commas' | 'mark')[];
  /** A void file is connected as it is, and that is told. Absent: it is not connected. */
  readonly void?: 'told';
}
