/** Tests cannot wait as long as people do; this shortens every wait of ours at once, and is no promise to anybody else. */
const share = Number(process.env['RUNWIRE_PATIENCE'] ?? 1);

/** How long we wait for an agent that should act by itself, such as leave. */
export function patient(ms: number): number {
  return share > 0 && share < 1 ? ms * share : ms;
}
