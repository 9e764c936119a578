import type { Dialect } from '../dialect.ts';
import { written } from '../kit/written.ts';
import { encoder } from './write/encode.ts';

export const agUi: Dialect = {
  id: 'ag-ui',
  about: {
    agent: 'AG-UI, the Agent-User Interaction protocol of CopilotKit and others',
    writes: 'version 1.0, as server-sent events or as lines',
  },
  ...written(encoder),
  variants: [
    { name: 'sse', layout: 'sse' },
    { name: 'lines', layout: 'lines' },
  ],
  schema: async () => (await import('./wire.ts')).Event,
};
