/**
 * Failures of the official kit in which the kit is wrong by the specification 1.0.1. They stay failures: the page counts them and
 * says why. One that does not fail any more is to be taken out.
 */
export const KNOWN_KIT_FAILURES = [
  {
    test: /^test_requirements::test_must_requirement\[CORE-SEND-003-(grpc|jsonrpc|http_json)\]$/,
    requirement: 'CORE-SEND-003',
    reason:
      'The kit sends a part of the type application/x-unsupported-tck-type and takes the refusal for a failure: its case names no expected error, so that only success passes, though its own description demands `ContentTypeNotSupportedError`. Sections 3.1.1 and 3.3.2: that error is for "a Media Type provided in the request\'s message parts" that "is not supported by the agent". Chorus refuses; the prober\'s `send.content-type` looks for the refusal.',
  },
  {
    test: /^TestGrpcStatusCodes::test_push_not_supported_returns_unimplemented$/,
    requirement: 'GRPC-ERR-002',
    reason:
      'The kit carries the specification 1.0.0, where `PushNotificationNotSupportedError` is UNIMPLEMENTED over gRPC. The table of section 5.4 in 1.0.1 says `FAILED_PRECONDITION`, which is what Chorus answers.',
  },
  {
    test: /^TestGrpcStatusCodes::test_version_not_supported_returns_unimplemented$/,
    requirement: 'GRPC-ERR-002',
    reason:
      'As above: UNIMPLEMENTED in 1.0.0, `FAILED_PRECONDITION` for `VersionNotSupportedError` in the table of section 5.4 in 1.0.1.',
  },
];

/** Only while 0.3 is served. */
export const KNOWN_KIT_FAILURES_WITH_V03 = [
  {
    test: /^TestAgentCardStructure::test_agent_card_validates_against_schema$/,
    requirement: 'CARD-STRUCT-001',
    reason:
      'The kit asks for the card without an A2A-Version, which means 0.3 (section 3.6.2), and gets the card that clients of both versions read; its schema of 1.0 has no room for the fields of 0.3. With `A2A-Version: 1.0` the card is that of 1.0 alone, which the run above looks at.',
  },
  ...KNOWN_KIT_FAILURES,
];

/** The entry of `known` that a failure is, or undefined. */
export const knownFailure = ({ test }, known) => known.find((entry) => entry.test.test(test));

/** What differs from what is known: failures without a reason, and reasons without a failure. One line each. */
export function surprises(failures, known) {
  return [
    ...failures.filter((failure) => !knownFailure(failure, known)).map(({ test, message }) => `${test} failed: ${message}`),
    ...known
      .filter((entry) => !failures.some((failure) => entry.test.test(failure.test)))
      .map((entry) => `${entry.test.source} does not fail any more: take it out of known-failures.mjs`),
  ];
}
