/**
 * The built-in agent in a process of its own is asked by this signal to stop because the money is used up: a model call that is on its
 * way may then end, so that it is counted. Set in its environment, because for anybody else the signal means what it always means.
 */
export const settleSignal = 'SIGTERM';
export const settleVariable = 'RUNWIRE_SETTLE';
