import { jest } from '@jest/globals';

/** Set by jest.config.js for the projects whose tests wait for servers and processes. */
jest.setTimeout((globalThis as unknown as { TEST_TIMEOUT_MS: number }).TEST_TIMEOUT_MS);
