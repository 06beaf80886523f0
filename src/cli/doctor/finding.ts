/** One thing that doctor has to say, in sentences. */
export interface DoctorFinding {
  /** `problem`: something is wrong, and the exit code says so. `remark`: it may be intended. */
  readonly level: 'problem' | 'remark';
  readonly about: 'hook' | 'file' | 'server' | 'agent' | 'alarm' | 'records';
  readonly text: string;
  /** How to fix it. */
  readonly fix: string;
}
