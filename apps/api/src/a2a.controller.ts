import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Exchange } from './exchange.js';

/**
 * Every path of A2A. One route on purpose: `routeOf` in `libs/transport` knows the paths, because a router of patterns
 * mistakes ids that hold `:` or `%2F` and answers a wrong method as an unknown path.
 */
@Controller()
export class A2AController {
  constructor(@Inject(Exchange) private readonly exchange: Exchange) {}

  @All('*')
  answer(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.exchange.answer(request, reply);
  }
}
