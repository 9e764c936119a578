import { once } from 'node:events';
import { expect, it } from 'vitest';
import { findNamespace, startContained } from '../../src/processes/namespace.ts';

const namespace = await findNamespace();

it.skipIf(namespace === undefined)(
  'a contained command sees no process of others, whatever it takes away or mounts',
  async () => {
    if (namespace === undefined) return;
    const script =
      'umount /proc 2>/dev/null; umount -l /proc 2>/dev/null; mount -t proc proc /proc 2>/dev/null; cat /proc/[0-9]*/environ';
    const env = { PATH: process.env['PATH'] ?? '', OWN: 'seen' };
    const { child, end } = startContained({ command: '/bin/sh', args: ['-c', script], cwd: '/', env }, namespace);
    let told = '';
    for await (const chunk of child.stdout) told += String(chunk);
    await end(0);
    for (const [name, value] of Object.entries(process.env))
      if (name !== 'PATH' && (value ?? '').length > 3) expect(told).not.toContain(`${name}=${value}`);
  },
);

it.skipIf(namespace === undefined).each(['SIGINT', 'SIGTERM'] as const)(
  'after %s a contained command ends in its own way',
  async (signal) => {
    if (namespace === undefined) return;
    const script = `trap 'sleep 0.1; echo said; exit 9' INT TERM; echo ready; while :; do sleep 0.02; done`;
    const order = { command: '/bin/bash', args: ['-c', script], cwd: '/', env: { PATH: process.env['PATH'] ?? '' } };
    const { child, tree, end } = startContained(order, namespace);
    const ended = once(child, 'exit');
    let told = '';
    for await (const chunk of child.stdout) {
      told += String(chunk);
      if (told === 'ready\n') tree?.signalGroup(signal);
    }
    expect({ told, ended: await ended }).toEqual({ told: 'ready\nsaid\n', ended: [9, null] });
    await end(0);
  },
);
