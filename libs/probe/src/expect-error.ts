import type { AgentError, BindingName, Reply } from './bindings/binding.js';
import { fail } from './check.js';
import { GRPC_CODES, specError, type SpecError } from './spec-errors.js';
import { member, type Json } from './wire/json.js';

/** Fails the check unless the answer is the error `name` as the binding writes it (section 5.4). */
export function expectError(reply: Pick<Reply, 'error' | 'value'>, name: SpecError, binding: BindingName): AgentError {
  const { error } = reply;
  if (!error) fail(`${name} is due, but it is accepted`, JSON.stringify(reply.value)?.slice(0, 300));
  if (!isError(error, name, binding))
    fail(`${name} is due, which is ${numberOf(name, binding)}, but it is ${told(error, binding)}`, error.raw);
  return error;
}

/** By the binding's number; where errors share one, by the reason too, if the agent gave one. */
export function isError(error: AgentError, name: SpecError, binding: BindingName): boolean {
  const row = specError(name);
  if (binding === 'JSONRPC') return error.code === row.code;
  const reason = reasonOf(error);
  return (
    error.code === (binding === 'GRPC' ? row.grpc : row.http) &&
    (reason === undefined || row.reason === undefined || reason === row.reason)
  );
}

/** `reason` of the error's ErrorInfo. */
export function reasonOf({ details }: AgentError): string | undefined {
  const reason = member(errorInfoOf(details), 'reason');
  return typeof reason === 'string' ? reason : undefined;
}

export const errorInfoOf = (details: readonly Json[]): Json | undefined => details.find((detail) => isType(detail, 'ErrorInfo'));

export const isType = (detail: Json, type: string): boolean =>
  member(detail, '@type') === `type.googleapis.com/google.rpc.${type}`;

const numberOf = (name: SpecError, binding: BindingName): string => {
  const { code, http, grpc } = specError(name);
  return binding === 'JSONRPC' ? String(code) : binding === 'GRPC' ? (GRPC_CODES[grpc] as string) : String(http);
};

const told = (error: AgentError, binding: BindingName): string => {
  const number = binding === 'GRPC' ? (GRPC_CODES[error.code] ?? error.code) : error.code;
  const reason = reasonOf(error);
  return reason === undefined ? String(number) : `${number} ${reason}`;
};
