import { permitAgent, shownAuditEntry, tenantMeant, type AuditLog, type AuditQuery } from '#core';
import { InvalidParamsError, normaliseTimestamp } from '#protocol';
import type { AdminCall, AdminRoute } from './admin-route.js';
import { queryFieldsOf } from './fields.js';

const FIELDS = {
  tenant: 'text',
  principal: 'text',
  agent: 'text',
  task: 'text',
  operation: 'text',
  outcome: 'text',
  since: 'text',
  until: 'text',
  before: 'text',
  limit: 'number',
} as const;

const LIMIT = 100;
const MOST = 1000;

/** `GET /admin/audit`: who did what, the newest first; a credential for every tenant sees all of it unless it names one. */
export const auditRoute = (log: AuditLog): AdminRoute => ({
  method: 'GET',
  path: 'audit',
  async answer({ caller, query }: AdminCall) {
    const { tenant: named, agent, task, since, until, before, limit: asked = LIMIT, ...like } = queryFieldsOf(query, FIELDS);
    permitAgent(caller, agent);
    const tenant = caller.tenant === undefined && named === undefined ? undefined : tenantMeant(caller, named);
    const limit = Math.min(asked, MOST);
    const wanted: AuditQuery = {
      ...like,
      ...(tenant === undefined ? {} : { tenant }),
      ...(agent === undefined ? {} : { agentId: agent }),
      ...(task === undefined ? {} : { taskId: task }),
      ...(since === undefined ? {} : { since: timeIn('since', since) }),
      ...(until === undefined ? {} : { until: timeIn('until', until) }),
      ...(before === undefined ? {} : { before: idIn(before) }),
      limit,
    };
    const entries = await log.list(wanted);
    const last = entries.at(-1);
    return { entries: entries.map(shownAuditEntry), ...(entries.length < limit || !last ? {} : { before: last.id }) };
  },
});

function timeIn(field: string, text: string): number {
  const time = normaliseTimestamp(text);
  if (time !== undefined) return Date.parse(time);
  throw new InvalidParamsError([{ field, description: 'must be a time, as 2027-01-31T18:00:00Z' }]);
}

function idIn(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidParamsError([{ field: 'before', description: 'must be the id of an entry, as the page before answered it' }]);
}
