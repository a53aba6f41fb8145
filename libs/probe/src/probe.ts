import type { Binding, BindingName } from './bindings/binding.js';
import { CATALOGUE } from './catalogue.js';
import { CheckFailed, CheckSkipped, type Check, type Need } from './check.js';
import type { ProbeOptions } from './options.js';
import { isWanted } from './only.js';
import type { CheckResult, Report } from './report.js';
import { Scenes } from './scenes.js';
import { findTarget, hasCapability, type Target } from './target.js';
import { excerpt, member } from './wire/json.js';
import { WireFault } from './wire/wire-fault.js';

/** A check may take so many times the time of one exchange. */
const EXCHANGES_PER_CHECK = 8;

/**
 * Runs every wanted check against the agent, one after the other; `onResult` hears of each as it ends. Whatever the agent does ends as a
 * failed check, within bounds of time and memory. Throws UnreachableError when there is no card to begin with.
 */
export async function probe(options: ProbeOptions, onResult: (result: CheckResult) => void = () => undefined): Promise<Report> {
  const startedAt = new Date();
  const target = await findTarget(options);
  const results: CheckResult[] = [];
  const scenes = new Map<Binding, Scenes>();
  for (const { title: group, checks } of CATALOGUE)
    for (const check of checks)
      for (const run of runsOf(check, target)) {
        if (!isWanted(options.only, check.id, run.name)) continue;
        const result = await resultOf({ group, check, target, run, scenes });
        results.push(result);
        onResult(result);
      }
  return {
    url: options.url,
    cardUrl: target.cardUrl,
    agent: excerpt(String(member(target.card, 'name') ?? ''), 100),
    agentVersion: excerpt(String(member(target.card, 'version') ?? ''), 40),
    specification: '1.0.1',
    startedAt: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    sideEffects: options.allowSideEffects,
    interfaces: target.interfaces.map(({ url, protocolBinding, protocolVersion, why }) => ({
      url,
      protocolBinding,
      protocolVersion,
      ...(why !== undefined && { notProbed: why }),
    })),
    results,
  };
}

interface Run {
  readonly binding?: Binding;
  /** For checks that run once for each interface. */
  readonly name?: BindingName;
}

function runsOf(check: Check, { interfaces }: Target): Run[] {
  const bindings = interfaces.flatMap(({ binding }) => (binding ? [binding] : []));
  if (!check.bindings) return [{ binding: bindings[0] }];
  return bindings.filter(({ name }) => check.bindings?.includes(name)).map((binding) => ({ binding, name: binding.name }));
}

interface ResultOf {
  readonly group: string;
  readonly check: Check;
  readonly target: Target;
  readonly run: Run;
  readonly scenes: Map<Binding, Scenes>;
}

async function resultOf({ group, check, target, run, scenes }: ResultOf): Promise<CheckResult> {
  const { id, title, requirement, section, mend } = check;
  const started = performance.now();
  const outcome = await outcomeOf(check, target, run, scenes);
  const durationMs = Math.round(performance.now() - started);
  const { name } = run;
  return {
    id,
    ...(name && { binding: name }),
    group,
    title,
    requirement,
    section,
    ...outcome,
    durationMs,
    ...(outcome.status === 'failed' && { mend }),
  };
}

type Outcome = Pick<CheckResult, 'status' | 'reason' | 'evidence'>;

async function outcomeOf(check: Check, target: Target, { binding }: Run, scenes: Map<Binding, Scenes>): Promise<Outcome> {
  const missing = check.needs?.map((need) => whyNot(need, target)).find((why) => why !== undefined);
  if (missing !== undefined) return { status: 'skipped', reason: missing };
  const needsBinding = check.bindings !== undefined || check.needs !== undefined;
  if (!binding && needsBinding) return { status: 'skipped', reason: 'no interface can be probed, see card.usable-interface' };
  try {
    const scene = binding && (scenes.get(binding) ?? new Scenes(target, binding));
    if (binding && scene) scenes.set(binding, scene);
    // Checks that run once and need no interface look at the card only.
    await inTime(
      Promise.resolve(check.run({ target, binding: binding as Binding, scenes: scene as Scenes })),
      target.limits.timeoutMs,
    );
    return { status: 'passed' };
  } catch (error) {
    if (error instanceof CheckSkipped) return { status: 'skipped', reason: error.message };
    if (error instanceof CheckFailed)
      return { status: 'failed', reason: error.message, ...(error.evidence !== undefined && { evidence: error.evidence }) };
    if (error instanceof WireFault) return { status: 'failed', reason: error.message };
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { status: 'failed', reason: 'the prober could not cope with the answer', evidence: excerpt(text, 600) };
  }
}

async function inTime(work: Promise<void>, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = timeoutMs * EXCHANGES_PER_CHECK;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new WireFault(`the check did not end within ${limit} ms`)), limit);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Why a check that needs this is skipped, or undefined. */
function whyNot(need: Need, target: Target): string | undefined {
  const { options } = target;
  switch (need) {
    case 'sideEffects':
      return options.allowSideEffects ? undefined : 'it makes tasks: allow it with --allow-side-effects';
    case 'streaming':
      return hasCapability(target, 'streaming') ? undefined : 'streaming is not declared';
    case 'pushNotifications':
      return hasCapability(target, 'pushNotifications') ? undefined : 'push notifications are not declared';
    case 'push':
      return options.push ? undefined : 'it needs --push';
    case 'credentials':
      return options.token !== undefined || options.apiKey !== undefined || Object.keys(options.headers).length > 0
        ? undefined
        : 'it needs --token, --api-key or --header';
    case 'messageThatAsks':
      return options.messageThatAsks === undefined
        ? 'it needs --message-that-asks: a text that this agent asks back on'
        : undefined;
    case 'messageThatWorks':
      return options.messageThatWorks === undefined
        ? 'it needs --message-that-works: a text that this agent works on for some seconds'
        : undefined;
    case 'restartCommand':
      return options.restartCommand === undefined ? 'it needs --restart-command' : undefined;
  }
}
