/** Something outside the code keeps a process from starting; the message is one line that says what and how to mend it. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
