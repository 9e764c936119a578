/** `silent`: no heartbeat for a whole lease; `draining`: it takes no more runs. */
export const workerStates = ['working', 'draining', 'silent'] as const;

/** A worker as users see it. */
export interface WorkerRow {
  name: string;
  state: (typeof workerStates)[number];
  running: number;
  slots: number;
  labels: string[];
  version: string;
  started_at: string;
  heard_at: string;
}
