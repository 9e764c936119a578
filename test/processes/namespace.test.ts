import { expect, it } from 'vitest';
import { findNamespace, startContained } from '../../src/processes/namespace.ts';

const namespace = await findNamespace();

it.skipIf(namespace === undefined)('a contained command sees no process of others, whatever it takes away or mounts', async () => {
  if (namespace === undefined) return;
  const script = 'umount /proc 2>/dev/null; umount -l /proc 2>/dev/null; mount -t proc proc /proc 2>/dev/null; cat /proc/[0-9]*/environ';
  const env = { PATH: process.env['PATH'] ?? '', OWN: 'seen' };
  const { child, end } = startContained({ command: '/bin/sh', args: ['-c', script], cwd: '/', env }, namespace);
  let told = '';
  for await (const chunk of child.stdout) told += String(chunk);
  await end(0);
  for (const [name, value] of Object.entries(process.env))
    if (name !== 'PATH' && (value ?? '').length > 3) expect(told).not.toContain(`${name}=${value}`);
});
