import { InvalidParamsError } from '../errors.js';

/** The violations that `parse` reports, as `field: description`; none when it accepts. */
export function violationsOf(parse: () => unknown): string[] {
  try {
    parse();
    return [];
  } catch (error) {
    if (!(error instanceof InvalidParamsError)) throw error;
    return error.fieldViolations.map(({ field, description }) => `${field}: ${description}`);
  }
}

/** The paths of the violations that `parse` reports. */
export function faultyFieldsOf(parse: () => unknown): string[] {
  return violationsOf(parse).map((violation) => violation.slice(0, violation.indexOf(':')));
}
