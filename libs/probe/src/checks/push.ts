import { randomUUID } from 'node:crypto';
import { ALL, claim, fail, valueOf, type Check, type CheckContext } from '../check.js';
import { expectError } from '../expect-error.js';
import { PushReceiver, type Delivery } from '../push-receiver.js';
import type { Target } from '../target.js';
import { idOf, TERMINAL, userMessage } from '../task-shape.js';
import { listOf, member, parseJson, show, type JsonObject } from '../wire/json.js';
import { describeFaults, protoJsonFaults } from '../wire/protojson.js';

const NEEDS: Check['needs'] = ['sideEffects', 'pushNotifications', 'push'];

/** Addresses that a webhook may not be at (section 13.2). */
const PRIVATE = [
  'http://169.254.169.254/latest/meta-data/',
  'http://[::ffff:169.254.169.254]/',
  'http://10.0.0.1/',
  'http://192.168.0.1/',
  'http://172.16.0.1/',
];

/** Push notifications (sections 3.1.7 to 3.1.10, 4.3.3, 13.2), with a receiver of the prober's own. */
export const PUSH_CHECKS: readonly Check[] = [
  {
    id: 'push.create',
    title: 'A configuration is created and gets an id',
    requirement: 'MUST',
    section: '3.1.7',
    mend: 'Answer the configuration with the id that it was given.',
    bindings: ALL,
    needs: NEEDS,
    run: async (context) => {
      const { config, taskId, url } = await created(context);
      claim(typeof config['id'] === 'string' && config['id'] !== '', 'it has no id', show(config));
      claim(config['url'] === url && config['taskId'] === taskId, 'it is another configuration', show(config));
    },
  },
  {
    id: 'push.get',
    title: 'A configuration can be read',
    requirement: 'MUST',
    section: '3.1.8',
    mend: 'Answer the configuration of that task and id.',
    bindings: ALL,
    needs: NEEDS,
    run: async (context) => {
      const { config, taskId, url } = await created(context);
      const found = valueOf(await context.binding.call('GetTaskPushNotificationConfig', { taskId, id: config['id'] }), 'it');
      claim(found['id'] === config['id'] && found['url'] === url, 'it is another configuration', show(found));
    },
  },
  {
    id: 'push.list',
    title: 'The configurations of a task are listed',
    requirement: 'MUST',
    section: '3.1.9',
    mend: 'Answer every configuration of the task in configs.',
    bindings: ALL,
    needs: NEEDS,
    run: async (context) => {
      const { config, taskId } = await created(context);
      const list = valueOf(await context.binding.call('ListTaskPushNotificationConfigs', { taskId }), 'it');
      const ids = listOf(list['configs']).map((one) => member(one, 'id'));
      claim(ids.includes(config['id']), `${show(config['id'])} is not among ${show(ids)}`);
    },
  },
  {
    id: 'push.delete',
    title: 'A configuration is deleted for good, however often it is asked for',
    requirement: 'MUST',
    section: '3.1.10',
    mend: 'Delete it; answer a second deletion like the first, and a read with TaskNotFoundError.',
    bindings: ALL,
    needs: NEEDS,
    run: async ({ target, binding, scenes }) => {
      const taskId = idOf(await scenes.task());
      const url = webhook(target);
      const { id } = valueOf(await binding.call('CreateTaskPushNotificationConfig', { taskId, url }), 'a configuration');
      for (const _ of ['once', 'twice'])
        valueOf(await binding.call('DeleteTaskPushNotificationConfig', { taskId, id }), 'its deletion');
      expectError(await binding.call('GetTaskPushNotificationConfig', { taskId, id }), 'TaskNotFoundError', binding.name);
    },
  },
  {
    id: 'push.delivers',
    title: 'Updates are delivered as StreamResponses, to the end of the task',
    requirement: 'MUST',
    section: '4.3.3',
    mend: 'POST each update to the url of the configuration, as application/a2a+json.',
    bindings: ALL,
    needs: NEEDS,
    run: async (context) => {
      for (const { body } of await delivered(context)) {
        const faults = protoJsonFaults('StreamResponse', parseJson(body, context.target.limits.maxDepth));
        claim(faults.length === 0, describeFaults(faults), show(body));
      }
    },
  },
  {
    id: 'push.authenticates',
    title: 'Deliveries carry the credentials of their configuration',
    requirement: 'MUST',
    section: '13.2',
    mend: 'Send Authorization: <scheme> <credentials>.',
    bindings: ALL,
    needs: NEEDS,
    run: async (context) => {
      for (const { headers } of await delivered(context))
        claim(
          headers.authorization === `Bearer ${SECRET}`,
          `Authorization is ${headers.authorization === undefined ? 'absent' : 'another'}`,
        );
    },
  },
  {
    id: 'push.private-addresses',
    title: 'Webhooks at private addresses are refused',
    requirement: 'SHOULD',
    section: '13.2',
    mend: 'Refuse link-local and private addresses, and names that resolve to them, when a configuration is made and when it is used.',
    bindings: ALL,
    needs: NEEDS,
    run: async ({ binding, scenes }) => {
      const taskId = idOf(await scenes.task());
      const accepted: string[] = [];
      for (const url of PRIVATE) {
        const { value } = await binding.call('CreateTaskPushNotificationConfig', { taskId, url });
        if (!value) continue;
        accepted.push(url);
        await binding.call('DeleteTaskPushNotificationConfig', { taskId, id: value['id'] });
      }
      claim(accepted.length === 0, `accepted: ${accepted.join(', ')}`);
    },
  },
];

const SECRET = 'probe-credentials';

/** Nobody needs to be there: the task is finished. */
const webhook = ({ options }: Target): string => `${options.pushUrl ?? 'http://127.0.0.1:9'}/probe`;

interface Created {
  readonly taskId: string;
  readonly url: string;
  readonly config: JsonObject;
}

/** A configuration of a finished task; nothing is delivered to it. */
const created = ({ target, binding, scenes }: CheckContext): Promise<Created> =>
  scenes.once('configuration', async () => {
    const taskId = idOf(await scenes.task());
    const url = webhook(target);
    const config = valueOf(await binding.call('CreateTaskPushNotificationConfig', { taskId, url }), 'a configuration');
    return { taskId, url, config };
  });

/** What arrives for a task that was sent with a configuration, up to its terminal state. */
const delivered = ({ target, scenes }: CheckContext): Promise<Delivery[]> =>
  scenes.once('deliveries', async () => {
    const { pushUrl, pushPort, message } = target.options;
    const receiver = await PushReceiver.listen({ port: pushPort, publicUrl: pushUrl });
    try {
      const path = `/${randomUUID()}`;
      const taskPushNotificationConfig = { url: receiver.url(path), authentication: { scheme: 'Bearer', credentials: SECRET } };
      await scenes.send({ message: userMessage(message), configuration: { taskPushNotificationConfig } });
      const isEnd = ({ body }: Delivery): boolean => TERMINAL.some((state) => body.includes(state));
      const ended = await receiver.wait(path, (all) => all.some(isEnd), target.limits.timeoutMs);
      const all = receiver.deliveries(path);
      if (!ended)
        fail(`${all.length} deliveries within ${target.limits.timeoutMs} ms, none of a terminal state`, show(all.at(-1)?.body));
      return all;
    } finally {
      await receiver.close();
    }
  });
