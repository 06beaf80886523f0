/** What an agent reads in a file of hooks. */
export interface Layout {
  /** The agent, as people call it. */
  readonly title: string;
  /** The only keys at its root; another one voids the file. */
  readonly keys?: readonly string[];
  /** The required value of `version`, if there is one. */
  readonly version?: number;
  /** What the file may contain besides plain JSON; absent: not tested. */
  readonly reads?: readonly ('comments' | 'commas' | 'mark')[];
  /** A void file is connected all the same, and the user is told. Absent: it is not connected. */
  readonly void?: 'told';
}
