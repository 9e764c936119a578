/** Lines of one session file of Claude Code; `time` is that of a second of the session. */
export function claudeSessionLines(session: { cwd: string; sessionId: string; version: string }, time: (second: number) => string) {
  return (second: number, uuid: string, more: object): object => ({
    parentUuid: uuid === 'u1' ? null : 'u1',
    isSidechain: false,
    ...session,
    uuid,
    timestamp: time(second),
    ...more,
  });
}
