import { onTestFinished } from 'vitest';
import type { ModelAnswer, ModelRequest } from '../../../src/wire/exchange.ts';
import { Gateway, type GatewayListener } from '../../../src/wire/gateway.ts';
import type { Recorder } from '../../../src/wire/recording/recorder.ts';
import type { Route } from '../../../src/wire/route.ts';

interface Passed {
  request: ModelRequest;
  answer: ModelAnswer;
}

export interface OpenGateway {
  gateway: Gateway;
  /** What passed, in the order in which it ended. */
  passed: Passed[];
  strays: string[];
  /** Resolves when that many requests have ended. */
  ended(count: number): Promise<Passed[]>;
}

/** A gateway for one test. */
export async function openGateway(
  routes: readonly Route[],
  listener: Partial<GatewayListener> = {},
  recorder?: Recorder,
): Promise<OpenGateway> {
  const passed: Passed[] = [];
  const strays: string[] = [];
  const waiting: (() => void)[] = [];
  const gateway = new Gateway({
    routes,
    recorder,
    listener: {
      requested: () => undefined,
      responded(request, answer) {
        passed.push({ request, answer });
        for (const wake of waiting.splice(0)) wake();
      },
      strayed: (what) => void strays.push(what),
      ...listener,
    },
  });
  await gateway.open();
  onTestFinished(() => gateway.close());
  return {
    gateway,
    passed,
    strays,
    async ended(count) {
      while (passed.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
      return passed;
    },
  };
}
