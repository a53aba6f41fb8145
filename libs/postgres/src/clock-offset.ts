/** When a question was asked and answered by this process's clock, and what the database's clock showed in between. Milliseconds. */
export interface ClockReading {
  readonly asked: number;
  readonly shown: number;
  readonly answered: number;
}

/**
 * What to add to this process's clock to get the database's, by the reading that took the least time. None when the clocks may agree:
 * a correction by half of an answer's time would differ from process to process, and put their tasks out of order.
 */
export function clockOffset(readings: readonly [ClockReading, ...ClockReading[]]): number {
  const took = ({ asked, answered }: ClockReading): number => answered - asked;
  const { asked, shown, answered } = readings.reduce((best, reading) => (took(reading) < took(best) ? reading : best));
  // A clock of whole milliseconds shows the end of the last one.
  const agrees = asked <= shown && shown <= answered + 1;
  return agrees ? 0 : shown - (asked + answered) / 2;
}
