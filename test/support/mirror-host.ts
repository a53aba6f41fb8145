import type { Logger } from '#core';
import { A2AClient } from './a2a-client.js';
import { AGENT, InMemoryHost } from './in-memory-host.js';
import { PUSH_ENV } from './push-configs.js';
import { KNOWN } from './request-arbitraries.js';
import type { Endpoints } from './three-bindings.js';

/** More tasks than are under way at any time; a list of them is quick. */
const TASKS_KEPT = 300;

/** A host in memory whose agent answers each message with what is in it. */
export class MirrorHost implements Endpoints {
  private constructor(
    private readonly host: InMemoryHost,
    /** A task that has ended. */
    readonly task: string,
  ) {}

  static async start(logger: Logger): Promise<MirrorHost> {
    const host = await InMemoryHost.start({
      logger,
      env: PUSH_ENV,
      async *execute({ message: { parts, metadata = {} } }) {
        yield { artifactUpdate: { artifact: { artifactId: 'mirror', parts, metadata }, lastChunk: true } };
        yield { statusUpdate: { state: 'TASK_STATE_COMPLETED', message: { parts, metadata } } };
      },
    });
    const { id } = await new A2AClient(host.url).agent(AGENT).sendForTask('known');
    return new MirrorHost(host, id);
  }

  get url(): string {
    return this.host.url;
  }

  get grpcAddress(): string {
    return this.host.grpcAddress;
  }

  /** The text with the id of a task that is there in the place of what stands for it. */
  known(text: string): string {
    this.host.forget(TASKS_KEPT, this.task);
    return text.replaceAll(KNOWN, this.task);
  }

  close(): Promise<void> {
    return this.host.close();
  }
}
