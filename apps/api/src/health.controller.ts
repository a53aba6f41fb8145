import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { HealthChecks } from './health-checks.js';

/** For orchestrators and load balancers: `/livez` fails when a restart would help, `/readyz` when requests should go elsewhere. */
@Controller()
export class HealthController {
  constructor(@Inject(HealthChecks) private readonly checks: HealthChecks) {}

  @Get('livez')
  live(@Res() reply: FastifyReply): void {
    void reply.code(200).header('content-type', 'application/json').send('{"status":"ok"}');
  }

  @Get('readyz')
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const { ready, ...report } = await this.checks.report();
    const body = JSON.stringify({ status: ready ? 'ok' : 'unavailable', ...report });
    void reply
      .code(ready ? 200 : 503)
      .header('content-type', 'application/json')
      .header('cache-control', 'no-store')
      .send(body);
  }
}
