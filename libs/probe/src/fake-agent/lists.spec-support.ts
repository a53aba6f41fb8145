import { at, type JsonObject } from '../wire/json.js';
import { FakeError, type Faulty } from './faults.spec-support.js';
import { shown } from './tasks.spec-support.js';

/** ListTasks over `tasks`, the oldest first. */
export function fakeList(tasks: readonly JsonObject[], params: JsonObject, faulty: Faulty): JsonObject {
  const { contextId, status, statusTimestampAfter, includeArtifacts, historyLength } = params;
  const pageSize = Number(params['pageSize'] ?? 50);
  if ((pageSize < 1 || pageSize > 100) && !faulty('list.page-size-limits')) throw new FakeError('InvalidParamsError');
  if (Number(historyLength) < 0 && !faulty('list.negative-history')) throw new FakeError('InvalidParamsError');
  const filters = `${contextId}`;
  const from = startOf(String(params['pageToken'] ?? ''), filters, faulty);
  const wanted = (task: JsonObject): boolean =>
    (!contextId || task['contextId'] === contextId) &&
    (!status || faulty('list.status') || at(task, 'status', 'state') === status) &&
    (!statusTimestampAfter || faulty('list.timestamp') || timeOf(task) >= Date.parse(String(statusTimestampAfter)));
  const found = tasks.filter(wanted).reverse();
  const stranger = tasks.find((task) => task['contextId'] !== contextId);
  if (faulty('list.context') && stranger && params['pageSize'] === undefined && !status && !statusTimestampAfter)
    found.push(stranger);
  found.sort((a, b) => (faulty('list.order') ? 1 : -1) * (timeOf(a) - timeOf(b)) || 0);
  const take = pageSize === 2 && faulty('list.page-size') ? found.length : pageSize;
  const page = found.slice(from, from + take);
  const more = from + take < found.length && !faulty('list.pages');
  const nextPageToken = more ? Buffer.from(`${filters} ${from + take}`).toString('base64url') : '';
  return {
    tasks: page.map((task) => {
      const copy = shown(task, faulty('list.no-history') ? undefined : historyLength, { one: false, none: false });
      if ((!includeArtifacts && !faulty('list.no-artifacts')) || faulty('list.artifacts')) delete copy['artifacts'];
      return copy;
    }),
    ...(nextPageToken === '' && faulty('list.answers') ? {} : { nextPageToken }),
    pageSize,
    totalSize: faulty('list.total-size') ? page.length : found.length,
  };
}

function startOf(token: string, filters: string, faulty: Faulty): number {
  if (token === '') return 0;
  const [bound, offset] = Buffer.from(token, 'base64url').toString().split(' ');
  if (offset === undefined || !/^\d+$/.test(offset)) {
    if (faulty('list.bad-token')) return 0;
    throw new FakeError('InvalidParamsError');
  }
  if (bound !== filters && !faulty('list.foreign-token')) throw new FakeError('InvalidParamsError');
  return Number(offset);
}

const timeOf = (task: JsonObject): number => Date.parse(String(at(task, 'status', 'timestamp') ?? 0)) || 0;
