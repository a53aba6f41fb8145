/**
 * One row of the page: what is claimed, the section of the specification 1.0.1, and what proves it. A row cannot be written
 * without evidence, and its result is that of the evidence.
 */
export const row = (claim, section, ...evidence) => ({ claim, section, evidence });

/** What is not there: why, and what proves that the host says so. */
export const gap = (claim, section, reason, ...evidence) => ({ claim, section, reason, evidence });
