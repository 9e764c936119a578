/** What several agents do together. Who takes part: these, or each agent by itself, several times at once; `quick` runs in CI. */
export const crewScenarios = {
  race: { agents: ['codex', 'opencode'], speed: 'quick' },
  orchestrate: { agents: ['codex', 'opencode'], speed: 'quick' },
  'fall-back': { agents: ['codex', 'pi'], speed: 'quick' },
  attempts: { agents: 'each', speed: undefined },
} as const;

export type CrewScenarioName = keyof typeof crewScenarios;
