import { KNOWN_KIT_FAILURES, knownFailure } from './known-failures.mjs';

/** A requirement of the official kit. */
export const kit = (name) => ({ source: 'kit', name });

/** A check of `chorus probe`. */
export const probe = (name) => ({ source: 'probe', name });

/** The same in the run with authentication, where it came out otherwise than without. */
export const guardedProbe = (name) => ({ source: 'probe', name, guarded: true });

/** Tests of this repository: those in `file` whose name contains `title`, or all of it. */
export const test = (file, title = '') => ({ source: 'suites', name: file, title });

const BINDING_OF_TRANSPORT = { jsonrpc: 'JSON-RPC', http_json: 'HTTP+JSON', grpc: 'gRPC' };
const BINDING_OF_INTERFACE = { JSONRPC: 'JSON-RPC', 'HTTP+JSON': 'HTTP+JSON', GRPC: 'gRPC' };
export const BINDINGS = ['JSON-RPC', 'HTTP+JSON', 'gRPC'];

/**
 * What the results say of one piece of evidence: `status` (passed, failed, skipped, contradicted), and the bindings that it
 * passed over, where it is told by binding. Throws when the results know no such thing.
 */
export function outcome(evidence, results) {
  const found = FINDERS[evidence.source](evidence, results[evidence.source]);
  if (found === undefined) {
    const { source, name, title } = evidence;
    throw new Error(`docs/conformance/${source}.json has no ${[name, title].filter(Boolean).join(': ')}`);
  }
  return found;
}

const FINDERS = {
  kit({ name }, { requirements, failures }) {
    const found = requirements.find(({ id }) => id === name);
    if (!found) return undefined;
    const passed = Object.keys(found.transports).filter((transport) => found.transports[transport] === 'PASS');
    const bindings = BINDINGS.filter((binding) => passed.some((transport) => BINDING_OF_TRANSPORT[transport] === binding));
    return { status: found.status === 'FAIL' ? kitFailure(name, failures) : KIT_STATUS[found.status], bindings };
  },
  probe({ name, guarded }, { checks, differing }) {
    const found = (guarded ? differing : checks).filter(({ id }) => id === name);
    if (found.length === 0) return undefined;
    const passed = found.filter(({ status }) => status === 'passed');
    const bindings = BINDINGS.filter((binding) => passed.some((check) => BINDING_OF_INTERFACE[check.binding] === binding));
    return { status: worst(found), bindings };
  },
  suites({ name, title }, { tests }) {
    const found = tests.filter((one) => one.file === name && one.test.includes(title));
    return found.length === 0 ? undefined : { status: worst(found), bindings: [], tests: found.length };
  },
};

const KIT_STATUS = { PASS: 'passed', SKIPPED: 'skipped', 'NOT TESTED': 'skipped' };

/** Contradicted: each of its failures is one in which the kit is wrong. */
function kitFailure(requirement, failures) {
  const known = failures.some((failure) => knownFailure(failure, KNOWN_KIT_FAILURES)?.requirement === requirement);
  const unknown = failures.some((failure) => !knownFailure(failure, KNOWN_KIT_FAILURES));
  return known && !unknown ? 'contradicted' : 'failed';
}

function worst(entries) {
  if (entries.some(({ status }) => status === 'failed')) return 'failed';
  return entries.some(({ status }) => status === 'passed') ? 'passed' : 'skipped';
}

/** How many entries have each status. */
export function countsOf(entries) {
  const count = (wanted) => entries.filter(({ status }) => status === wanted).length;
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}
