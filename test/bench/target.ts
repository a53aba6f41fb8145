/** A server under load. */
export interface Target {
  readonly name: 'chorus' | 'sdk';
  readonly port: number;
  /** Process ids by what they are, for their memory. */
  processes(): Readonly<Record<string, number>>;
  stop(): Promise<void>;
}
