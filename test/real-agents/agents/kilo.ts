import type { RealAgent } from '../agent.ts';
import { opencode, rigConfig } from './opencode.ts';

export const kilo: RealAgent = {
  ...opencode,
  id: 'kilo',
  package: '@kilocode/cli',
  version: '7.7.7',
  onDemand: true,
  home: ({ url }) => ({ '.config/kilo/kilo.json': rigConfig(url) }),
  env: () => ({
    KILO_DISABLE_AUTOUPDATE: '1',
    KILO_DISABLE_LSP_DOWNLOAD: '1',
    KILO_DISABLE_MODELS_FETCH: '1',
    KILO_TELEMETRY_LEVEL: 'off',
  }),
};
